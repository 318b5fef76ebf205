"""The README's commands: every override that it shows composes into valid parameters."""

import itertools
import re
import shlex
from pathlib import Path

import pytest
import yaml
from dvc.utils.hydra import compose_and_dump

from plancheck.params.study import parse_params

ROOT = Path(__file__).parents[1]
COMMANDS = re.findall(r"^dvc exp run .+$", (ROOT / "README.md").read_text(), re.MULTILINE)


def test_the_readme_shows_such_commands():
    assert len(COMMANDS) >= 4


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme_composes(command, tmp_path):
    words = shlex.split(command)
    overrides = [value for flag, value in itertools.pairwise(words) if flag == "-S"]
    conf = str(ROOT / "conf")
    compose_and_dump(tmp_path / "params.yaml", conf, None, "config", conf, overrides)

    params = parse_params(yaml.safe_load((tmp_path / "params.yaml").read_text()), name=command)

    assert f"profile={params.profile}" in overrides
    if "columns" in command:
        assert (params.benchmark.columns.question_id, params.benchmark.columns.question) == ("id", "question")
