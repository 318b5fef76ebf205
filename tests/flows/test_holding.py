"""One study a working copy."""

import subprocess
import sys
from pathlib import Path

import pytest

from flows.holding import held, say_who
from plancheck.plumbing.errors import StudyError

HOLDING = "from flows.holding import held; h = held(); h.__enter__(); print('up', flush=True); input()"


def test_a_second_process_is_told_who_holds_the_project_until_that_one_ends(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "up\n"
        with pytest.raises(StudyError, match=rf"Another run holds this project: process {other.pid} \("), held():
            pass
        other.kill()
    with held():
        say_who("run demo-120-questions")
        with held():
            pass
        assert "run demo-120-questions" in Path(".plancheck/study.holder").read_text()


def test_a_folder_that_cannot_be_written_is_the_users_to_mend(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".plancheck").write_text("a file where a folder must be")
    with pytest.raises(StudyError, match=r"study\.lock: cannot be written"), held():
        pass
