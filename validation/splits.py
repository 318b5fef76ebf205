"""Splits: disjoint, without unknown questions, of the sizes asked, and how far they share contexts and texts."""

from typing import Any

import great_expectations.expectations as gxe
import pandas as pd
from great_expectations import ExpectationSuite

from plancheck.plumbing.places import portable
from plancheck.records import SPLITS
from validation.frames import with_records
from validation.inputs import MADE, SPLITS_FILE, Inputs, question_frame
from validation.suites import among, at_least, between, suite, unique


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Entries of the lists, one row a split's size, one row for how they were made, one row a context."""
    return {
        "splits": entries(inputs),
        "split_sizes": sizes(inputs),
        "split_settings": settings(inputs),
        "split_contexts": contexts(inputs),
    }


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    """Sizes are asked of our own split alone; a context on two sides breaks a rule only with grouping by context."""
    split = inputs.params.split
    seed, path = ("None", portable(split.path.as_posix())) if split.listed else (str(split.seed), "None")
    found = [
        entry_suite(inputs),
        suite(
            "split_settings",
            SPLITS_FILE,
            among("seed", [seed], "seed is split.seed, and null for listed IDs"),
            among("source", [path], "source is split.path, and null for our own split"),
            among("group_by", [split.group_by], "group_by is split.group_by"),
        ),
    ]
    if not split.listed:
        found.append(size_suite())
    if split.group_by == "context":
        one_side = between("splits", 1, 1, "a context lies on one side of the split")
        found.append(suite("split_contexts", SPLITS_FILE, one_side))
    return found


def size_suite() -> ExpectationSuite:
    return suite(
        "split_sizes",
        SPLITS_FILE,
        at_least("questions", "fewest", "a split is not smaller than split.sizes asks"),
        at_least("most", "questions", "a split is not larger than split.sizes asks"),
    )


def entry_suite(inputs: Inputs) -> ExpectationSuite:
    return suite(
        "splits",
        SPLITS_FILE,
        among("question_id", sorted(set(question_frame(inputs)["question_id"])), "a listed ID is a question's"),
        gxe.ExpectColumnValuesToNotBeInSet(
            column="fitting_id",
            value_set=sorted(inputs.splits["test"]),
            description="no test question is in train or dev",
        ),
        unique(["fitting_id"], "no question is twice in train and dev"),
        unique(["test_id"], "no question is twice in test"),
    )


def entries(inputs: Inputs) -> pd.DataFrame:
    """One row an entry of a list; ``fitting_id`` is its ID in train or dev, ``test_id`` in test."""
    rows = [(split, question_id) for split in SPLITS for question_id in inputs.splits[split]]
    frame = pd.DataFrame(rows, columns=["split", "question_id"], dtype="str")
    test = frame["split"] == "test"
    frame = frame.assign(
        fitting_id=frame["question_id"].where(~test),
        test_id=frame["question_id"].where(test),
    )
    return with_records(frame, ["split", "question_id"])


def sizes(inputs: Inputs) -> pd.DataFrame:
    """Questions of each split, and the fewest and most that the parameters allow.

    Counts are exact and shares within one question; grouping by context allows the largest group more or less.
    """
    questions = question_frame(inputs)
    asked = inputs.params.split.sizes
    groups = questions["context_group"].value_counts()
    counts = all(isinstance(size, int) for size in asked.values())
    slack = 0 if counts else 1
    if inputs.params.split.group_by == "context" and len(groups):
        slack = max(slack, int(groups.max()))
    exact = {split: float(asked[split] if counts else asked[split] * len(questions)) for split in SPLITS}
    frame = pd.DataFrame(
        {
            "split": SPLITS,
            "questions": [float(len(inputs.splits[split])) for split in SPLITS],
            "fewest": [round(exact[split] - slack, 6) for split in SPLITS],
            "most": [round(exact[split] + slack, 6) for split in SPLITS],
        }
    )
    return with_records(frame, ["split"])


def settings(inputs: Inputs) -> pd.DataFrame:
    made = {name: inputs.splits[name] for name in MADE}
    if isinstance(made["source"], dict):
        made["source"] = made["source"].get("path")
    return with_records(pd.DataFrame({name: [str(value)] for name, value in made.items()}), [*MADE])


def contexts(inputs: Inputs) -> pd.DataFrame:
    """One row a context (near-equal ones are one) with a listed question; ``splits`` counts the sides it lies on."""
    sides = placed(inputs).groupby("context_group")["split"].nunique().rename("splits").reset_index()
    return with_records(sides, ["context_group"])


def placed(inputs: Inputs) -> pd.DataFrame:
    """Questions with the split that lists them; a question of several splits has several rows."""
    questions = question_frame(inputs)[["question_id", "context_group"]]
    text = inputs.tables["questions"].select(["question"]).to_pandas()["question"]
    group = pd.Series(pd.factorize(text)[0], index=questions.index, name="text_group")
    listed = entries(inputs)[["split", "question_id"]].drop_duplicates()
    return listed.merge(pd.concat([questions, group], axis=1), on="question_id", how="inner")


def overlaps(inputs: Inputs) -> dict[str, Any]:
    """What lies on several sides of the split: contexts, and questions whose texts are the same.

    Near-equal contexts count as one, named by their group. Texts compare exactly and are named by the questions that
    have them. ``questions`` counts those concerned.
    """
    found = placed(inputs)
    by_context = shared(found, "context_group")
    by_text = shared(found, "text_group")
    return {
        "contexts": {**summary(list(by_context.values())), "by_context": by_context},
        "question_texts": {**summary(list(by_text.values())), "groups": sorted(by_text.values(), key=str)},
    }


def shared(found: pd.DataFrame, column: str) -> dict[Any, dict[str, list[str]]]:
    """Values of a column that lie in several splits, sorted: value -> split -> its question IDs, sorted."""
    several = found[found.groupby(column)["split"].transform("nunique") > 1]
    found_ids: dict[Any, dict[str, list[str]]] = {}
    for split in SPLITS:
        for value, ids in several[several["split"] == split].groupby(column)["question_id"]:
            found_ids.setdefault(value, {})[split] = sorted(ids)
    return dict(sorted(found_ids.items()))


def summary(sides: list[dict[str, list[str]]]) -> dict[str, int]:
    return {
        "shared": len(sides),
        "shared_with_test": sum("test" in side for side in sides),
        "questions": len({question_id for side in sides for ids in side.values() for question_id in ids}),
    }
