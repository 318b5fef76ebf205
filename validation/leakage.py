"""The leakage audit: complete, true to itself, and nothing that was learned from a test question."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from great_expectations import ExpectationSuite

from validation.frames import with_records
from validation.inputs import LEAKAGE_FILE, Inputs, rows_file
from validation.suites import among, at_least, between, equal, none_of, present, suite, unique

INDICES = ("jaccard", "jaccard_estimate", "containment", "containment_estimate")
NEARLY = ("near_context", "contained_context")
# What is compared in every study: learned from, and the split that should share nothing with it.
ALWAYS = {
    ("train", "test"),
    ("dev", "test"),
    ("train", "dev"),
    *((rows_file(split).as_posix(), "test") for split in ("train", "dev")),
}


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """One row a thing that was learned from and split; one row a pair of contexts and one a pair of questions."""
    return {
        "leakage_learned": learned(inputs),
        "leakage_contexts": contexts(inputs),
        "leakage_questions": questions(inputs),
    }


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    """Contexts on two sides of the split break a rule only where params.yaml asks for grouping by context.

    Texts that are alike are a finding otherwise, which the page tells.
    """
    rules = [
        *present("learned", "against"),
        unique(["learned", "against"], "what was learned from is compared with a split once"),
        none_of("missing", "every split and training row is compared"),
        none_of("same_id", "nothing is learned from a question that it is tested on"),
        none_of("strangers", "every question named is of the split"),
        at_least("questions", "unknown", "unknown questions are among those learned from"),
        equal("concerned", "named", "concerned counts the questions that share anything"),
    ]
    if inputs.params.split.group_by == "context":
        rules += [
            none_of("same_context", "no context of it is in the split"),
            none_of("nearly", "no context of it is near one of the split, or holds or lies in one"),
        ]
    return [
        suite("leakage_learned", LEAKAGE_FILE, *rules),
        suite(
            "leakage_contexts",
            LEAKAGE_FILE,
            *present("left", "right", "kind", *INDICES),
            unique(["left", "right"], "a pair has one row"),
            among("kind", ["near", "contained"], "kind is near or contained"),
            *(between(name, 0, 1, f"{name} is in [0, 1]") for name in INDICES),
            at_least("containment", "jaccard", "a pair shares no less of the smaller than of both"),
            none_of("misjudged", "kind is what the indices make it under split.leakage"),
        ),
        suite(
            "leakage_questions",
            LEAKAGE_FILE,
            *present("left", "right", "kind", "jaccard"),
            unique(["left", "right"], "a pair has one row"),
            among("kind", ["same", "near"], "kind is same or near"),
            between("jaccard", 0, 1, "jaccard is in [0, 1]"),
            none_of("misjudged", "a near pair reaches split.leakage.question_jaccard"),
        ),
    ]


def learned(inputs: Inputs) -> pd.DataFrame:
    """``missing`` is counted in every row: comparisons that every study has and the report lacks."""
    found = inputs.leakage["learned"]
    missing = len(ALWAYS - {(row["learned"], row["against"]) for row in found})
    rows = []
    for row in found:
        shared: Mapping[str, list[str]] = row["shared"]
        names = {name for names in shared.values() for name in names}
        rows.append(
            {
                **{name: row[name] for name in ("learned", "against", "questions", "unknown", "concerned")},
                "missing": missing,
                "same_id": len(shared["same_id"]),
                "same_context": len(shared["same_context"]),
                "nearly": sum(len(shared[kind]) for kind in NEARLY),
                "named": len(names),
                "strangers": len(names - set(inputs.splits[row["against"]])),
            }
        )
    return with_records(pd.DataFrame(rows), ["learned", "against"])


def contexts(inputs: Inputs) -> pd.DataFrame:
    settings = inputs.params.split.leakage

    def misjudged(row: Mapping[str, Any]) -> bool:
        near = row["jaccard"] >= settings.jaccard
        return row["kind"] != ("near" if near else "contained") or not (
            near or row["containment"] >= settings.containment
        )

    return pairs(inputs.leakage["contexts"]["pairs"], ["left", "right", "kind", *INDICES], misjudged)


def questions(inputs: Inputs) -> pd.DataFrame:
    least = inputs.params.split.leakage.question_jaccard

    def misjudged(row: Mapping[str, Any]) -> bool:
        return row["kind"] == "near" and row["jaccard"] < least

    return pairs(inputs.leakage["questions"]["pairs"], ["left", "right", "kind", "jaccard"], misjudged)


def pairs(rows: list[dict[str, Any]], columns: list[str], misjudged: Any) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=columns)
    return with_records(frame.assign(misjudged=[int(misjudged(row)) for row in rows]), ["left", "right"])
