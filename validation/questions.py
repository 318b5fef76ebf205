"""Questions: each once, in some split."""

from collections import Counter

import great_expectations.expectations as gxe
import pandas as pd
from great_expectations import ExpectationSuite

from plancheck.records import LETTERS, SPLITS
from validation.frames import counted, with_records
from validation.inputs import Inputs, question_frame, table_file
from validation.suites import among, between, present, suite, unique


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """``listings`` counts how often the lists of data/splits.json name a question."""
    frame = question_frame(inputs)
    listings = pd.Series(Counter(item for split in SPLITS for item in inputs.splits[split]), dtype="int64")
    frame = frame.assign(listings=counted(frame["question_id"], listings))
    return {"questions": with_records(frame, ["question_id"])}


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    return [
        suite(
            "questions",
            table_file("questions"),
            gxe.ExpectTableRowCountToBeBetween(min_value=1, description="there are questions"),
            *present("question_id", "context_id", "domain", "answer"),
            unique(["question_id"], "a question's ID is its own"),
            among("answer", LETTERS, "the gold letter is A, B, C or D"),
            between("listings", 1, None, "a question lies in a split"),
        )
    ]
