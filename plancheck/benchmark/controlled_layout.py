"""A controlled context as text: planted facts among filler, and where its evidence came to lie."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plancheck.benchmark.controlled_cast import Cast, Fact, background
from plancheck.benchmark.controlled_lexicon import Flavour
from plancheck.benchmark.controlled_looks import Layout
from plancheck.records import Span

OPENING_CHARS = 50  # of a section, about: only steers how much filler is drawn


def lay_out(
    planted: Sequence[Fact], cast: Cast, layout: Layout, *, flavour: Flavour, chars: int
) -> tuple[str, Mapping[int, tuple[Span, ...]]]:
    """A context of about ``chars`` characters (more when the planted facts alone are longer), and its evidence.

    Returns:
        The text, and by question index the spans of its evidence in the order of the text.
    """
    lines = _lines(planted, cast, layout, flavour=flavour, chars=chars)
    parts: list[str] = []
    evidence: dict[int, tuple[Span, ...]] = {}
    position = 0
    for number, line in enumerate(lines):
        opening = ""
        if number % layout.lines == 0:
            opening = layout.section(cast.rng, flavour, number // layout.lines + 1)
        before = opening + line.before.replace("{number}", str(number + 1))
        start = position + len(before)
        if line.fact and line.fact.evidence_of is not None:
            spans = evidence.get(line.fact.evidence_of, ())
            evidence[line.fact.evidence_of] = (*spans, Span(start, start + len(line.text)))
        parts.append(before + line.text + line.after)
        position += len(parts[-1])
    return "".join(parts), evidence


@dataclass(frozen=True, slots=True)
class Line:
    place: float
    fact: Fact | None
    before: str
    text: str
    after: str


def _lines(planted: Sequence[Fact], cast: Cast, layout: Layout, *, flavour: Flavour, chars: int) -> list[Line]:
    """The planted facts and as much filler as fits, in order of place."""
    rng, facts = cast.rng, background(cast)
    queue, lines, length = list(planted), [], 0.0
    while queue or length < chars:
        fact: Fact | None
        if queue:
            fact = queue.pop(0)
            place = fact.place
        else:
            fact, place = (next(facts) if rng.random() < layout.facts else None), rng.random()
        text = layout.state(rng, fact) if fact else layout.filler(cast, flavour)
        before, after = layout.dress(rng, flavour)
        lines.append(Line(place, fact, before, text, after))
        length += len(before) + len(text) + len(after) + OPENING_CHARS / layout.lines
    return sorted(lines, key=lambda line: line.place)
