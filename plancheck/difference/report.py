"""A difference as text and as JSON. Names and values of anyone's are escaped in the text."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from plancheck.difference.changes import Flip, Group
from plancheck.difference.comparing import ANSWERS, Compared, Difference, first_difference
from plancheck.plumbing.errors import SHOWN_PROBLEMS
from plancheck.visible import in_a_line

SHOWN_CHARS: Final = 100  # of a value, and of a list of names


def as_text(found: Difference) -> str:
    """What differs, the first cause first; of each list the first 20 and a count."""
    lines = [f"A: {found.a}", f"B: {found.b}", "", *first_lines(found), ""]
    for part in found.parts:
        lines += part_lines(part, found.causes.get(part.stage, ()))
    answered = any(part.name in ANSWERS and part.status != "not compared" for part in found.parts)
    return "\n".join([*lines, "", *(flip_lines(found.flips) if answered else ["Answers were not compared."])])


def first_lines(found: Difference) -> Iterator[str]:
    """The first difference in the pipeline's order, and what its stage read that changed."""
    first = first_difference(found)
    if not found.differs:
        yield "Nothing that was compared differs." if found.complete else "Nothing that could be compared differs."
    elif first is None:
        yield "Parameters, code or inputs differ, and nothing that was made of them does."
    else:
        causes = found.causes.get(first.stage, ())
        yield f"First difference: {first.name}, of stage {first.stage}."
        if causes:
            yield from ("That stage reads what changed:", *limited(causes))
        else:
            yield (
                "Nothing is known to have changed that this stage reads: look at the processor, the number format and "
                "the libraries' versions, and at parts that were not compared."
            )
    yield from missing_lines(found.parts)


def missing_lines(parts: Sequence[Compared]) -> Iterator[str]:
    """The parts that could not be compared, those of one reason together."""
    of_reason: dict[tuple[str, ...], list[str]] = {}
    for part in parts:
        if part.status == "not compared":
            of_reason.setdefault(part.notes, []).append(part.name)
    for reason, names in of_reason.items():
        yield f"Not compared: {', '.join(names)}."
        yield from (f"    {in_a_line(note)}" for note in reason)


def part_lines(part: Compared, causes: Sequence[str]) -> Iterator[str]:
    yield f"{part.name:<18}{part.status}{counted(part)}"
    if part.status != "differs":
        return
    yield from (f"    {in_a_line(note)}" for note in part.notes)
    if causes and part.stage:
        yield f"    changed for stage {part.stage}: {shortened(', '.join(causes))}"
    grouped = [f"{name}: {group_told(group)}" for name, group in part.groups.items() if name and changes(group)]
    yield from limited(grouped)
    yield from limited([f"{each.place}: {shortened(each.a)} -> {shortened(each.b)}" for each in part.changes])


def changes(group: Group) -> int:
    return group.differing + group.fine


def counted(part: Compared) -> str:
    if part.status != "differs":
        return ""
    if not part.groups:
        return f": {len(part.changes):,} value(s)"
    whole = total(part)
    questions = f" ({len(whole.questions):,} question(s))" if whole.questions else ""
    return f": {group_told(whole)}{questions}"


def total(part: Compared) -> Group:
    whole = Group()
    for group in part.groups.values():
        whole.rows += group.rows
        whole.differing += group.differing
        whole.fine += group.fine
        whole.only_a += group.only_a
        whole.only_b += group.only_b
        whole.columns += group.columns
        whole.questions |= group.questions
    return whole


def group_told(group: Group) -> str:
    """How many of a group's rows differ, and in what."""
    parts = [f"{group.differing:,} of {group.rows:,} rows"]
    parts += [f"{column} {count:,}" for column, count in group.columns.items()]
    parts += [f"{count:,} only in {run}" for count, run in ((group.only_a, "A"), (group.only_b, "B")) if count]
    if group.fine:
        parts.append(f"in {group.fine:,} more the figures alone")
    return ", ".join(parts)


def flip_lines(flipped: Sequence[Flip]) -> Iterator[str]:
    """Questions whose answer is right in one run alone, with the conditions, the first 20 and a count."""
    questions: dict[str, list[Flip]] = {}
    for flip in flipped:
        questions.setdefault(flip.question_id, []).append(flip)
    if not questions:
        yield "No answer that both runs have flipped between right and wrong."
        return
    gained = sum(flip.right_in == "B" for flip in flipped)
    yield (
        f"Questions that flipped: {len(questions):,}, in {len(flipped):,} answers; {gained:,} are right in B alone, "
        f"{len(flipped) - gained:,} in A alone."
    )
    yield from limited([f"{question_id}: {told(own)}" for question_id, own in questions.items()])


def told(flipped: Sequence[Flip]) -> str:
    parts = []
    for run in ("A", "B"):
        own = [
            f"{flip.condition} ({flip.letter_a or '-'} -> {flip.letter_b or '-'})"
            for flip in flipped
            if flip.right_in == run
        ]
        if own:
            more = f" and {len(own) - 3} more" if len(own) > 3 else ""
            parts.append(f"right in {run} alone: {', '.join(own[:3])}{more}")
    return "; ".join(parts)


def limited(items: Sequence[str]) -> Iterator[str]:
    """The first 20 in lines of their own, and how many more there are."""
    yield from (f"    {in_a_line(item)}" for item in items[:SHOWN_PROBLEMS])
    if len(items) > SHOWN_PROBLEMS:
        yield f"    ... and {len(items) - SHOWN_PROBLEMS:,} more ({len(items):,} in all), shown by --json"


def shortened(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}..."


def as_json(found: Difference) -> dict[str, Any]:
    """The same with nothing left out."""
    first = first_difference(found)
    return {
        "a": found.a,
        "b": found.b,
        "differs": found.differs,
        "complete": found.complete,
        "first_difference": first and {
            "part": first.name, "stage": first.stage, "causes": list(found.causes.get(first.stage, ())),
        },
        "parts": [part_json(part, found.causes.get(part.stage, ())) for part in found.parts],
        "flips": [
            {
                "question_id": flip.question_id, "condition": flip.condition, "letter_a": flip.letter_a,
                "letter_b": flip.letter_b, "right_in": flip.right_in,
            }
            for flip in found.flips
        ],
    }  # fmt: skip


def part_json(part: Compared, causes: Sequence[str]) -> dict[str, Any]:
    return {
        "part": part.name,
        "stage": part.stage or None,
        "status": part.status,
        "notes": list(part.notes),
        "causes": list(causes) if part.status == "differs" else [],
        "groups": {
            name or "all": {
                "rows": group.rows, "differing": group.differing, "figures_alone": group.fine, "only_a": group.only_a,
                "only_b": group.only_b, "columns": dict(group.columns), "questions": sorted(group.questions),
            }
            for name, group in part.groups.items()
        },
        "changes": [{"place": each.place, "a": each.a, "b": each.b} for each in part.changes],
    }  # fmt: skip
