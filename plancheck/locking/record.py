"""run.lock.json: what was written down before a run, read and written."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.files import replacing
from plancheck.plumbing.strict_json import json_value
from plancheck.visible import in_a_line

LOCK: Final = Path("run.lock.json")
FORMAT: Final = "%Y-%m-%dT%H:%M:%SZ"
REMEDY: Final = f"Check it out again (`git checkout {LOCK}`), or write another with `plancheck lock --force`."


def moment(text: str) -> datetime:
    """The time that a lock or a report of answers names, in UTC.

    Raises:
        ValueError: the text is no such time.
    """
    return datetime.strptime(text, FORMAT).replace(tzinfo=UTC)


def written(seconds: float) -> str:
    """Seconds since 1970 as a time in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime(FORMAT)


def valid(text: str) -> str:
    moment(text)
    return text


Time = Annotated[str, AfterValidator(valid)]
Section = dict[str, Any]


class Lock(BaseModel):
    """What a lock says. Sections are those of `plancheck.locking.state`; null where a stage was yet to make them."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    format: Literal[1] = 1
    written: Time = Field(description="when, by the clock of the machine")
    completed: dict[str, Time] = Field(default_factory=dict, description="when a section that was null became known")
    git: Section = Field(description="commit, clean, changed; not compared: to commit the lock makes another commit")
    declaration: Section
    parameters: Section
    prompts: Section
    files: Section
    code: Section
    packages: Section
    machine: Section
    switches: Section
    models: Section | None
    dataset: Section | None
    split: Section | None

    @property
    def state(self) -> dict[str, Any]:
        """The sections that a run holds fast."""
        return {name: getattr(self, name) for name in SECTIONS}


BESIDES: Final = ("format", "written", "completed", "git", "declaration")
SECTIONS: Final = tuple(name for name in Lock.model_fields if name not in BESIDES)


def read_lock(path: Path = LOCK) -> Lock | None:
    """The lock of the study; None where there is none, or an empty one (``{}``, as the project comes).

    Raises:
        StudyError: the file is none of this.
    """
    if not path.exists():
        return None
    if not path.is_file():  # a pipe would never end
        raise StudyError(f"{path}: is no plain file. {REMEDY}")
    try:
        value = json_value(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StudyError(f"{path}: not readable as JSON ({in_a_line(str(error))}). {REMEDY}") from error
    if value == {}:
        return None
    if not isinstance(value, Mapping):
        raise StudyError(f"{path}: holds no mapping. {REMEDY}")
    try:
        return Lock.model_validate(value)
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors(include_url=False)]
        told = list(map(in_a_line, problems))
        raise all_problems(f"{path}: is no lock of this version:", told, remedy=REMEDY) from error


def write_lock(lock: Lock, path: Path = LOCK) -> None:
    """In the order of the fields, so that a reader meets what is declared first."""
    with replacing(path) as temporary:
        text = json.dumps(lock.model_dump(mode="json"), indent=2, ensure_ascii=False)
        temporary.write_text(text + "\n", encoding="utf-8")
