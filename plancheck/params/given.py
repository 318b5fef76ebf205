"""Section predictions: finished systems, of which only the answers are known."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from plancheck.params.section import FilePath, Section


class PredictionsFile(Section):
    """A file of a system's answers; fields that are not named are detected as `plancheck compare` does."""

    path: FilePath
    id: str | None = Field(default=None, description="field of the question's ID")
    letter: str | None = Field(default=None, description="field of the letter that was answered")
    score: str | None = Field(default=None, description="field that says whether the answer is right: 0 or 1")
    where: dict[str, str] = Field(default_factory=dict, description="value that a field of the rows used must have")


def prediction_files(predictions: Mapping[str, PredictionsFile]) -> dict[str, Path]:
    return {name: found.path for name, found in predictions.items()}
