"""A listed split, held against the questions: each of them in just one of train, dev and test."""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from plancheck.benchmark.listings import Listing, shown_name
from plancheck.benchmark.split_files import read_listings
from plancheck.benchmark.values import SHOWN_CHARS
from plancheck.comparison.ids import look_alikes
from plancheck.plumbing.errors import SHOWN_PROBLEMS, all_problems
from plancheck.records import SPLITS, Question
from plancheck.splits import shared_across_splits

LOG = logging.getLogger("plancheck.split")

SHOWN_PLACES: Final = 3
# Nothing can be learned without the first or be judged without the last; dev only measures the planner's loss.
NEEDED: Final = ("train", "test")
REMEDY: Final = (
    "Give a split.path that names every question of the benchmark once, keep more of them (benchmark.limit), or set "
    "split.path=plancheck/splits.py, which splits them by split.seed, split.sizes and split.group_by."
)


def listed_split(
    path: Path,
    questions: Sequence[Question],
    *,
    one_side: bool,
    left_out: Collection[str] | None = None,
) -> dict[str, list[str]]:
    """Question IDs of each split as the file or folder ``path`` lists them, sorted; dev may be empty.

    Args:
        path: as ``read_listings`` reads it.
        questions: of the study, IDs unique.
        one_side: whether a context on two sides of the split is a fault.
        left_out: IDs of the benchmark's other questions, which may be listed and are in no split; None: any ID may.

    Raises:
        StudyError: the file cannot be read, or breaks a rule; all that break one are named or counted.
    """
    listings = read_listings(path)
    known = {question.question_id for question in questions}
    splits = {name: sorted({item.question_id for item in listings if item.split == name} & known) for name in SPLITS}
    if problems := [
        *doubled(listings),
        *(unknown(listings, known, left_out) if left_out is not None else []),
        *missing(listings, known),
        *(f"{name}: no question of the study" for name in NEEDED if not splits[name]),
    ]:
        raise all_problems(f"{path}: is no split of the {len(known)} questions:", problems, remedy=REMEDY)
    if one_side and (shared := shared_across_splits(questions, splits)):
        raise all_problems(
            f"{path}: {len(shared)} context(s) lie on several sides, which split.group_by=context forbids:",
            [f"{group[:12]}: {sides(on)}" for group, on in shared.items()],
            remedy="Set split.group_by=none, which measures and tells such an overlap, or give another split.path.",
        )
    if others := len({item.question_id for item in listings} - known):
        LOG.info("%s: %s listed IDs are of questions that benchmark.limit leaves out", path, f"{others:,}")
    return splits


def doubled(listings: Sequence[Listing]) -> list[str]:
    found: dict[str, list[Listing]] = defaultdict(list)
    for listing in listings:
        found[listing.question_id].append(listing)
    return rule(
        "listed more than once",
        [f"{shown_name(name)} ({places(items)})" for name, items in found.items() if len(items) > 1],
    )


def places(listings: Sequence[Listing]) -> str:
    """Where an ID is listed: a few places, of every split if it is in several, and how many more there are."""
    first = {item.split: item for item in reversed(listings)}
    told = [f"{item.split}, {item.place}" for item in sorted(listings, key=lambda item: first[item.split] is not item)]
    more = [f"{len(told) - SHOWN_PLACES:,} more"] if len(told) > SHOWN_PLACES else []
    return "; ".join([*told[:SHOWN_PLACES], *more])


def unknown(listings: Sequence[Listing], known: Collection[str], left_out: Collection[str]) -> list[str]:
    strangers: dict[str, str] = {}
    for item in listings:
        if item.question_id not in known and item.question_id not in left_out:
            strangers.setdefault(item.question_id, item.place)
    return [
        *rule("no question of the benchmark", [f"{shown_name(name)} ({place})" for name, place in strangers.items()]),
        *alike(strangers, unlisted(listings, known)),
    ]


def alike(strangers: Iterable[str], without: Iterable[str]) -> list[str]:
    """That listed IDs and questions without a split may be the same ones, with the first of them.

    It is shown in ASCII: letters of one look are told apart by their code points.
    """
    if not (pairs := look_alikes(strangers, without)):
        return []
    theirs, ours = (ascii(name[:SHOWN_CHARS]) for name in pairs[0])
    return [
        "IDs that are a question's but for leading zeros, a final .0, blanks, case or their form of Unicode "
        f"({len(pairs)}), such as {theirs} here and {ours} in the benchmark: write them as the benchmark does"
    ]


def missing(listings: Sequence[Listing], known: Collection[str]) -> list[str]:
    return rule("questions in no split", list(map(shown_name, unlisted(listings, known))))


def unlisted(listings: Sequence[Listing], known: Collection[str]) -> list[str]:
    return sorted({*known} - {item.question_id for item in listings})


def rule(words: str, found: Sequence[str]) -> list[str]:
    """A rule with the first 20 that break it and a count; none where nothing does."""
    more = f" and {len(found) - SHOWN_PROBLEMS} more" if len(found) > SHOWN_PROBLEMS else ""
    return [f"{words} ({len(found)}): {', '.join(found[:SHOWN_PROBLEMS])}{more}"] if found else []


def sides(on: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(
        f"{split} has {', '.join(rule('questions', list(map(shown_name, ids))))}" for split, ids in on.items()
    )
