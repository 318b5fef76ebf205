"""Plans: one of every selector for every question, of atoms of its context."""

import pandas as pd
from great_expectations import ExpectationSuite

from plancheck.params.planning import HARNESS_SELECTORS
from plancheck.records import FAILURES, PLANS
from validation.frames import counted, masked, rows_by_question, with_records
from validation.inputs import Inputs, question_frame, table_file
from validation.planned import atoms_by_question, pools, strangers, with_atoms
from validation.suites import among, at_least, between, equal, none_of, present, present_in, suite, unique

KEY = ["question_id", "selector"]


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Rows with counts of their faults; questions with the plans they lack."""
    rows = plans(inputs)
    return {"plans": rows, "plans_by_question": missing_plans(inputs, rows)}


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    file = table_file("plans")
    most = inputs.params.planner.max_atoms
    return [
        suite(
            "plans",
            file,
            *present_in(PLANS),
            *present("question_context"),
            unique(KEY, "a selector has one plan for a question"),
            among("selector", inputs.params.plan.selectors, "selector is in plan.selectors"),
            among("failure", FAILURES, f"a failure is {', '.join(FAILURES)}"),
            equal("parsed", "named", "parsed says whether the plan names an atom"),
            between("outcomes", 1, 1, "there is either a plan or a failure"),
            none_of("repeated", "a plan names an atom once"),
            none_of("strangers", "every atom is of the question's context"),
            none_of("outsiders", "every atom that a planner names is in the candidate pool"),
            at_least("most", "atoms", f"a planner names at most {most} atoms (planner.max_atoms)"),
        ),
        suite(
            "plans_by_question",
            file,
            none_of("missing_plans", "every selector has a plan, or its failure"),
        ),
    ]


def plans(inputs: Inputs) -> pd.DataFrame:
    """One row a question and selector: lengths of its lists, and faults among its atoms."""
    frame = with_atoms(inputs.tables["plans"])
    contexts = question_frame(inputs).drop_duplicates("question_id").set_index("question_id")["context_id"]
    planner = ~frame["selector"].isin(HARNESS_SELECTORS)  # those may name atoms that were no candidates
    frame = frame.assign(
        question_context=frame["question_id"].map(contexts),
        named=frame["atoms"] > 0,
        outcomes=frame["failure"].notna().astype(int) + (frame["atoms"] > 0).astype(int),
        strangers=strangers(frame, atoms_by_question(inputs)),
        outsiders=pd.Series(strangers(frame, pools(inputs)), index=frame.index).where(planner, 0),
        most=frame["atoms"].where(~planner, inputs.params.planner.max_atoms),
        failure=masked(frame["failure"], FAILURES),
    )
    return with_records(frame.drop(columns="atom_ids"), KEY)


def missing_plans(inputs: Inputs, rows: pd.DataFrame) -> pd.DataFrame:
    """One row a question: selectors of the parameters without a row."""
    ids = question_frame(inputs)["question_id"]
    selectors = inputs.params.plan.selectors
    known = rows_by_question(rows, rows["selector"].isin(selectors), ["selector"])
    missing = len(selectors) - counted(ids, known)
    return with_records(pd.DataFrame({"question_id": ids, "missing_plans": missing}), ["question_id"])
