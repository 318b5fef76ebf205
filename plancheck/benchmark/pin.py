"""A data file on the Hugging Face hub, pinned to a commit and a digest by a small ``*.hub.json`` file."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from plancheck.params.models import Revision, Sha256
from plancheck.params.section import Section
from plancheck.plumbing.errors import StudyError, all_problems

SUFFIX = ".hub.json"


class HubPin(Section):
    """``file`` is its path in the dataset repository ``repo`` at the commit ``revision``."""

    repo: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")]
    revision: Revision
    file: Annotated[str, Field(pattern=r"^\w[\w .-]*(/\w[\w .-]*)*$")]
    sha256: Sha256


def is_pin(path: Path) -> bool:
    return path.name.endswith(SUFFIX)


def read_pin(path: Path) -> HubPin:
    """The pin in ``path``.

    Raises:
        StudyError: the file is missing or not JSON, or breaks a pin's rules; all of them are listed.
    """
    try:
        return HubPin.model_validate_json(path.read_bytes())
    except OSError as error:
        raise StudyError(f"{path}: cannot be read ({error.strerror}). Mend benchmark.path.") from error
    except ValidationError as error:
        raise all_problems(
            f"{path}: not a pin of a file on the hub:",
            [
                f"{'.'.join(map(str, item['loc'])) or 'file'}: {item['msg'].removeprefix('Value error, ')}"
                for item in error.errors(include_url=False)
            ],
            remedy="A pin is a JSON object with repo, revision, file and sha256, as in conf/longbench_v2.hub.json.",
        ) from error
