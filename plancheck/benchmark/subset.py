"""A seeded part of a benchmark that keeps its mix of domains."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence

from plancheck.records import Question


def stratified_subset(questions: Sequence[Question], *, limit: int, seed: int) -> tuple[Question, ...]:
    """At most ``limit`` questions, in the order given, spread over the domains as ``allocation`` says.

    Which of a domain's questions are kept depends on the seed and their IDs alone, not on their order: those with the
    least SHA-256 of "seed:question_id".

    Raises:
        ValueError: ``limit`` is below 1.
    """
    if limit < 1:
        raise ValueError(f"limit must be positive, got {limit}")
    if limit >= len(questions):
        return tuple(questions)
    left = allocation(Counter(question.domain for question in questions), limit)
    kept: set[str] = set()
    for question in sorted(questions, key=lambda question: draw(seed, question.question_id)):
        if left[question.domain]:
            left[question.domain] -= 1
            kept.add(question.question_id)
    return tuple(question for question in questions if question.question_id in kept)


def draw(seed: int, question_id: str) -> str:
    return hashlib.sha256(f"{seed}:{question_id}".encode()).hexdigest()


def allocation(sizes: Mapping[str, int], limit: int) -> dict[str, int]:
    """How many of ``limit`` questions each domain gets: proportional to its size, by largest remainder.

    With at least as many questions as domains, each domain whose proportional part is below one gets one, and the
    others share the rest. Equal remainders go to the domain first by name. The counts sum to ``limit``, and none
    exceeds its domain's size, which holds for every ``limit`` up to the sum of the sizes.
    """
    ones: dict[str, int] = {}
    rest = dict(sizes)
    while limit >= len(sizes) and (small := below_one(rest, limit - len(ones))):
        ones |= dict.fromkeys(small, 1)
        rest = {domain: size for domain, size in rest.items() if domain not in ones}
    places, total = limit - len(ones), sum(rest.values())
    counts = {domain: places * size // total for domain, size in rest.items()}
    by_remainder = sorted(rest, key=lambda domain: (-(places * rest[domain] % total), domain))
    for domain in by_remainder[: places - sum(counts.values())]:
        counts[domain] += 1
    return counts | ones


def below_one(sizes: Mapping[str, int], places: int) -> list[str]:
    """Domains whose proportional part of ``places`` is below one."""
    return [domain for domain, size in sizes.items() if places * size < sum(sizes.values())]
