"""What the audit writes down: IDs, counts and indices, and no text."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from plancheck.leakage.audit import Alike, Learned, between_splits, concerned, moved
from plancheck.leakage.contexts import ContextPairs
from plancheck.params.benchmark import Split
from plancheck.plumbing.errors import StudyError
from plancheck.records import Question
from plancheck.splits import split_questions


def report(
    questions: Sequence[Question],
    splits: Mapping[str, Sequence[str]],
    settings: Split,
    learned: Sequence[Learned],
    alike: Alike,
    contexts: ContextPairs,
) -> dict[str, Any]:
    """The content of reports/leakage.json; reports/README.md says what each field means.

    Args:
        questions: of the study.
        splits: their IDs.
        settings: of the split, which say as well when texts are alike.
        learned: all that was learned from.
        alike: what is alike among the questions of the study and of ``learned``.
        contexts: what ``alike`` has of contexts, and how it was found.
    """
    side_of = {name: one.name for one in reversed(learned) for name in one.ids}
    side_of |= {name: split for split, names in splits.items() for name in names}
    sides = defaultdict(set)
    for name, question in alike.questions.items():
        sides[question.context_id].add(side_of[name])
    own = {question.context_id for question in questions}
    found = [shared_of(one, splits, alike) for one in learned]
    return {
        "settings": settings.leakage.model_dump(mode="json"),
        "learned": found,
        "test": {
            "questions": len(splits["test"]),
            "concerned": sorted(
                {name for row in found if row["against"] == "test" for name in concerned(row["shared"])}
            ),
        },
        "contexts": {
            "compared": contexts.compared,
            "verified": contexts.verified,
            "below": {"jaccard": contexts.below.jaccard, "containment": contexts.below.containment},
            "pairs": [
                {
                    "left": pair.left,
                    "right": pair.right,
                    "left_in": sorted(sides[pair.left]),
                    "right_in": sorted(sides[pair.right]),
                    "kind": pair.kind,
                    "jaccard": pair.exact.jaccard,
                    "jaccard_estimate": pair.estimate.jaccard,
                    "containment": pair.exact.containment,
                    "containment_estimate": pair.estimate.containment,
                }
                for pair in alike.context_pairs
                if {pair.left, pair.right} & own
            ],
        },
        "questions": {
            "compared": len(alike.questions) * (len(alike.questions) - 1) // 2,
            "pairs": [
                {
                    "left": pair.left,
                    "right": pair.right,
                    "left_in": side_of[pair.left],
                    "right_in": side_of[pair.right],
                    "kind": pair.kind,
                    "jaccard": pair.jaccard,
                }
                for pair in alike.question_pairs
                if {pair.left, pair.right} & {question.question_id for question in questions}
            ],
        },
        "group_by_context": grouped(questions, splits, settings, alike),
    }


def shared_of(learned: Learned, splits: Mapping[str, Sequence[str]], alike: Alike) -> dict[str, Any]:
    """What a split shares with something that was learned from: question IDs by kind, and how many all told."""
    shared = alike.shared(splits[learned.against], learned.ids)
    return {
        "learned": learned.name,
        "against": learned.against,
        "questions": len(learned.ids) + learned.unknown,
        "unknown": learned.unknown,
        "shared": shared,
        "concerned": len(concerned(shared)),
    }


def grouped(
    questions: Sequence[Question], splits: Mapping[str, Sequence[str]], settings: Split, alike: Alike
) -> dict[str, Any]:
    """What ``split.group_by: context`` would change: the sizes, how many questions move, what test would still share.

    ``absent`` says why it would change nothing or cannot be told, and the rest is null then.
    """
    unknown = {"sizes": None, "moved": None, "concerned": None}
    if settings.listed:
        return {"absent": "the split is a list of IDs", **unknown}
    if settings.group_by == "context":
        return {"absent": "it is in force", **unknown}
    try:
        other = split_questions(questions, settings.sizes, seed=settings.seed, group_by="context")
    except StudyError as error:
        return {"absent": str(error), **unknown}
    left = [alike.shared(other[one.against], one.ids) for one in between_splits(other) if one.against == "test"]
    return {
        "absent": None,
        "sizes": {split: len(names) for split, names in other.items()},
        "moved": moved(splits, other),
        "concerned": len({name for shared in left for name in concerned(shared)}),
    }
