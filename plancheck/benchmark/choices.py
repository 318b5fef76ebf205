"""The choices of a question, as a file writes them: a field each, a list, or a mapping from label to text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from plancheck.benchmark.values import kind
from plancheck.params.formats import Columns
from plancheck.records import FEWEST_CHOICES, LETTERS, MOST_CHOICES

# How a mapping may label the first choices.
SERIES: Final = (
    LETTERS,
    tuple(letter.lower() for letter in LETTERS),
    tuple(str(number) for number in range(MOST_CHOICES)),
    tuple(str(number) for number in range(1, MOST_CHOICES + 1)),
)
# A mapping of two lists, as ARC and CommonsenseQA have it.
PARALLEL: Final = ("label", "text")


@dataclass(frozen=True, slots=True)
class Choices:
    """Texts of a question's choices in order, as they are in the file; labels are empty where it has none."""

    texts: tuple[Any, ...]
    labels: tuple[str, ...] = ()


def read_choices(record: Mapping[str, Any], columns: Columns) -> Choices | str | None:
    """The choices of a record; the rule that they break, with its field; None where there are none.

    ``record`` has the fields that are there: neither null nor NaN. What the texts are is not judged.
    """
    if not isinstance(columns.choices, str):
        return from_fields(record, columns.choices)
    value = record.get(columns.choices)
    if value is None:
        return None
    found = from_list(value) if isinstance(value, list) else from_mapping(value)
    return f"{columns.choices} {found}" if isinstance(found, str) else found


def from_fields(record: Mapping[str, Any], names: Sequence[str]) -> Choices | str | None:
    """The first of the fields, without a gap."""
    present = [place for place, name in enumerate(names) if name in record]
    if not present:
        return None
    count = max(FEWEST_CHOICES, present[-1] + 1)
    if lacking := [name for name in names[:count] if name not in record]:
        return f"has no {', '.join(lacking)}"
    return Choices(tuple(record[name] for name in names[:count]), LETTERS[:count])


def from_list(value: Sequence[Any]) -> Choices | str:
    if not FEWEST_CHOICES <= len(value) <= MOST_CHOICES:
        return f"must hold {FEWEST_CHOICES} to {MOST_CHOICES} choices, but holds {len(value)}"
    return Choices(tuple(value))


def from_mapping(value: Any) -> Choices | str:
    """By their labels, whatever their order: A, B, ... or a, b, ... or numbers from 0 or 1, without a gap."""
    if not isinstance(value, dict):
        return f"must be a list of texts or a mapping from letters to texts, got {kind(value)}"
    pairs = [(str(label), text) for label, text in value.items()]
    if set(value) == set(PARALLEL):
        labels, texts = (value[name] for name in PARALLEL)
        if not (isinstance(labels, list) and isinstance(texts, list) and len(labels) == len(texts)):
            return "must have as many labels as texts"
        pairs = list(zip(map(str, labels), texts, strict=True))
    pairs = [(label, text) for label, text in pairs if text is not None]  # Parquet gives each row all the file's labels
    counted = from_list([text for _, text in pairs])
    if isinstance(counted, str):
        return counted
    named = [label for label, _ in pairs]
    labels = next((series[: len(pairs)] for series in SERIES if set(series[: len(pairs)]) == set(named)), None)
    if labels is None or len(set(named)) < len(named):
        return f"must have the labels {', '.join(LETTERS[: len(pairs)])}, each once, got {', '.join(named)}"
    texts = dict(pairs)
    return Choices(tuple(texts[label] for label in labels), tuple(labels))
