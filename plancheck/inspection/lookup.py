"""Which question is meant: its ID, or the beginning of just one."""

from collections.abc import Sequence
from difflib import get_close_matches

from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.visible import in_a_line


def question_meant(wanted: str, question_ids: Sequence[str]) -> str:
    """The ID that ``wanted`` is, else the only one that begins with it.

    Raises:
        StudyError: none begins so (the nearest are named), or several do.
    """
    if wanted in question_ids:
        return wanted
    begun = [question_id for question_id in question_ids if question_id.startswith(wanted)]
    if len(begun) == 1:
        return begun[0]
    shown = in_a_line(wanted)
    if begun:
        raise all_problems(
            f"{shown}: {len(begun)} questions begin so:", list(map(in_a_line, sorted(begun))), remedy="Give more of it."
        )
    inside = [question_id for question_id in question_ids if wanted and wanted in question_id]
    near = get_close_matches(wanted, question_ids, n=5, cutoff=0.5) or inside or sorted(question_ids)
    names = ", ".join(map(in_a_line, near[:5]))
    raise StudyError(f"{shown}: no question has this ID, of {len(question_ids):,}. The nearest: {names}.")
