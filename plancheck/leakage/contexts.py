"""Contexts that are nearly the same, or of which one holds much of another."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from plancheck.leakage.likeness import Likeness, candidates, likeness, sample
from plancheck.leakage.shingles import Shingles, shingles

Kind = Literal["near", "contained"]
Read = Callable[[Sequence[str]], Iterable[str]]


@dataclass(frozen=True, slots=True)
class ContextPair:
    """Contexts by ID. ``left`` has more shingles, or as many and the lesser ID.

    ``near``: the Jaccard index reaches its threshold; ``contained``: it does not, and ``left`` holds enough of
    ``right``.
    """

    left: str
    right: str
    kind: Kind
    exact: Likeness
    estimate: Likeness


@dataclass(frozen=True, slots=True)
class ContextPairs:
    """What comparing contexts found.

    Attributes:
        pairs: those that reach a threshold, by their IDs.
        compared: pairs whose samples were compared.
        verified: pairs among them that might reach a threshold, of which all shingles were compared.
        below: greatest values among those verified that reach none; 0 without any.
    """

    pairs: tuple[ContextPair, ...]
    compared: int
    verified: int
    below: Likeness


def context_pairs(ids: Sequence[str], read: Read, *, size: int, one_in: int, thresholds: Likeness) -> ContextPairs:
    """The pairs that are alike.

    One context is held at a time, of the others a sample of their shingles. Those that may be alike are read again.

    Args:
        ids: of distinct contexts.
        read: their texts one after the other, in the order asked for.
        size: words of a shingle.
        one_in: one of so many shingles is in a sample; 1 compares all.
        thresholds: a pair is alike where its Jaccard index or its containment is at least this.
    """
    samples: list[Shingles] = []
    counts: dict[str, int] = {}
    for context_id, text in zip(ids, read(ids), strict=True):
        found = shingles(text, size)
        counts[context_id] = len(found)
        samples.append(sample(found, one_in))

    def larger_first(item: tuple[str, str, Likeness]) -> tuple[str, str, Likeness]:
        left, right = sorted(item[:2], key=lambda name: (-counts[name], name))
        return left, right, item[2]

    found_pairs = ((ids[one], ids[other], estimate) for one, other, estimate in candidates(samples, thresholds))
    wanted = sorted(map(larger_first, found_pairs), key=lambda item: item[:2])
    order = [
        name for left, own in groupby(wanted, key=lambda item: item[0]) for name in (left, *(r for _, r, _ in own))
    ]
    texts = iter(read(order))
    exact: dict[tuple[str, str], Likeness] = {}
    for left, own in groupby(wanted, key=lambda item: item[0]):
        whole = shingles(next(texts), size)
        for _, right, _ in own:
            exact[left, right] = likeness(whole, shingles(next(texts), size))
    pairs = tuple(
        ContextPair(left, right, "near" if exact[left, right].jaccard >= thresholds.jaccard else "contained",
                    exact[left, right], estimate)
        for left, right, estimate in wanted
        if exact[left, right].reaches(thresholds)
    )  # fmt: skip
    below = [found for found in exact.values() if not found.reaches(thresholds)]
    return ContextPairs(
        pairs,
        compared=len(ids) * (len(ids) - 1) // 2,
        verified=len(wanted),
        below=Likeness(
            max((one.jaccard for one in below), default=0.0), max((one.containment for one in below), default=0.0)
        ),
    )
