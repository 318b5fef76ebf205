"""Traces: every sampled plan of the train and dev questions, of candidate atoms, rewarded for a right answer only."""

import great_expectations.expectations as gxe
import pandas as pd
from great_expectations import ExpectationSuite

from plancheck.records import FAILURES, LETTERS, TRACES
from validation.frames import counted, masked, rows_by_question, with_records
from validation.inputs import FITTED, Inputs, lettered, question_frame, right_rows, table_file
from validation.planned import pools, strangers, with_atoms
from validation.suites import among, between, equal, none_of, present_in, suite, unique

KEY = ["question_id", "sample"]
OUTCOME = ["failure", "chars", "letter", "correct", "reward"]


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Rows with what they should say; questions with the samples they lack."""
    rows = traces(inputs)
    return {"traces": rows.drop(columns="atom_ids"), "traces_by_question": missing_samples(inputs, rows)}


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    file = table_file("traces")
    params = inputs.params
    samples, most, budget = params.mine.samples, params.planner.max_atoms, params.mine.budget_chars
    return [
        suite(
            "traces",
            file,
            *present_in(TRACES),
            unique(KEY, "a sample has one row"),
            gxe.ExpectColumnValuesToNotBeInSet(
                column="question_id",
                value_set=sorted(inputs.splits["test"]),
                description="no trace is of a test question",
            ),
            none_of("elsewhere", "a trace is of a question of the study"),
            between("sample", 0, samples - 1, f"samples count from 0 to {samples - 1} (mine.samples)"),
            between("atoms", 0, most, f"a plan names at most {most} atoms (planner.max_atoms)"),
            none_of("strangers", "every atom is in the question's candidate pool"),
            none_of("repeated", "a plan names an atom once"),
            equal("parsed", "named", "parsed says whether the plan names an atom"),
            equal("lettered", "answered", "a letter is that of a choice"),
            among("failure", FAILURES, f"a failure is {', '.join(FAILURES)}"),
            between("outcomes", 1, 1, "there is either a letter or a failure"),
            equal("executed", "named", "chars is there when the plan names an atom, and only then"),
            none_of("unasked", "a plan that names no atom has no letter"),
            between("chars", 1, budget, f"an executed plan fits {budget} characters (mine.budget_chars)"),
            equal("correct", "right", "correct says whether letter equals the question's answer or has its text"),
            equal("reward", "earned", "reward is 1 when correct, else 0"),
            none_of("misled", "duplicate_of is the first sample with the same atoms, whose outcome is repeated"),
        ),
        suite(
            "traces_by_question",
            file,
            none_of("missing_samples", "every train and dev question has all its samples"),
        ),
    ]


def traces(inputs: Inputs) -> pd.DataFrame:
    """One row a sample, with counts of its faults and what its columns should say."""
    frame = with_atoms(inputs.tables["traces"])
    answers = question_frame(inputs).drop_duplicates("question_id").set_index("question_id")["answer"]
    named = frame["atoms"] > 0
    frame = frame.assign(
        elsewhere=(~frame["question_id"].isin(answers.index)).astype(int),
        strangers=strangers(frame, pools(inputs)),
        named=named,
        outcomes=frame["letter"].notna().astype(int) + frame["failure"].notna().astype(int),
        executed=frame["chars"].notna(),
        unasked=(~named & frame["letter"].notna()).astype(int),
        right=right_rows(inputs, frame, frame["question_id"].map(answers)),
        earned=frame["correct"].astype(int),
        misled=misled(frame),
        answered=frame["letter"].notna(),
        lettered=lettered(inputs, frame),
        letter=masked(frame["letter"], LETTERS),
        failure=masked(frame["failure"], FAILURES),
    )
    return with_records(frame, KEY)


def misled(frame: pd.DataFrame) -> pd.Series:
    """1 where ``duplicate_of`` is not the question's first sample with the row's atoms, or an outcome differs from it.

    A first sample has none. Plans without atoms have nothing to repeat, and may say so or not.
    """
    rows = frame.assign(key=[frozenset(ids) for ids in frame["atom_ids"]]).sort_values("sample", kind="stable")
    first = rows.groupby(["question_id", "key"])[["sample", *OUTCOME]].transform(lambda values: values.iloc[0])
    same = pd.Series(True, index=rows.index)
    for column in OUTCOME:
        same &= (rows[column] == first[column]) | (rows[column].isna() & first[column].isna())
    expected = first["sample"].where(first["sample"] != rows["sample"])
    pointed = (rows["duplicate_of"] == expected) | (rows["duplicate_of"].isna() & expected.isna())
    return (~(pointed & same) & (rows["atoms"] > 0)).astype(int).reindex(frame.index)


def missing_samples(inputs: Inputs, rows: pd.DataFrame) -> pd.DataFrame:
    """One row a train or dev question: samples without a row."""
    ids = pd.Series([item for split in FITTED for item in inputs.splits[split]], name="question_id", dtype="str")
    asked = inputs.params.mine.samples
    known = rows_by_question(rows, rows["sample"].between(0, asked - 1), ["sample"])
    frame = pd.DataFrame({"question_id": ids, "missing_samples": asked - counted(ids, known)})
    return with_records(frame, ["question_id"])
