"""The words of the controlled benchmark, and the rules that keep its questions fair."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.strict_yaml import yaml_value

# Words that say nothing about a subject: sharing one does not close a lexical gap.
# fmt: off
FUNCTION_WORDS = frozenset({
    "a", "an", "and", "are", "around", "as", "at", "by", "do", "does", "each", "every", "for", "from", "get", "gets",
    "had", "has", "have", "holds", "in", "into", "is", "it", "its", "made", "of", "off", "on", "one", "or", "out",
    "over", "that", "the", "their", "they", "to", "up", "was", "were", "what", "when", "which", "who", "will",
    "with",
})
# fmt: on
MOST_SHARING = 3  # questions that share one context

Text = Annotated[str, Field(min_length=1)]
Some = Annotated[list[Text], Field(min_length=1)]
Pair = tuple[Text, Text]


class Words(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Wording(Words):
    """Ways to state a relation of ``{e}`` to ``{v}``: in the question's words, and in none of them."""

    plain: Some
    gap: Some
    label: Text
    gap_label: Text

    @model_validator(mode="after")
    def stated_once(self) -> Self:
        for sentence in [*self.plain, *self.gap]:
            if sentence.count("{e}") != 1 or sentence.count("{v}") != 1:
                raise ValueError(f"{sentence!r} must hold {{e}} once and {{v}} once")
        return self


class Role(Wording):
    """A relation of a thing to a person; ``subject`` names that person without a name."""

    subject: Text


class Attribute(Wording):
    """A relation of a thing or a person to a value of a kind; the question about it, and ``answer`` with a choice."""

    kind: Text
    question: Text
    answer: Text

    @model_validator(mode="after")
    def asks_and_answers(self) -> Self:
        if self.question.count("{e}") != 1 or self.answer.count("{v}") != 1 or "{e}" in self.answer:
            raise ValueError(f"{self.question!r} must hold {{e}} once and {self.answer!r} {{v}} once")
        return self

    @model_validator(mode="after")
    def gap_shares_no_word(self) -> Self:
        asked = content_words(self.question) | content_words(self.answer)
        for sentence in [*self.gap, self.gap_label]:
            if shared := sorted(asked & content_words(sentence)):
                raise ValueError(f"gap wording {sentence!r} shares {', '.join(shared)} with {self.question!r}")
        for sentence in [*self.plain, *self.gap]:
            if sentence.startswith("{v}"):
                raise ValueError(f"{sentence!r} must not begin with {{v}}: capitals would change the value")
        return self


class World(Words):
    """What a context is about. A pair is one word and its synonym; a thing is a modifier and a noun."""

    modifiers: Annotated[list[Pair], Field(min_length=10)]
    nouns: Annotated[list[Pair], Field(min_length=10)]
    roles: Annotated[list[Role], Field(min_length=1)]
    things: list[Attribute]
    people: list[Attribute]

    @model_validator(mode="after")
    def words_are_distinct(self) -> Self:
        words = Counter(word for pair in [*self.modifiers, *self.nouns] for word in pair)
        if doubled := sorted(word for word, count in words.items() if count > 1):
            raise ValueError(f"modifiers and nouns hold {', '.join(doubled)} more than once")
        return self

    @model_validator(mode="after")
    def kinds_recur(self) -> Self:
        kinds = Counter(attribute.kind for attribute in [*self.things, *self.people])
        if alone := sorted(kind for kind, count in kinds.items() if count < 2):
            raise ValueError(f"only one attribute is of kind {', '.join(alone)}: wrong choices need another relation")
        for name, attributes in (("things", self.things), ("people", self.people)):
            if len({attribute.kind for attribute in attributes}) < MOST_SHARING:
                raise ValueError(f"{name} need attributes of {MOST_SHARING} kinds: questions of one context differ")
        return self


class Names(Words):
    first: Annotated[list[Text], Field(min_length=10)]
    last: Annotated[list[Text], Field(min_length=10)]


class Flavour(Words):
    """The words of filler and layout. ``endings`` and ``openers`` may hold empty texts."""

    times: Some
    acts: Some
    endings: Annotated[list[str], Field(min_length=1)]
    asides: Some
    papers: Some
    topics: Some
    openers: Annotated[list[str], Field(min_length=1)]
    chatter: Some
    guidance: Some
    remarks: Some
    verbs: Some
    objects: Some
    folders: Some


class Lexicon(Words):
    kinds: dict[Text, Annotated[list[Text], Field(min_length=6)]]
    names: Names
    worlds: dict[Literal["town", "code"], World]
    flavour: Flavour

    @model_validator(mode="after")
    def complete(self) -> Self:
        if set(self.worlds) != {"town", "code"}:
            raise ValueError("worlds must hold town and code")
        used = {attribute.kind for attribute in self.attributes()}
        if unknown := sorted(used - set(self.kinds)):
            raise ValueError(f"kinds lacks {', '.join(unknown)}")
        for kind, values in self.kinds.items():
            if len(set(values)) != len(values):
                raise ValueError(f"kinds.{kind} holds a value twice")
        return self

    def attributes(self) -> Iterator[Attribute]:
        for world in self.worlds.values():
            yield from world.things
            yield from world.people


def read_lexicon(path: Path) -> Lexicon:
    """The lexicon in ``path`` (YAML), every rule checked.

    Raises:
        StudyError: the file is missing, not UTF-8 YAML, or breaks rules; all of them are listed.
    """
    try:
        loaded = yaml_value(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise StudyError(f"{path}: no such file. Set benchmark.path to a lexicon, or restore it with git.") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise StudyError(f"{path}: not readable as YAML ({error}). Mend it or restore it with git.") from error
    try:
        return Lexicon.model_validate(loaded)
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, item['loc'])) or 'the file'}: {item['msg'].removeprefix('Value error, ')}"
            for item in error.errors(include_url=False)
        ]
        heading = f"{path}: {len(problems)} entries of the lexicon break a rule:"
        raise all_problems(heading, problems, remedy="Mend them, or restore the file with git.") from error


def content_words(text: str) -> set[str]:
    """Lower-case words of ``text`` that carry meaning, places for entity and value left out."""
    words: Iterable[str] = re.findall(r"[a-z0-9]+", re.sub(r"\{[ev]\}", " ", text).lower())
    return set(words) - FUNCTION_WORDS
