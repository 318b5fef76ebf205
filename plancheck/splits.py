"""Train, dev and test: seeded, stratified by domain, independent of file order and of the process."""

import hashlib
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal

from plancheck.plumbing.errors import StudyError
from plancheck.records import SPLITS, Question


def split_questions(
    questions: Sequence[Question],
    sizes: Mapping[str, int | float],
    *,
    seed: int,
    group_by: Literal["none", "context"],
) -> dict[str, list[str]]:
    """Question IDs of each split, sorted.

    Every domain's questions are shuffled by the SHA-256 of seed and ID and spread evenly over one sequence, which is
    then cut at the sizes asked: totals are exact and each domain's share in a split is within one question of even.
    With ``group_by="context"`` questions whose contexts are the same or nearly so (``context_group``) stay together:
    shared contexts are placed first, largest first, each in the split that lacks the largest share of its size; single
    questions then fill up.

    Args:
        questions: in any order, IDs unique.
        sizes: train, dev and test, all counts (which must sum to the number of questions) or all shares.
        seed: decides every choice.
        group_by: "none" or "context".

    Raises:
        StudyError: the counts do not sum to the number of questions, or a split would be empty.
    """
    counts = split_sizes(sizes, len(questions))
    groups: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        groups[question.context_group if group_by == "context" else question.question_id].append(question)
    shared = [members for members in groups.values() if len(members) > 1]
    single = [members[0] for members in groups.values() if len(members) == 1]

    ids: dict[str, list[str]] = {split: [] for split in SPLITS}
    for members in sorted(shared, key=lambda members: (-len(members), digest(seed, members[0].context_group))):
        split = max(SPLITS, key=lambda name: (counts[name] - len(ids[name])) / counts[name])
        ids[split] += [question.question_id for question in members]
    sequence = [question.question_id for question in interleaved(single, seed=seed)]
    room = open_places({split: counts[split] - len(ids[split]) for split in SPLITS})
    for split in SPLITS:
        ids[split] += sequence[: room[split]]
        sequence = sequence[room[split] :]
    empty = [split for split in SPLITS if not ids[split]]
    if empty:
        raise StudyError(
            f"split: {' and '.join(empty)} would be empty: too few contexts for split.group_by=context with "
            f"split.sizes {dict(counts)}. Use more questions or split.group_by=none."
        )
    return {split: sorted(ids[split]) for split in SPLITS}


def split_sizes(sizes: Mapping[str, int | float], total: int) -> dict[str, int]:
    """Questions in each split: the counts asked, or shares of ``total`` by largest remainder (ties: train first).

    Raises:
        StudyError: counts do not sum to ``total``, or a share leaves a split without a question.
    """
    if all(isinstance(size, int) for size in sizes.values()):
        if sum(sizes.values()) != total:
            raise StudyError(
                f"split.sizes: {' + '.join(str(sizes[split]) for split in SPLITS)} = {sum(sizes.values())}, but the "
                f"benchmark has {total} questions. Set counts that sum to {total}, or shares such as 0.6, 0.1, 0.3."
            )
        return {split: int(sizes[split]) for split in SPLITS}
    counts = {split: math.floor(sizes[split] * total + 1e-9) for split in SPLITS}
    by_remainder = sorted(SPLITS, key=lambda split: -round(sizes[split] * total - counts[split], 9))
    for split in by_remainder[: total - sum(counts.values())]:
        counts[split] += 1
    empty = [split for split in SPLITS if counts[split] == 0]
    if empty:
        raise StudyError(
            f"split.sizes: {' and '.join(empty)} would be empty with {total} questions. Use more questions "
            "(benchmark.limit) or larger shares."
        )
    return counts


def interleaved(questions: Sequence[Question], *, seed: int) -> list[Question]:
    """Questions so ordered that every stretch holds the domains in about their overall proportion."""
    domains: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        domains[question.domain].append(question)
    placed: list[tuple[float, str, Question]] = []
    for members in domains.values():
        shuffled = sorted(members, key=lambda question: digest(seed, question.question_id))
        placed += [
            ((index + 0.5) / len(shuffled), digest(seed, question.question_id), question)
            for index, question in enumerate(shuffled)
        ]
    return [question for _, _, question in sorted(placed, key=lambda item: item[:2])]


def open_places(room: Mapping[str, int]) -> dict[str, int]:
    """Places left in each split; where shared contexts overfilled one, the others give up as many, largest first."""
    left = dict(room)
    while (excess := -min(left.values())) > 0:
        fullest = min(SPLITS, key=lambda split: left[split])
        widest = max(SPLITS, key=lambda split: left[split])
        left[fullest] += excess
        left[widest] -= excess
    return left


def digest(seed: int, name: str) -> str:
    return hashlib.sha256(f"{seed}:{name}".encode()).hexdigest()


def shared_across_splits(
    questions: Sequence[Question], splits: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, list[str]]]:
    """Contexts that lie in more than one split: context group -> split -> its question IDs, all sorted."""
    split_of = {question_id: split for split, ids in splits.items() for question_id in ids}
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for question in questions:
        found[question.context_group][split_of[question.question_id]].append(question.question_id)
    return {
        group: {split: sorted(sides[split]) for split in SPLITS if split in sides}
        for group, sides in sorted(found.items())
        if len(sides) > 1
    }
