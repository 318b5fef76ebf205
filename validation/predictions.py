"""Predictions: one row a condition, a letter or a named failure, scored against the question's gold letter."""

import math
from collections.abc import Sequence

import pandas as pd
from great_expectations import ExpectationSuite

from plancheck.records import FAILURES, LETTERS, PREDICTIONS
from validation.frames import counted, masked, with_records
from validation.inputs import Inputs, condition_keys, lettered, question_frame, right_rows, table_file
from validation.packed import KEY, missing_conditions
from validation.suites import among, between, equal, none_of, present, present_in, suite, unique

TOLERANCE = 1e-6  # rounded probabilities need not sum to 1 exactly


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Rows with what questions and packed contexts say of them; questions with the conditions they lack."""
    rows = predictions(inputs)
    return {"predictions": rows, "predictions_by_question": missing_conditions(inputs, rows)}


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    file = table_file("predictions")
    policies, budgets = condition_keys(inputs)
    return [
        suite(
            "predictions",
            file,
            *present_in(PREDICTIONS),
            *present("answer", "packed_packed_id"),
            unique(KEY, "a condition has one row for a question"),
            among("policy", policies, "policy is in pack.policies"),
            among("budget_chars", budgets, "budget_chars is in pack.budgets_chars"),
            equal("lettered", "answered", "a letter is that of a choice"),
            among("failure", FAILURES, f"a failure is {', '.join(FAILURES)}"),
            between("outcomes", 1, 1, "there is either a letter or a failure"),
            equal("gold", "answer", "gold is the question's answer"),
            equal("correct", "right", "correct says whether letter equals gold or has its text"),
            between("least_prob", 0, None, "no probability is below 0"),
            equal("probabilities", "choices", "there is a probability for each choice, or none at all"),
            between("prob_sum", 1 - TOLERANCE, 1 + TOLERANCE, "probabilities sum to 1"),
            equal("packed_id", "packed_packed_id", "packed_id is the packed context's"),
            between("prompt_tokens", 1, None, "a tokenised prompt has tokens"),
        ),
        suite(
            "predictions_by_question",
            file,
            none_of("missing_conditions", "every policy and budget has a row"),
        ),
    ]


def predictions(inputs: Inputs) -> pd.DataFrame:
    """One row a question and condition, with the question's answer and the packed context's ID."""
    frame = inputs.tables["predictions"].to_pandas()
    answers = question_frame(inputs).drop_duplicates("question_id").set_index("question_id")["answer"]
    shown = inputs.tables["packed"].select([*KEY, "packed_id"]).to_pandas().drop_duplicates(KEY)
    frame = frame.merge(shown.rename(columns={"packed_id": "packed_packed_id"}), on=KEY, how="left")
    choices = question_frame(inputs).drop_duplicates("question_id").set_index("question_id")["choices"]
    probs = pd.Series([[] if row is None else row for row in frame["probs"]], index=frame.index, dtype=object)
    frame = frame.drop(columns="probs").assign(
        outcomes=frame["letter"].notna().astype(int) + frame["failure"].notna().astype(int),
        right=right_rows(inputs, frame, frame["gold"]),
        answer=frame["question_id"].map(answers),
        choices=counted(frame["question_id"], choices),
        probabilities=[counted_probabilities(row) for row in probs],
        least_prob=[min(known(row), default=None) for row in probs],
        prob_sum=[math.fsum(known(row)) if known(row) else None for row in probs],
        answered=frame["letter"].notna(),
        lettered=lettered(inputs, frame),
        letter=masked(frame["letter"], LETTERS),
        gold=masked(frame["gold"], LETTERS),
        failure=masked(frame["failure"], FAILURES),
    )
    return with_records(frame, KEY)


def known(row: Sequence[float]) -> list[float]:
    """The probabilities that a server told: of unlikely letters it may tell none."""
    return [value for value in row if not math.isnan(value)]


def counted_probabilities(row: Sequence[float]) -> int | None:
    """How many choices have one or a place for it, as long as two are known; None where nothing was weighed."""
    if not len(row):
        return None
    return len(row) if len(known(row)) > 1 else len(known(row))
