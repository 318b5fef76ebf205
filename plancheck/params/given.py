"""Sections contexts and predictions: what systems of the user's own show, or answer."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from plancheck.params.section import FilePath, Section


class ContextsFile(Section):
    """A file of texts to be shown as they are, such as a compressor's: JSON Lines, see `plancheck.given.contexts`."""

    path: FilePath
    overflow: Literal["refuse", "cut"] = "refuse"


class PredictionsFile(Section):
    """A file of a system's answers; fields that are not named are detected as `plancheck compare` does."""

    path: FilePath
    id: str | None = Field(default=None, description="field of the question's ID")
    letter: str | None = Field(default=None, description="field of the letter that was answered")
    score: str | None = Field(default=None, description="field that says whether the answer is right: 0 or 1")
    where: dict[str, str] = Field(default_factory=dict, description="value that a field of the rows used must have")

    @model_validator(mode="after")
    def one_field_of_answers(self) -> Self:
        if self.letter and self.score:
            raise ValueError("names letter and score: keep the one that says what was answered")
        return self


def files_of(section: Mapping[str, ContextsFile | PredictionsFile]) -> dict[str, Path]:
    """The file of each entry, by name."""
    return {name: found.path for name, found in section.items()}
