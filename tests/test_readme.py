"""The README and docs/: every override that they show makes valid parameters, and every link leads somewhere."""

import itertools
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml
from dvc.utils.hydra import compose_and_dump

from plancheck.params.study import parse_params

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = sorted({line for page in PAGES for line in re.findall(r"^dvc exp run .+$", page.read_text(), re.MULTILINE)})


def test_the_pages_show_such_commands():
    assert len(COMMANDS) >= 4


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_pages_composes(command, tmp_path):
    words = shlex.split(command, comments=True)
    overrides = [value for flag, value in itertools.pairwise(words) if flag == "-S"]
    conf = str(ROOT / "conf")
    compose_and_dump(tmp_path / "params.yaml", conf, None, "config", conf, overrides)

    params = parse_params(yaml.safe_load((tmp_path / "params.yaml").read_text()), name=command)

    assert f"profile={params.profile}" in overrides
    if "columns" in command:
        assert (params.benchmark.columns.question_id, params.benchmark.columns.question) == ("id", "question")


def anchors(page):
    """What a page's headings are called in a link."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def test_a_link_leads_to_a_file_and_a_heading_that_are_there():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    broken = []
    for page in map(ROOT.joinpath, listed.stdout.splitlines()):
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            name, _, heading = link.partition("#")
            target = page.parent / name if name else page
            if "://" in link or (target.exists() and (not heading or heading in anchors(target))):
                continue
            broken.append(f"{page.relative_to(ROOT)}: {link}")
    assert broken == []
