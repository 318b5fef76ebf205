"""Sections atoms, retrieve and rerank: from contexts to ranked atoms."""

import re
from typing import Annotated, Literal, Self

from pydantic import Field, PositiveInt, field_validator, model_validator

from plancheck.params.section import Device, Section, Share

CHARACTER_SET = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
PAST_A_LINE = re.compile(r"(?:(?<!\\)(?:\\\\)*\\[nrf]|\n)(?![*+?{$|)]|\Z)")

Variant = Literal["okapi", "plus", "l", "lucene"]
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
    multi_document: MultiDocument
    other: Window


class Bm25(Section):
    variant: Variant = Field(description="okapi is rank-bm25's usual one; the others have no weight of 0 or below")


class Retrieve(Section):
    pool_size: PositiveInt = Field(description="atoms in the candidate pool of a question")
    bm25: Bm25
    rrf_k: PositiveInt
    mmr_lambda: Share = Field(description="1 is pure relevance, 0 pure novelty")
    dense_coverage: Literal["head", "windows"]
    batch_size: PositiveInt
    device: Device
    dtype: NumberFormat = Field(description="number format of the weights and of the arithmetic")


class Rerank(Section):
    coverage: Literal["head", "windows", "snippet"] = Field(
        description="of a candidate the cross-encoder reads the beginning; or all of it, or all that the "
        "planner is shown of it, in parts of which the best counts"
    )
    batch_size: PositiveInt
    device: Device
    dtype: NumberFormat = Field(description="number format of the weights and of the arithmetic")

    @property
    def in_parts(self) -> bool:
        """Whether it reads all that it is given, in parts, or the beginning."""
        return self.coverage != "head"

    def chars(self, snippet_chars: int | None) -> int | None:
        """Characters of a candidate that the cross-encoder is given, as ``planner.snippet_chars``; None for all."""
        return snippet_chars if self.coverage == "snippet" else None
