"""Sections benchmark and split: the questions and who sees them."""

from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, PositiveInt, field_validator, model_validator

from plancheck.params.formats import FORMATS, AnswerIndex, Columns, Format
from plancheck.params.leakage import Leakage
from plancheck.params.section import FilePath, Section, Seed, Share
from plancheck.records import FEWEST_CHOICES, MOST_CHOICES, SPLITS

OWN_SPLIT: Final = Path("plancheck/splits.py")


class Controlled(Section):
    """Knobs of the generated benchmark. Shares are of questions."""

    questions: PositiveInt
    context_chars: Annotated[int, Field(ge=2_000)]
    lexical_gap: Share = Field(description="evidence stated in words that BM25 does not find")
    two_hops: Share = Field(description="evidence lies in two places")
    near_misses: Annotated[int, Field(ge=0)] = Field(description="distractor facts a question that look like evidence")
    shared_contexts: Share = Field(description="questions that share their context with another question")
    choices: Annotated[int, Field(ge=FEWEST_CHOICES, le=MOST_CHOICES)] = Field(4, description="choices of a question")


class BenchmarkParams(Section):
    """``path`` is what the questions are made of and what DVC watches: the lexicon, a data file, or a hub pin.

    ``format`` names the form of the file. ``columns`` are its names where the file has others, and ``answer_index`` is
    the index of the first choice where answers are numbers; null takes the format's.
    """

    source: Literal["controlled", "file"]
    format: Format = "longbench_v2"
    path: FilePath
    limit: PositiveInt | None = None
    seed: Seed
    answer_index: AnswerIndex | None = None
    columns: Columns
    controlled: Controlled

    @model_validator(mode="before")
    @classmethod
    def by_format(cls, values: Any) -> Any:
        """The format's columns and index under those that are given."""
        if not isinstance(values, dict) or values.get("format", "longbench_v2") not in FORMATS:
            return values
        preset = FORMATS[values.get("format", "longbench_v2")]
        given, index = values.get("columns") or {}, values.get("answer_index")
        columns = given if not isinstance(given, dict) else preset.columns.model_dump() | given
        return values | {"columns": columns, "answer_index": preset.answer_index if index is None else index}


class Split(Section):
    """``path`` is what decides the split and what DVC watches: our code, or a file or folder of listed IDs.

    Seed and sizes must always be there and valid; our code alone reads them. Sizes are either all counts, which sum to
    the number of questions, or all shares, which sum to 1.
    """

    path: FilePath
    seed: Seed
    group_by: Literal["none", "context"]
    sizes: dict[str, Annotated[int, Field(gt=0)] | Annotated[float, Field(gt=0, lt=1)]]
    leakage: Leakage = Field(default_factory=Leakage, description="when texts of two splits count as alike")

    @property
    def listed(self) -> bool:
        """Whether the IDs are those that ``path`` lists."""
        return self.path != OWN_SPLIT

    @field_validator("path")
    @classmethod
    def named(cls, path: Path) -> Path:
        if path == Path():
            raise ValueError(f"must name a file or folder of listed IDs, or {OWN_SPLIT.as_posix()}")
        return path

    @model_validator(mode="after")
    def complete(self) -> Self:
        if set(self.sizes) != set(SPLITS):
            raise ValueError(f"sizes must name exactly {', '.join(SPLITS)}")
        counts = [isinstance(size, int) for size in self.sizes.values()]
        if any(counts) and not all(counts):
            raise ValueError("sizes must be all whole numbers or all shares below 1")
        if not any(counts) and abs(sum(self.sizes.values()) - 1) > 1e-9:
            raise ValueError(f"shares must sum to 1, they sum to {sum(self.sizes.values()):g}")
        return self
