"""Questions: each once, in some split."""

from collections import Counter

import great_expectations.expectations as gxe
import pandas as pd
from great_expectations import ExpectationSuite

from plancheck.records import FEWEST_CHOICES, MOST_CHOICES, SPLITS
from validation.frames import counted, with_records
from validation.inputs import Inputs, letters_of, question_frame, table_file
from validation.suites import between, equal, present, suite, unique


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """``listings`` counts how often data/splits.json names a question, ``groups`` the groups of its context."""
    frame = question_frame(inputs)
    listings = pd.Series(Counter(item for split in SPLITS for item in inputs.splits[split]), dtype="int64")
    groups = frame.groupby("context_id")["context_group"].nunique()
    frame = frame.assign(
        listings=counted(frame["question_id"], listings),
        groups=counted(frame["context_id"], groups),
        lettered=[letter in letters_of(count) for letter, count in zip(frame["answer"], frame["choices"], strict=True)],
        whole=True,
    )
    return {"questions": with_records(frame, ["question_id"])}


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    return [
        suite(
            "questions",
            table_file("questions"),
            gxe.ExpectTableRowCountToBeBetween(min_value=1, description="there are questions"),
            *present("question_id", "context_id", "context_group", "domain", "answer"),
            unique(["question_id"], "a question's ID is its own"),
            between("choices", FEWEST_CHOICES, MOST_CHOICES, "a question has 2 to 10 choices, each a text"),
            equal("lettered", "whole", "the gold letter is that of a choice"),
            between("groups", 1, 1, "a context is of one group"),
            between("listings", 1, None, "a question lies in a split"),
        )
    ]
