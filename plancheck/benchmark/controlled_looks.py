"""The looks of the six domains: how statements and filler are worded and dressed."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from plancheck.benchmark.controlled_cast import Cast, Fact
from plancheck.benchmark.controlled_lexicon import Flavour

Dress = Callable[[random.Random, Flavour], tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Layout:
    """One domain's look.

    Attributes:
        share: of the domain in the benchmark, in LongBench-v2's questions.
        facts: share of filler lines that state background facts.
        lines: statements and filler lines in a section.
        state: a fact as text.
        section: opening of section ``number`` (from 1).
        dress: what stands before and after a line's text; ``{number}`` becomes the line's number.
        filler: a line that states no fact.
    """

    share: int
    sub_domain: str
    world: Literal["town", "code"]
    facts: float
    lines: int
    state: Callable[[random.Random, Fact], str]
    section: Callable[[random.Random, Flavour, int], str]
    dress: Dress
    filler: Callable[[Cast, Flavour], str]


# --- statements -------------------------------------------------------------------------------------------------


def sentence(rng: random.Random, fact: Fact) -> str:
    wording = rng.choice(fact.relation.gap if fact.gap else fact.relation.plain)
    text = wording.format(e=fact.entity.gap if fact.gap else fact.entity.plain, v=fact.value)
    return text[0].upper() + text[1:]


def example(rng: random.Random, fact: Fact) -> str:
    label = fact.relation.gap_label if fact.gap else fact.relation.label
    return f"Input: {fact.entity.gap if fact.gap else fact.entity.plain}, {label}. Output: {fact.value}."


def row(rng: random.Random, fact: Fact) -> str:
    label = fact.relation.gap_label if fact.gap else fact.relation.label
    name = fact.entity.gap if fact.gap else fact.entity.plain
    return f"| {name.removeprefix('the ')} | {label} | {fact.value} |"


def sentence_or_example(rng: random.Random, fact: Fact) -> str:
    return rng.choice((sentence, example))(rng, fact)


# --- filler -----------------------------------------------------------------------------------------------------


def scene(cast: Cast, flavour: Flavour) -> str:
    rng = cast.rng
    if rng.random() < 0.15:
        return rng.choice(flavour.asides)
    return (
        f"{rng.choice(flavour.times)}, {cast.person().plain} {rng.choice(flavour.acts)}{rng.choice(flavour.endings)}."
    )


def chatter(cast: Cast, flavour: Flavour) -> str:
    return cast.rng.choice(flavour.chatter) if cast.rng.random() < 0.3 else scene(cast, flavour)


def guidance(cast: Cast, flavour: Flavour) -> str:
    return cast.rng.choice(flavour.guidance) if cast.rng.random() < 0.4 else scene(cast, flavour)


def code_comment(cast: Cast, flavour: Flavour) -> str:
    rng = cast.rng
    return (
        f"{rng.choice(flavour.verbs).capitalize()} the {rng.choice(flavour.objects)} before the "
        f"{rng.choice(flavour.objects)}, at most {rng.randrange(2, 99)} at a time."
    )


# --- dress and sections -----------------------------------------------------------------------------------------


def prose(rng: random.Random, flavour: Flavour) -> tuple[str, str]:
    return "", rng.choice((" ", " ", " ", "\n\n"))


def speech(rng: random.Random, flavour: Flavour) -> tuple[str, str]:
    opener = rng.choice(flavour.openers)
    return f"{rng.choice(('Mina', 'Jonas', 'Petra', 'Ravi'))}: {opener}{' ' if opener else ''}", "\n"


def card(rng: random.Random, flavour: Flavour) -> tuple[str, str]:
    return "Card {number}. ", "\n"


def remark(rng: random.Random, flavour: Flavour) -> tuple[str, str]:
    return "", f" {rng.choice(flavour.remarks)} |\n"


def source(rng: random.Random, flavour: Flavour) -> tuple[str, str]:
    """Around a line of text: a comment over a constant, or a function's docstring."""
    verb, noun, other = rng.choice(flavour.verbs), rng.choice(flavour.objects), rng.choice(flavour.objects)
    size = rng.randrange(2, 500)
    if rng.random() < 0.5:
        return "# ", f"\n{verb.upper()}_{noun.upper()}_LIMIT = {size}\n\n"
    body = rng.choice(
        (
            f"return {noun}[:limit]",
            f"for item in {noun}:\n        item.{verb}({other}=limit)\n    return {noun}",
            f"return [item for item in {noun} if len(item) < limit]",
            f"{other} = sorted({noun})\n    return {other}[-limit:]",
        )
    )
    return f'def {verb}_{noun}({noun}, limit={size}):\n    """', f'"""\n    {body}\n\n\n'


def chapter(rng: random.Random, flavour: Flavour, number: int) -> str:
    break_before = "\n\n" if number > 1 else ""
    return f"{break_before}Chapter {number}: {rng.choice(flavour.topics)}\n\n"


def document(rng: random.Random, flavour: Flavour, number: int) -> str:
    break_before = "\n\n" if number > 1 else ""
    return f"{break_before}=== Document {number}: {rng.choice(flavour.papers)}, {rng.choice(flavour.topics)} ===\n\n"


def deck(rng: random.Random, flavour: Flavour, number: int) -> str:
    return f"Deck {number}: {rng.choice(flavour.guidance)}\n"


def session(rng: random.Random, flavour: Flavour, number: int) -> str:
    return f"[Session {number}, {rng.randrange(8, 20):02d}:{rng.randrange(60):02d}]\n"


def table(rng: random.Random, flavour: Flavour, number: int) -> str:
    return f"Table {number}: {rng.choice(flavour.papers)}\n| name | property | value | remark |\n"


def file(rng: random.Random, flavour: Flavour, number: int) -> str:
    name = f"{rng.choice(flavour.verbs)}_{rng.choice(flavour.objects)}_{number}.py"
    return f"# file: src/{rng.choice(flavour.folders)}/{name}\n\n"


LAYOUTS: Final[Mapping[str, Layout]] = {
    "Single-Document QA": Layout(175, "Chronicle", "town", 0.3, 40, sentence, chapter, prose, scene),
    "Multi-Document QA": Layout(125, "Newspapers", "town", 0.3, 16, sentence, document, prose, scene),
    "Long In-context Learning": Layout(81, "Cards", "town", 0.6, 60, sentence_or_example, deck, card, guidance),
    "Code Repository Understanding": Layout(50, "Python code", "code", 0.4, 10, sentence, file, source, code_comment),
    "Long-dialogue History Understanding": Layout(39, "Chat log", "town", 0.35, 30, sentence, session, speech, chatter),
    "Long Structured Data Understanding": Layout(33, "Register", "town", 1.0, 40, row, table, remark, scene),
}
