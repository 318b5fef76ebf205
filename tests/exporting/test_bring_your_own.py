"""docs/bring-your-own.md: its commands run, and its examples of formats are read."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from plancheck.exporting.command import app
from plancheck.starting.starter import STARTERS
from plancheck.trec import Hit, read_run

PAGE = (Path(__file__).parents[2] / "docs" / "bring-your-own.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.+?)^```", PAGE, re.MULTILINE | re.DOTALL)
SCRIPTS = [text.splitlines() for language, text in BLOCKS if not language]


@pytest.mark.parametrize("script", SCRIPTS, ids=range(len(SCRIPTS)))
def test_a_script_of_the_page_runs_from_its_first_line_to_its_last(script, study, plancheck):
    for line in script:
        program, *arguments = shlex.split(line.partition("|")[0], comments=True)
        if program == "python":
            subprocess.run([sys.executable, *arguments], check=True)
        else:
            assert program == "plancheck"
            status, _, err = plancheck(*arguments)
            assert status == 0, err
        for file in re.findall(r"(?:--out|# writes) (\S+\.\w+)", line):
            assert Path(file).read_text(encoding="utf-8")


def test_the_run_of_the_page_reads_as_it_says(tmp_path):
    (text,) = (text for language, text in BLOCKS if language == "trec")
    (tmp_path / "run").write_text(text)
    assert read_run(tmp_path / "run") == {
        "q1": [Hit("a89bb3eec9098863-00012", 1, 7.25), Hit("a89bb3eec9098863-00004", 2, 7.25)],
        "my question": [Hit("a89bb3eec9098863-00005", 1, 0.5)],
    }


def test_the_page_shows_every_export_and_every_kind_of_program():
    rows = set(re.findall(r"^\| `?(\w+)", PAGE, re.MULTILINE))
    assert {command.name for command in app.registered_commands} | set(STARTERS) <= rows
