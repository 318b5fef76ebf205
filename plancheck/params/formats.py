"""The forms of question files that are known by name: what their fields are called and where indices start."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from plancheck.params.section import Section
from plancheck.records import FEWEST_CHOICES, LETTERS, MOST_CHOICES

Format = Literal["longbench_v2", "quality", "mmlu_like", "custom"]
AnswerIndex = Literal[0, 1]


class Columns(Section):
    """The names of a file's fields, by ours, which are the defaults.

    Null leaves an optional field of the file out. ``choices`` names one field with a list or a mapping, or lists a
    field for each choice, the first two of which every question has. ``questions`` names a field with a list of
    questions that share the other fields of their record.
    """

    question_id: str = "question_id"
    domain: str | None = "domain"
    sub_domain: str | None = "sub_domain"
    difficulty: str | None = "difficulty"
    length: str | None = "length"
    question: str = "question"
    choices: str | Annotated[tuple[str, ...], Field(strict=False)] = "choices"
    answer: str = "answer"
    context: str = "context"
    evidence: str | None = "evidence"
    questions: str | None = None

    @property
    def choice_fields(self) -> tuple[str, ...]:
        """The fields that hold the choices: one with all, or one for each."""
        return (self.choices,) if isinstance(self.choices, str) else self.choices

    @model_validator(mode="after")
    def enough_choices(self) -> Self:
        if not isinstance(self.choices, str) and not FEWEST_CHOICES <= len(self.choices) <= MOST_CHOICES:
            raise ValueError(
                f"choices must be one field, or {FEWEST_CHOICES} to {MOST_CHOICES} of them, got {len(self.choices)}"
            )
        return self


@dataclass(frozen=True, slots=True)
class Preset:
    """Names of fields, and the index of the first choice in answers that are numbers; None where there are none."""

    columns: Columns
    answer_index: AnswerIndex | None = None


FORMATS: Final[Mapping[Format, Preset]] = {
    "longbench_v2": Preset(
        Columns(question_id="_id", choices=tuple(f"choice_{letter}" for letter in LETTERS)),
    ),
    # A record is an article with the questions of one writer; the labels of the test split are not published.
    "quality": Preset(
        Columns(
            question_id="question_unique_id",
            domain="source",
            sub_domain=None,
            difficulty=None,
            length=None,
            choices="options",
            answer="gold_label",
            context="article",
            questions="questions",
        ),
        answer_index=1,
    ),
    # MMLU itself has neither IDs nor contexts: a file in its form needs both.
    "mmlu_like": Preset(Columns(question_id="id", domain="subject"), answer_index=0),
    "custom": Preset(Columns()),
}
