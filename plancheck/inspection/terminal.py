"""A question on the terminal. Every text of others passes `visible`, and none is read as rich's markup."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from plancheck.inspection.cases import Arm, Case
from plancheck.inspection.conditions import Condition
from plancheck.inspection.passages import Message, Run, shortened
from plancheck.inspection.scoring import outcome
from plancheck.inspection.strip import BEYOND, SEEN, UNSEEN, evidence_line, shown_line
from plancheck.inspection.wins import Win
from plancheck.plumbing.errors import SHOWN_PROBLEMS
from plancheck.records import LETTERS, Piece, Span
from plancheck.visible import in_a_line, visible

AROUND: Final = 160  # characters kept at each end of a long run of text
STRIP: Final = 100  # most cells
NARROWEST: Final = 20  # cells, however narrow the terminal
OPEN, CLOSE = "[[", "]]"  # around evidence, for a terminal without colours, too


def show(parts: Iterable[RenderableType]) -> None:
    """Print to standard output, as wide as the terminal, or 120 where it is none."""
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=False)
    if not console.is_terminal:
        console.width = 120
    for part in parts:
        if isinstance(part, str):  # prompts may have millions of characters, which rich takes minutes to wrap
            print(part)
        else:
            console.print(part)


def question_parts(case: Case, *, full: bool) -> list[RenderableType]:
    """The question, then its conditions: those in full, or the overview where there are none.

    ``full``: with the whole of every prompt, else long runs of text are shortened.
    """
    parts: list[RenderableType] = [heading(case), asked_for(case)]
    if not case.arms:
        return [*parts, overview(case)]
    for arm in case.arms:
        parts += [Text(), *arm_parts(case, arm, full=full)]
    return parts


def line(*parts: str | tuple[str, str], limit: int = 2_000) -> Text:
    """A line of parts, plain or with a style; longer parts are cut, and it says so."""
    made = []
    for part in parts:
        text, style = part if isinstance(part, tuple) else (part, "")
        rest = len(text) - limit
        made.append((visible(text if rest <= 0 else f"{text[:limit]} [{rest:,} more characters]"), style))
    return Text.assemble(*made)


def heading(case: Case) -> RenderableType:
    return Rule(Text(in_a_line(case.question.question_id), style="bold"), align="left", characters="-")


def asked_for(case: Case) -> RenderableType:
    question = case.question
    about = [question.domain, question.sub_domain, question.difficulty, question.length, case.split]
    parts: list[RenderableType] = [
        line(" / ".join(in_a_line(word) for word in about if word)),
        line(f"context {question.context_id[:16]}, {case.context_chars:,} characters; {evidence_told(case)}"),
        Text(),
        line((question.question, "bold")),
    ]
    for letter, choice in zip(question.letters, question.choices, strict=True):
        gold = letter == question.answer
        parts.append(line((f"  {letter}. {choice}{'   <- gold' if gold else ''}", "green" if gold else "")))
    return Group(*parts)


def evidence_told(case: Case) -> str:
    """Where the evidence is, or that the benchmark does not say."""
    spans = case.question.evidence
    if spans is None:
        return "the benchmark does not say what its evidence is"
    places = ", ".join(f"{span.start:,}-{span.end:,}" for span in spans[:SHOWN_PROBLEMS])
    more = f" and {len(spans) - SHOWN_PROBLEMS} more" if len(spans) > SHOWN_PROBLEMS else ""
    return f"evidence at {places}{more}" if spans else "it has no evidence"


def overview(case: Case) -> RenderableType:
    """A row a condition: letter, right or wrong, weight of the gold letter, what was shown."""
    table = Table(box=SIMPLE_HEAD, title_justify="left")
    table.add_column("condition", overflow="fold")
    table.add_column("letter")
    table.add_column("outcome")
    for name in ("p(gold)", "packed chars", "evidence", "pieces"):
        table.add_column(name, justify="right", overflow="fold")
    table.add_column("plan")
    for condition in case.conditions:
        table.add_row(*map(Text, overview_cells(case, condition)), style=style_of(condition))
    return Group(table, Text("One of them in full: --condition POLICY@BUDGET"))


def overview_cells(case: Case, condition: Condition) -> list[str]:
    answer, shown = condition.answer, condition.shown
    gold = LETTERS.index(case.question.answer)
    probs = answer.probs if answer else None
    cells = [in_a_line(condition.name), (answer.letter if answer else None) or "-", outcome(answer)]
    cells.append(f"{probs[gold]:.3f}" if probs and gold < len(probs) else "-")
    if shown is None:
        return [*cells, "-", "-", "-", ""]
    recall = "-" if shown.evidence_recall is None else f"{shown.evidence_recall:.2f}"
    pieces = "text" if shown.text is not None else str(len(shown.pieces))
    return [*cells, f"{shown.chars:,}", recall, pieces, "failed" if shown.plan_failed else ""]


def style_of(condition: Condition) -> str:
    if condition.answer is None:
        return "dim"
    return "green" if condition.answer.correct else "red"


def arm_parts(case: Case, arm: Arm, *, full: bool) -> list[RenderableType]:
    condition = arm.condition
    name = Text.assemble(
        (in_a_line(condition.name), "bold"), ": ", (outcome(condition.answer), style_of(condition))
    )  # fmt: skip
    parts: list[RenderableType] = [Rule(name, align="left", characters="-")]
    parts += [line("why: ", reason) for reason in arm.reasons]
    parts += weights(case, condition)
    if arm.same_text:
        parts.append(line(f"The same text is shown by {', '.join(map(in_a_line, arm.same_text))}."))
    parts += plan_parts(arm)
    if condition.shown is None:
        return parts
    return [*parts, *shown_parts(case, arm), *prompt_parts(arm.messages, full=full)]


def weights(case: Case, condition: Condition) -> list[RenderableType]:
    answer = condition.answer
    if answer is None or answer.probs is None:
        return []
    cells = [
        f"{letter}{'*' if letter == case.question.answer else ''} {weight:.3f}"
        for letter, weight in zip(LETTERS, answer.probs, strict=False)
    ]
    tokens = "" if answer.prompt_tokens is None else f"; the prompt has {answer.prompt_tokens:,} tokens"
    return [line(f"probabilities: {'  '.join(cells)}  (* gold){tokens}")]


def plan_parts(arm: Arm) -> list[RenderableType]:
    if arm.selector is None:
        return []
    if arm.plan is None:
        return [line(f"plan: there is none of selector {in_a_line(arm.selector)}")]
    if arm.plan.failure:
        return [line(f"plan of {in_a_line(arm.selector)}: failed ({arm.plan.failure}); only the fill is shown")]
    named = [f"{in_a_line(piece.atom_id)} ({piece.start:,}-{piece.end:,})" for piece in arm.plan.pieces]
    return [line(f"plan of {in_a_line(arm.selector)}: {', '.join(named)}")]


def shown_parts(case: Case, arm: Arm) -> list[RenderableType]:
    """How much was shown, the strip, and a row a piece."""
    shown = arm.condition.shown
    assert shown is not None
    told = [f"shown: {shown.chars:,} of {arm.condition.budget_chars or 0:,} characters"]
    if shown.evidence_recall is not None:
        told.append(f"evidence recall {shown.evidence_recall:.2f}")
    if shown.cut:
        told.append("an atom was cut at the budget")
    if shown.skipped:
        told.append(f"{shown.skipped} atoms did not fit and were left out")
    parts: list[RenderableType] = [line("; ".join(told))]
    if shown.text is not None:
        return [*parts, line("It is a text of the user's own, so it has no place in the context.")]
    if not shown.pieces:
        return parts
    return [*parts, Strip(shown.pieces, case.question.evidence or (), case.context_chars), piece_table(arm)]


@dataclass(frozen=True, slots=True)
class Strip:
    """A context in one line, no wider than the terminal; below it the evidence, if any, and what a sign stands for."""

    pieces: Sequence[Piece]
    evidence: Sequence[Span]
    chars: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = max(NARROWEST, min(STRIP, options.max_width - len("||")))
        width = min(width, max(1, self.chars))
        yield Text(f"|{shown_line(self.pieces, self.chars, width=width)}|", no_wrap=True)
        if self.evidence:
            marks = evidence_line(self.evidence, self.pieces, self.chars, width=width)
            yield Text(f" {marks}", no_wrap=True, style="bold yellow")
        cell = max(1, round(self.chars / width))
        yield line(
            f" a sign is about {cell:,} characters; 1, 2, a ... place in the prompt, {BEYOND} later; evidence "
            f"{SEEN} shown whole, {UNSEEN} not"
        )


def piece_table(arm: Arm) -> RenderableType:
    table = Table(box=SIMPLE_HEAD)
    table.add_column("piece", justify="right", overflow="fold")
    table.add_column("atom", overflow="fold")
    for name in ("from", "to", "chars"):
        table.add_column(name, justify="right", overflow="fold")
    table.add_column("by", overflow="fold")
    table.add_column("evidence", overflow="fold")
    for row in arm.pieces:
        piece = row.piece
        places = f"{piece.start:,}", f"{piece.end:,}", f"{piece.end - piece.start:,}"
        cells = (str(row.number), in_a_line(piece.atom_id), *places, row.source, row.evidence)
        table.add_row(*map(Text, cells))
    return table


def prompt_parts(messages: Sequence[Message], *, full: bool) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for message in messages:
        parts.append(line(f"prompt, as the {in_a_line(message.role)}; evidence stands in {OPEN}{CLOSE}:"))
        if full:
            parts.append("".join(map(marked, message.runs)))
            continue
        text = Text()
        for run in shortened(message.runs, around=AROUND):
            if run.left_out:
                text.append(f" [... {run.left_out:,} characters, shown by --full ...] ", style="dim")
            elif run.evidence:
                text.append(marked(run), style="bold yellow")
            else:
                text.append(marked(run))
        parts.append(Padding(text, (0, 0, 0, 2)))
    return parts


def marked(run: Run) -> str:
    return f"{OPEN}{visible(run.text)}{CLOSE}" if run.evidence else visible(run.text)


def win_parts(found: Sequence[Win], winner: str, loser: str, splits: Mapping[str, str]) -> list[RenderableType]:
    """The list of wins: a row a question, with its split and what differs."""
    told = f"{len(found)} question(s) that {in_a_line(winner)} answers right and {in_a_line(loser)} does not"
    if not found:
        return [line(f"{told}.")]
    table = Table(box=SIMPLE_HEAD)
    for name in ("question", "split", "letters", "what differs"):
        table.add_column(name, overflow="fold")
    for win in found:
        letters = " / ".join((each.answer.letter if each.answer else None) or "-" for each in (win.winner, win.loser))
        cells = in_a_line(win.question_id), splits.get(win.question_id, ""), letters, in_a_line(win.reason)
        table.add_row(*map(Text, cells))
    return [line(f"{told}, {in_a_line(found[0].winner.name)} against {in_a_line(found[0].loser.name)}:"), table]
