"""Router features: one row a question, every value in its range, null only where the plan or the model says nothing."""

import pandas as pd
from great_expectations import ExpectationSuite
from great_expectations.expectations.expectation import Expectation

from plancheck.params.rankings import CrossEncoder, scorers
from plancheck.records import router_features
from validation.frames import counted, with_records
from validation.inputs import Inputs, question_frame, table_file
from validation.suites import at_least, between, equal, none_of, present, present_in, suite, unique

SIDES = ("control", "planner")
TOLERANCE = 1e-6  # of rounded probabilities that are equal
COUNTS = ("context_chars", "question_chars", "candidates")


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Rows with what the questions say of themselves; questions with the row they lack."""
    rows = features(inputs)
    return {"router_features": rows, "router_features_by_question": missing_rows(inputs, rows)}


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    file = table_file("router_features")
    most = inputs.params.planner.max_atoms
    scoring, rerankers = scorers_of(inputs)
    return [
        suite(
            "router_features",
            file,
            *present_in(router_features(scoring, rerankers)),
            *present("question_domain"),
            unique(["question_id"], "a question has one row"),
            equal("domain", "question_domain", "domain is the question's"),
            *(between(column, 1, None, f"{column} is at least 1") for column in COUNTS),
            at_least("atoms", "candidates", "the candidates are atoms of the context"),
            between("plan_atoms", 0, most, f"a plan names at most {most} atoms (planner.max_atoms)"),
            equal("plan_parsed", "named", "plan_parsed says whether the plan names an atom"),
            *(between(f"plan_{name}_overlap", 0, 1, f"plan_{name}_overlap is in [0, 1]") for name in rerankers),
            *(rule for scorer in scoring for rule in of_scorer(scorer)),
            *(rule for side in SIDES for rule in of_answer(side)),
            equal("agreed", "letters_agree", "letters agree only where both policies have one"),
        ),
        suite(
            "router_features_by_question",
            file,
            none_of("missing_features", "every question has a row"),
        ),
    ]


def scorers_of(inputs: Inputs) -> tuple[list[str], list[str]]:
    """The rankings that features are made of, and those of them that rank the candidates alone."""
    found = scorers(inputs.params.rankings, inputs.params.tune.role)
    return list(found), [name for name, spec in found.items() if isinstance(spec, CrossEncoder)]


def of_scorer(scorer: str) -> list[Expectation]:
    """The ranges of a scorer's columns; a mean, and a mean rank, can be no better than the best."""
    return [
        at_least(f"{scorer}_top", f"{scorer}_mean", f"{scorer}_mean is at most {scorer}_top"),
        *(
            between(f"{scorer}_{name}", 0, most, f"{scorer}_{name} is {words}")
            for name, most, words in (
                ("entropy", 1, "in [0, 1]"),
                ("gap", 1, "in [0, 1]"),
                ("gini", 1, "in [0, 1]"),
                ("variation", None, "not negative"),
            )
        ),
        between(f"plan_{scorer}_best_rank", 1, None, f"plan_{scorer}_best_rank counts from 1"),
        at_least(
            f"plan_{scorer}_mean_rank",
            f"plan_{scorer}_best_rank",
            f"plan_{scorer}_mean_rank is not better than the best",
        ),
    ]


def of_answer(side: str) -> list[Expectation]:
    """The ranges of a policy's confidence."""
    return [
        between(f"{side}_confidence", None, 1, f"{side}_confidence is at most 1"),
        at_least(f"{side}_confidence", "chance", f"{side}_confidence of k choices is at least 1/k"),
        between(f"{side}_margin", 0, 1, f"{side}_margin is in [0, 1]"),
        between(f"{side}_entropy", 0, 1 + TOLERANCE, f"{side}_entropy is in [0, 1]"),
    ]


def features(inputs: Inputs) -> pd.DataFrame:
    """One row a question, with its domain and what its other columns imply."""
    frame = inputs.tables["router_features"].to_pandas()
    questions = question_frame(inputs).drop_duplicates("question_id").set_index("question_id")
    answered = frame["control_answered"].astype(bool) & frame["planner_answered"].astype(bool)
    frame = frame.assign(
        question_domain=frame["question_id"].map(questions["domain"]),
        chance=1 / frame["question_id"].map(questions["choices"]) - TOLERANCE,
        named=frame["plan_atoms"] > 0,
        agreed=frame["letters_agree"].where(answered, False),
    )
    return with_records(frame, ["question_id"])


def missing_rows(inputs: Inputs, rows: pd.DataFrame) -> pd.DataFrame:
    """One row a question: 1 where it has no features."""
    ids = question_frame(inputs)["question_id"]
    found = rows.drop_duplicates("question_id").groupby("question_id").size()
    return with_records(
        pd.DataFrame({"question_id": ids, "missing_features": 1 - counted(ids, found)}), ["question_id"]
    )
