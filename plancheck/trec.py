"""Runs in TREC's format: a question, Q0, an atom, its rank, its score and a tag in each line."""

import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from plancheck.plumbing.errors import StudyError, all_problems


@dataclass(frozen=True, slots=True)
class Hit:
    """An atom that a run ranks for a question."""

    docid: str
    rank: int
    score: float


def read_run(path: Path) -> dict[str, list[Hit]]:
    """The hits of each question, in the file's order.

    Raises:
        StudyError: the file is not there or no text, or lines are not of the format; all of them are listed.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"{path}: not readable as UTF-8 text ({error}). Put the run there.") from error
    found: dict[str, list[Hit]] = defaultdict(list)
    problems = []
    for number, line in enumerate(lines, start=1):
        try:
            question_id, _, docid, rank, score, _ = line.split()
            hit = Hit(docid, int(rank), float(score))
        except ValueError:
            problems.append(f"line {number}: not `question Q0 atom rank score tag`")
            continue
        if math.isfinite(hit.score):
            found[question_id].append(hit)
        else:
            problems.append(f"line {number}: the score is no finite number")
    if problems:
        raise all_problems(f"{path}: not a run in TREC's format:", problems, remedy="Mend these lines.")
    return dict(found)
