"""Sections atoms, retrieve and rerank: how contexts are cut, and what the rankings' models are run with."""

import re
from typing import Annotated, Literal, Self

from pydantic import Field, PositiveInt, field_validator, model_validator

from plancheck.params.section import Device, FilePath, Name, Section
from plancheck.plumbing.errors import doubled

CHARACTER_SET = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
PAST_A_LINE = re.compile(r"(?:(?<!\\)(?:\\\\)*\\[nrf]|\n)(?![*+?{$|)]|\Z)")

NumberFormat = Literal["float32", "bfloat16", "float16"]


class Window(Section):
    window_chars: PositiveInt
    overlap_chars: Annotated[int, Field(ge=0)]

    @model_validator(mode="after")
    def advances(self) -> Self:
        if self.overlap_chars >= self.window_chars:
            raise ValueError(f"overlap_chars ({self.overlap_chars}) must be below window_chars ({self.window_chars})")
        return self


class MultiDocument(Window):
    """Contexts with a question of these domains are cut where a document opens, as a separator says or the text."""

    domains: list[str]
    separators: list[str]

    @field_validator("separators")
    @classmethod
    def compiles(cls, value: list[str]) -> list[str]:
        for pattern in value:
            try:
                compiled = re.compile(pattern)
            except (re.error, OverflowError, RecursionError) as error:
                raise ValueError(f"{pattern!r} is no regular expression ({error})") from error
            if compiled.match("\n"):
                raise ValueError(f"{pattern!r} matches an empty line; a separator must ask for text in its line")
            if PAST_A_LINE.search(CHARACTER_SET.sub("x", pattern)):
                raise ValueError(f"{pattern!r} asks for text after a line's end; a separator sees one line at a time")
        return value


class Atoms(Section):
    path: FilePath | None = Field(default=None, description="spans of a chunker of the user's own; null: windows")
    multi_document: MultiDocument
    other: Window


class Pool(Section):
    """The candidates among which planner and cross-encoders choose: the first of each ranking in turn."""

    rankings: Annotated[list[Name], Field(min_length=1)]
    size: PositiveInt = Field(description="atoms in the candidate pool of a question")

    @field_validator("rankings")
    @classmethod
    def distinct(cls, value: list[str]) -> list[str]:
        if twice := doubled(value):
            raise ValueError(f"{', '.join(map(repr, twice))} comes twice")
        return value


class Retrieve(Section):
    pool: Pool
    batch_size: PositiveInt
    device: Device
    dtype: NumberFormat = Field(description="number format of the weights and of the arithmetic")


class Rerank(Section):
    batch_size: PositiveInt
    device: Device
    dtype: NumberFormat = Field(description="number format of the weights and of the arithmetic")
