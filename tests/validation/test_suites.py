"""Every expectation of every suite fails on a fault of its own, and only it."""

import pandas as pd
import pyarrow as pa
import pytest

from plancheck.records import TABLES
from validation import atoms, packed, predictions, questions, rerank, retrieval, schemas, splits
from validation.gate import validate

EXPECTATIONS = {
    "questions": 8,
    "splits": 4,
    "split_sizes": 2,
    "split_settings": 2,
    "split_contexts": 1,
    "atoms": 14,
    "atoms_by_context": 2,
    "retrieval": 18,
    "retrieval_by_question": 5,
    "rerank": 6,
    "rerank_by_question": 2,
    "packed": 23,
    "packed_by_question": 1,
    "predictions": 24,
    "predictions_by_question": 1,
}
MODULES = (questions, splits, atoms, retrieval, rerank, packed, predictions)

# Suite -> rule -> column and value that break it in the first row. A callable value makes it from the frame.
PLANTS = {
    "questions": {
        "a question's ID is its own": ("question_id", lambda frame: frame["question_id"][1]),
        "the gold letter is A, B, C or D": ("answer", "E"),
        "a question lies in a split": ("listings", 0),
    },
    "splits": {
        "a listed ID is a question's": ("question_id", "q99"),
        "no test question is in train or dev": ("fitting_id", "q5"),
        "no question is twice in train and dev": ("fitting_id", lambda frame: frame["fitting_id"][1]),
        "no question is twice in test": ("test_id", lambda frame: frame["test_id"].dropna().iloc[-1]),
    },
    "split_sizes": {
        "a split is not smaller than split.sizes asks": ("fewest", 4.0),
        "a split is not larger than split.sizes asks": ("most", 2.0),
    },
    "split_settings": {"seed is split.seed": ("seed", "8"), "group_by is split.group_by": ("group_by", "none")},
    "split_contexts": {"a context lies on one side of the split": ("splits", 2)},
    "atoms": {
        "an atom's ID is its own": ("atom_id", lambda frame: frame["atom_id"][1]),
        "a position is taken once in a context": ("position", 1),
        "an atom starts within its context": ("start", -1),
        "documents count from 0": ("document", -1),
        "an atom ends after its start": ("start", lambda frame: frame["end"][0]),
        "an atom ends within its context": ("context_chars", 10),
        "an atom is no longer than its window in params.atoms": ("chars", 81),
    },
    "atoms_by_context": {
        "every character is in some atom": ("uncovered_chars", 1),
        "positions count from 0 in order of start": ("misplaced", 2),
    },
    "retrieval": {
        "an atom is ranked once for a question": ("atom_id", lambda frame: frame["atom_id"][1]),
        "an atom is of its question's context": ("atom_context", "another"),
        "position is the atom's": ("position", 7),
        "a cosine is in [-1, 1]": ("dense_score", 1.01),
        "tokens are not negative": ("tokens", -1),
    },
    "retrieval_by_question": {
        "every atom of the question's context is ranked": ("missing_atoms", 1),
        "bm25_rank holds 1 to n, each once": ("bm25_rank_missing", 1),
        "dense_rank holds 1 to n, each once": ("dense_rank_missing", 1),
        "mmr_rank holds 1 to n, each once": ("mmr_rank_missing", 1),
        "the candidate pool holds 1 to 3 atoms (retrieve.pool_size)": ("candidates", 4),
    },
    "rerank": {
        "an atom is reranked once for a question": ("atom_id", lambda frame: frame["atom_id"][1]),
        "a reranked atom is in its question's candidate pool": ("candidate", False),
    },
    "rerank_by_question": {
        "every candidate is reranked": ("missing_candidates", 1),
        "rerank_rank holds 1 to n, each once": ("rerank_rank_missing", 1),
    },
    "packed": {
        "a condition has one row for a question": ("policy", "bm25"),
        "policy is in pack.policies": ("policy", "unheard_of"),
        "budget_chars is in pack.budgets_chars": ("budget_chars", 101),
        "a packed context fits its budget": ("chars", 101),
        "chars counts every piece": ("piece_chars", 101),
        "skipped is not negative": ("skipped", -1),
        "evidence recall is in [0, 1]": ("evidence_recall", 1.5),
        "as many starts as atom IDs": ("starts_shown", 9),
        "as many ends as atom IDs": ("ends_shown", 9),
        "every atom shown exists": ("unknown_atoms", 1),
        "every atom shown is of the question's context": ("foreign_atoms", 1),
        "every piece is a non-empty part of its atom": ("stray_pieces", 1),
    },
    "packed_by_question": {"every policy and budget has a row": ("missing_conditions", 1)},
    "predictions": {
        "a condition has one row for a question": ("budget_chars", 50),
        "policy is in pack.policies": ("policy", "unheard_of"),
        "budget_chars is in pack.budgets_chars": ("budget_chars", 101),
        "a letter is A, B, C or D": ("letter", "E"),
        "a failure is unparsable, too_long, error": ("failure", "tired"),
        "there is either a letter or a failure": ("outcomes", 2),
        "gold is the question's answer": ("answer", "D"),
        "correct says whether letter equals gold": ("correct", lambda frame: not frame["right"][0]),
        "prob_a is in [0, 1]": ("prob_a", 1.1),
        "prob_b is in [0, 1]": ("prob_b", -0.1),
        "prob_c is in [0, 1]": ("prob_c", 1.1),
        "prob_d is in [0, 1]": ("prob_d", 1.1),
        "all four probabilities are known, or none": ("probabilities", 3),
        "probabilities sum to 1": ("prob_sum", 0.99999),
        "packed_id is the packed context's": ("packed_id", "another"),
        "a tokenised prompt has tokens": ("prompt_tokens", 0),
    },
    "predictions_by_question": {"every policy and budget has a row": ("missing_conditions", 1)},
}


COLUMNS = {"questions": 14, "atoms": 7, "retrieval": 12, "rerank": 5, "packed": 12, "predictions": 14}


@pytest.fixture(scope="module")
def inputs(make_study):
    return make_study(group_by="context").inputs()


@pytest.fixture(scope="module")
def frames(inputs):
    return {name: frame for module in MODULES for name, frame in module.frames(inputs).items()}


@pytest.fixture(scope="module")
def suites(inputs):
    return {suite.name: suite for module in MODULES for suite in module.suites(inputs)}


def broken_rules(frame, suite, context):
    return [item.rule for item in validate({suite.name: frame}, [suite], context=context) if not item.success]


def planted(frame, column, value):
    value = value(frame) if callable(value) else value
    values = list(frame[column])
    # A null in the first row would hide a fault planted there from rules that leave nulls alone.
    row = next((place for place, item in enumerate(values) if not pd.isna(item)), 0) if column == "test_id" else 0
    values[row] = value
    return frame.assign(**{column: pd.Series(values, index=frame.index, dtype=object)})


def plants():
    for name, rules in PLANTS.items():
        for rule, (column, value) in rules.items():
            yield pytest.param(name, rule, column, value, id=f"{name}: {rule}")


def test_every_suite_holds_the_number_of_expectations_it_should(suites):
    assert {name: len(suite.expectations) for name, suite in suites.items()} == EXPECTATIONS


def test_every_rule_but_presence_has_a_planted_fault_below(suites):
    for name, suite in suites.items():
        rules = {item.description for item in suite.expectations if not item.description.endswith(" is present")}
        if name == "questions":
            rules.remove("there are questions")
        assert rules == set(PLANTS[name])


def test_a_study_without_a_fault_breaks_no_rule(frames, suites, context):
    assert [item for item in validate(frames, list(suites.values()), context=context) if not item.success] == []


@pytest.mark.parametrize(("name", "rule", "column", "value"), plants())
def test_a_planted_fault_breaks_its_rule_and_no_other(name, rule, column, value, frames, suites, context):
    assert broken_rules(planted(frames[name], column, value), suites[name], context) == [rule]


@pytest.mark.parametrize("name", ["questions", "atoms", "retrieval", "rerank", "packed", "predictions"])
def test_every_empty_value_is_reported_under_its_column(name, frames, suites, context):
    rules = [item.description for item in suites[name].expectations if item.description.endswith(" is present")]
    frame = frames[name].copy()
    for rule in rules:
        frame = planted(frame, rule.removesuffix(" is present"), None)
    broken = broken_rules(frame, suites[name], context)
    assert [rule for rule in broken if rule.endswith(" is present")] == rules


def test_a_benchmark_without_questions_is_reported(frames, suites, context):
    assert broken_rules(frames["questions"].iloc[:0], suites["questions"], context) == ["there are questions"]


def test_every_table_has_a_suite_of_columns_and_types(inputs):
    assert {suite.name.removesuffix("_columns"): len(suite.expectations) for suite in schemas.suites(inputs)} == COLUMNS


@pytest.mark.parametrize("name", sorted(COLUMNS))
def test_swapped_columns_break_the_rule_of_order(name, context):
    swapped = schemas.described(TABLES[name]).iloc[:, ::-1]
    (rule,) = broken_rules(swapped, schemas.table_suite(name), context)
    assert rule.startswith("the columns are")


@pytest.mark.parametrize("name", sorted(COLUMNS))
def test_every_wrong_type_is_reported_under_its_column(name, context):
    wrong = pa.schema([pa.field(item.name, pa.date32()) for item in TABLES[name]])
    broken = broken_rules(schemas.described(wrong), schemas.table_suite(name), context)
    assert [rule.split(" is of type ")[0] for rule in broken] == TABLES[name].names


def test_a_missing_column_is_reported_with_what_was_found(context):
    suite = schemas.table_suite("rerank")
    frame = schemas.described(TABLES["rerank"]).drop(columns="rerank_rank")
    order, kind = [item for item in validate({suite.name: frame}, [suite], context=context) if not item.success]
    assert order.sentence().endswith("found question_id, atom_id, rerank_score")
    assert kind.sentence().endswith("rerank_rank is of type int64; found nothing: a column is missing")
