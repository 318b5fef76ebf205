import errno
import os

import pytest

from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.shortage import disk_full, shortage_told

FULL = "No space left on device"


def caused(error, cause):
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, FULL, "models/x"),
        OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)),
        RuntimeError(f"Error while serializing: I/O error: {FULL} (os error 28)"),
        RuntimeError(
            "[enforce fail at inline_container.cc:664] . PytorchStreamWriter failed writing file data/5: file"
        ),
        RuntimeError("database or disk is full"),
        caused(ValueError("the shard failed"), OSError(errno.ENOSPC, FULL)),
    ],
    ids=lambda error: str(error)[:40],
)
def test_a_full_disk_is_recognised_whoever_says_it(error):
    assert "The disk is full" in str(disk_full(error))


@pytest.mark.parametrize("error", [OSError(errno.EACCES, "Permission denied"), ValueError("full"), KeyError(28)])
def test_other_errors_are_no_full_disk(error):
    assert disk_full(error) is None


def test_a_lack_of_memory_is_told_in_place_of_the_error_with_what_is_held():
    def need_too_much():
        return bytes(2**62)

    told = r"too little memory: more than the [\d,]+ MiB .* benchmark\.limit"
    with pytest.raises(StudyError, match=told), shortage_told():
        need_too_much()
    with pytest.raises(StudyError, match="too little memory"), shortage_told():
        raise caused(RuntimeError("a task failed"), MemoryError())


def test_only_a_full_disk_is_told_in_place_of_the_error():
    with pytest.raises(StudyError, match="The disk is full"), shortage_told():
        raise RuntimeError(FULL)
    told = StudyError(f"data/x: cannot be written ({FULL}).")
    for error in (told, ValueError("another")):
        with pytest.raises(type(error)) as raised, shortage_told():
            raise error
        assert raised.value is error
