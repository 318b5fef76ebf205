"""Questions as a page of their own: one HTML file with nothing from elsewhere, every text of others escaped."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from plancheck.inspection.cases import Arm, Case
from plancheck.inspection.passages import Message, Run, shortened
from plancheck.inspection.scoring import outcome
from plancheck.inspection.wins import Win
from plancheck.packing import uncovered
from plancheck.records import LETTERS, Piece
from plancheck.visible import in_a_line, visible

HERE: Final = Path(__file__).parent
LONGEST: Final = 200_000  # characters of a message that a page holds whole
AROUND: Final = 2_000  # characters kept at each end of a run of a longer one
WIDTH: Final = 1_000  # of the strip, in its own units
LEAST: Final = 3  # of a piece in it, so that one in a very long context is seen


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of the strip, in its units; ``what`` names it to who points at it."""

    x: float
    width: float
    kind: str
    label: str
    what: str


def page(cases: Iterator[Case], *, title: str, missing: Sequence[str], wins: Sequence[Win] = ()) -> Iterator[str]:
    """The page in parts, in order. ``cases`` are taken, and held, one at a time.

    Args:
        cases: in order.
        title: of the page.
        missing: what is not made yet.
        wins: what the cases are of, where they are.
    """
    # A template that asks for what it is not given is a fault; an unescaped value would be one too.
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"visible": visible, "in_a_line": in_a_line}
    environment.globals |= {
        "outcome": outcome, "bars": bars, "evidence_bars": evidence_bars, "shown_runs": shown_runs, "weights": weights,
        "WIDTH": WIDTH,
    }  # fmt: skip
    yield environment.get_template("head.html").render(title=title, missing=missing, wins=wins)
    template = environment.get_template("question.html")
    for number, case in enumerate(cases, start=1):
        yield template.render(case=case, question=case.question, number=number)
    yield "</main>\n</body>\n</html>"


def bars(case: Case, arm: Arm) -> list[Bar]:
    """The pieces of a condition in the strip, the first shown on top."""
    return [
        bar(row.piece.start, row.piece.end, case, row.source or "fill", str(row.number), told(row.number, row.piece))
        for row in reversed(arm.pieces)
    ]


def told(number: int, piece: Piece) -> str:
    return f"piece {number}: {in_a_line(piece.atom_id)}, characters {piece.start:,} to {piece.end:,}"


def evidence_bars(case: Case, arm: Arm) -> list[Bar]:
    shown = arm.condition.shown
    pieces = shown.pieces if shown else ()
    found = []
    for span in case.question.evidence or ():
        missed = bool(uncovered(span, pieces))
        told = f"evidence, characters {span.start:,} to {span.end:,}: {'not ' if missed else ''}shown whole"
        found.append(bar(span.start, span.end, case, "missed" if missed else "seen", "", told))
    return found


def bar(start: int, end: int, case: Case, kind: str, label: str, what: str) -> Bar:
    scale = WIDTH / max(1, case.context_chars)
    width = max(LEAST, (end - start) * scale)
    return Bar(round(min(start * scale, WIDTH - width), 2), round(width, 2), kind, label if width > 14 else "", what)


def shown_runs(message: Message) -> Sequence[Run]:
    """A message's runs; of a very long one the beginnings and ends."""
    if sum(len(run.text) for run in message.runs) <= LONGEST:
        return message.runs
    return shortened(message.runs, around=AROUND)


def weights(case: Case, arm: Arm) -> list[Mapping[str, Any]]:
    """Letter, choice and probability of each choice, with what the model chose and what is gold."""
    answer = arm.condition.answer
    probs = (answer.probs if answer else None) or ()
    return [
        {
            "letter": letter,
            "prob": probs[number] if number < len(probs) else None,
            "gold": letter == case.question.answer,
            "chosen": answer is not None and letter == answer.letter,
        }
        for number, letter in enumerate(LETTERS[: len(case.question.choices)])
    ]
