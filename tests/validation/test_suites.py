"""Every expectation of every suite fails on a fault of its own, and only it."""

from collections import Counter

import pandas as pd
import pyarrow as pa
import pytest
from great_expectations import ExpectationSuite

from plancheck.records import FAILURES
from validation import (
    atoms,
    packed,
    plans,
    predictions,
    questions,
    rerank,
    rerank_tuned,
    retrieval,
    router_features,
    routing,
    rows,
    schemas,
    splits,
    traces,
)
from validation.frames import RECORD
from validation.gate import validate
from validation.gates import GATES

EXPECTATIONS = {
    "questions": 11,
    "splits": 4,
    "split_sizes": 2,
    "split_settings": 3,
    "split_contexts": 1,
    "atoms": 14,
    "atoms_by_context": 2,
    "rankings": 13,
    "rankings_by_ranking": 3,
    "candidates": 6,
    "candidates_by_question": 1,
    "rerank": 14,
    "rerank_by_ranking": 3,
    "rerank_tuned": 14,
    "rerank_tuned_by_ranking": 3,
    "plans": 14,
    "plans_by_question": 1,
    "packed": 30,
    "packed_by_question": 1,
    "predictions": 21,
    "predictions_by_question": 1,
    "traces": 22,
    "traces_by_question": 1,
    "rows_train": 12,
    "rows_dev": 11,
    "router_features": 72,
    "router_features_by_question": 1,
    "routing": 15,
    "routing_by_question": 3,
}
MODULES = (
    questions,
    splits,
    atoms,
    retrieval,
    rerank,
    rerank_tuned,
    plans,
    packed,
    predictions,
    traces,
    rows,
    router_features,
    routing,
)
A_FAILURE = f"a failure is {', '.join(FAILURES)}"
RANKING_PLANTS = {
    "an atom is of its question's context": ("atom_context", "another"),
    "ranking is in section rankings, and made here": ("ranking", "unheard_of"),
    "a score is a finite number, and is there where the kind of ranking has one": ("unscored", 1),
    "a dense ranking's score is a cosine, in [-1, 1]": ("no_cosine", 1),
    "tokens are not negative": ("tokens", -1),
    "truncated is what the ranking's coverage makes of the atom": ("misread", 1),
}
RERANK_PLANTS = {
    "a ranking ranks an atom once for a question": ("atom_id", lambda frame: frame["atom_id"][1]),
    "a cross-encoder ranks candidates alone": ("candidate", False),
    **RANKING_PLANTS,
}
RANK_PLANTS = {
    "rank holds 1 to n, each once": ("rank_missing", 1),
    "rank follows score, ties by position": ("rank_disordered", 1),
}
RERANK_QUESTION_PLANTS = {"every candidate is ranked": ("missing_rows", 1), **RANK_PLANTS}


def row_plants(other):
    return {
        "a row has question_id, prompt, completion, atom_ids, candidate_ids, reward of their form": ("misshapen", 1),
        "a question has one row": ("question_id", lambda frame: frame["question_id"][1]),
        "no row is of a test question": ("question_id", "q4"),
        f"no row is of a {other} question, or of one in no split": ("elsewhere", 1),
        "the plan's reward is 1": ("reward", 0),
        "a plan names 1 to 2 atoms (planner.max_atoms)": ("atoms", 3),
        "every atom is among the row's candidates": ("strangers", 1),
        "the row's candidates are the question's candidate pool, by position": ("other_candidates", 1),
        "the completion names the row's atoms by number, in order, and nothing else": ("unsaid", 1),
        "the plan is a rewarded trace of the question": ("rewarded", False),
        "the row's context lies on one side of the split": ("sides", 2),
    }


def scorer_plants(scorer):
    return {
        f"{scorer}_mean is at most {scorer}_top": (f"{scorer}_mean", 1.1),
        f"{scorer}_entropy is in [0, 1]": (f"{scorer}_entropy", 1.1),
        f"{scorer}_gap is in [0, 1]": (f"{scorer}_gap", -0.1),
        f"{scorer}_gini is in [0, 1]": (f"{scorer}_gini", 1.1),
        f"{scorer}_variation is not negative": (f"{scorer}_variation", -0.1),
        f"plan_{scorer}_best_rank counts from 1": (f"plan_{scorer}_best_rank", 0),
        f"plan_{scorer}_mean_rank is not better than the best": (f"plan_{scorer}_mean_rank", 0.5),
    }


def side_plants(side):
    return {
        f"{side}_confidence is at most 1": (f"{side}_confidence", 1.1),
        f"{side}_confidence of k choices is at least 1/k": (f"{side}_confidence", 0.2),
        f"{side}_margin is in [0, 1]": (f"{side}_margin", -0.1),
        f"{side}_entropy is in [0, 1]": (f"{side}_entropy", 1.1),
    }


# Suite -> rule -> column and value that break it in the first row. A callable value makes it from the frame.
PLANTS = {
    "questions": {
        "a question's ID is its own": ("question_id", lambda frame: frame["question_id"][1]),
        "a question has 2 to 10 choices, each a text": ("choices", 11),
        "the gold letter is that of a choice": ("lettered", False),
        "a context is of one group": ("groups", 2),
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
    "split_settings": {
        "seed is split.seed, and null for listed IDs": ("seed", "8"),
        "source is split.path, and null for our own split": ("source", "ids.json"),
        "group_by is split.group_by": ("group_by", "none"),
    },
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
    "rankings": {
        "a ranking ranks an atom once for a question": ("atom_id", lambda frame: frame["atom_id"][3]),
        **RANKING_PLANTS,
    },
    "rankings_by_ranking": {"every atom of the question's context is ranked": ("missing_rows", 1), **RANK_PLANTS},
    "candidates": {
        "an atom is a question's candidate once": ("atom_id", lambda frame: frame["atom_id"][1]),
        "position is the atom's": ("position", 7),
        "a candidate is ranked": ("ranked", False),
    },
    "candidates_by_question": {"the candidate pool holds 1 to 3 atoms (retrieve.pool.size)": ("candidates", 4)},
    "rerank": RERANK_PLANTS,
    "rerank_by_ranking": RERANK_QUESTION_PLANTS,
    "rerank_tuned": RERANK_PLANTS,
    "rerank_tuned_by_ranking": RERANK_QUESTION_PLANTS,
    "plans": {
        "a selector has one plan for a question": ("selector", "evidence"),
        "selector is in section selectors": ("selector", "unheard_of"),
        A_FAILURE: ("failure", "tired"),
        "parsed says whether the plan names an atom": ("parsed", False),
        "there is either a plan or a failure": ("outcomes", 2),
        "a plan names an atom once": ("repeated", 1),
        "every atom is of the question's context": ("strangers", 1),
        "starts and ends are those of the atoms or spans, in order": ("astray", 1),
        "every atom that a planner names is in the candidate pool": ("outsiders", 1),
        "a planner names at most 2 atoms (planner.max_atoms)": ("atoms", 3),
    },
    "plans_by_question": {"every selector has a plan, or its failure": ("missing_plans", 1)},
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
        "plan_failed says whether the plan of the policy's selector failed": ("plan_failed", True),
        "a shown_order shows the atoms of the policy that differs by shown_order alone": ("unshared_atoms", 1),
        "packed_id is 64 hex digits": ("packed_id", "0" * 63 + "G"),
        "where a question is shown the same text, packed_id is the same": ("ids_of_text", 2),
        "a packed_id is of one question and of one length": ("texts_of_id", 2),
    },
    "packed_by_question": {"every policy and budget has a row": ("missing_conditions", 1)},
    "predictions": {
        "a condition has one row for a question": ("budget_chars", 50),
        "policy is in pack.policies": ("policy", "unheard_of"),
        "budget_chars is in pack.budgets_chars": ("budget_chars", 101),
        "a letter is that of a choice": ("lettered", lambda frame: not frame["lettered"][0]),
        A_FAILURE: ("failure", "tired"),
        "there is either a letter or a failure": ("outcomes", 2),
        "gold is the question's answer": ("answer", "D"),
        "correct says whether letter equals gold or has its text": ("correct", lambda frame: not frame["right"][0]),
        "no probability is below 0": ("least_prob", -0.1),
        "there is a probability for each choice, or none at all": ("probabilities", 3),
        "probabilities sum to 1": ("prob_sum", 0.99999),
        "packed_id is the packed context's": ("packed_id", "another"),
        "a tokenised prompt has tokens": ("prompt_tokens", 0),
    },
    "predictions_by_question": {"every policy and budget has a row": ("missing_conditions", 1)},
    "traces": {
        "a sample has one row": ("sample", 1),
        "no trace is of a test question": ("question_id", "q4"),
        "a trace is of a question of the study": ("elsewhere", 1),
        "samples count from 0 to 2 (mine.samples)": ("sample", 3),
        "a plan names at most 2 atoms (planner.max_atoms)": ("atoms", 3),
        "every atom is in the question's candidate pool": ("strangers", 1),
        "a plan names an atom once": ("repeated", 1),
        "parsed says whether the plan names an atom": ("parsed", False),
        "a letter is that of a choice": ("lettered", lambda frame: not frame["lettered"][0]),
        A_FAILURE: ("failure", "tired"),
        "there is either a letter or a failure": ("outcomes", 2),
        "chars is there when the plan names an atom, and only then": ("executed", False),
        "a plan that names no atom has no letter": ("unasked", 1),
        "an executed plan fits 100 characters (mine.budget_chars)": ("chars", 101),
        "correct says whether letter equals the question's answer or has its text": ("right", False),
        "reward is 1 when correct, else 0": ("earned", 0),
        "duplicate_of is the first sample with the same atoms, whose outcome is repeated": ("misled", 1),
    },
    "traces_by_question": {"every train and dev question has all its samples": ("missing_samples", 1)},
    "rows_train": row_plants("dev"),
    "rows_dev": row_plants("train"),
    "router_features": {
        "a question has one row": ("question_id", lambda frame: frame["question_id"][1]),
        "domain is the question's": ("domain", "another"),
        "context_chars is at least 1": ("context_chars", 0),
        "question_chars is at least 1": ("question_chars", 0),
        "candidates is at least 1": ("candidates", 0),
        "the candidates are atoms of the context": ("candidates", 99),
        "a plan names at most 2 atoms (planner.max_atoms)": ("plan_atoms", 3),
        "plan_parsed says whether the plan names an atom": ("plan_parsed", False),
        "plan_rerank_overlap is in [0, 1]": ("plan_rerank_overlap", 1.1),
        **{rule: plant for scorer in ("bm25", "dense", "rerank") for rule, plant in scorer_plants(scorer).items()},
        **{rule: plant for side in ("control", "planner") for rule, plant in side_plants(side).items()},
        "letters agree only where both policies have one": ("agreed", False),
    },
    "router_features_by_question": {"every question has a row": ("missing_features", 1)},
    "routing": {
        "a router has one row for a question, scheme and what it chooses among": ("question_id", "q1"),
        "kind is the router's": ("kind", "fixed"),
        "the policy chosen is one that the router may choose": ("strays", 1),
        "correct is the chosen policy's at route.budget_chars": ("correct", False),
        "fold is there under a scheme of folds, and only then": ("in_fold", True),
        "folds count from 0": ("fold", -1),
    },
    "routing_by_question": {
        "every router and scheme has a row": ("missing_routings", 1),
        "a scheme tests a question in one fold, whatever the router": ("test_folds", 2),
        "questions that share a context are tested together": ("context_folds", 2),
    },
}


COLUMNS = {
    "questions": 12,
    "atoms": 7,
    "rankings": 8,
    "candidates": 4,
    "rerank": 8,
    "rerank_tuned": 8,
    "plans": 8,
    "given_plans": 8,
    "given_contexts": 6,
    "given_predictions": 7,
    "packed": 14,
    "predictions": 11,
    "traces": 11,
    "router_features": 46,
    "routing": 10,
}


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


def columns_read(expectation):
    """The columns that an expectation names; none where it is of the table as a whole."""
    kwargs = expectation.configuration.kwargs
    single = {kwargs[key] for key in ("column", "column_A", "column_B") if key in kwargs}
    return single.union(kwargs.get("column_list", ()))


def of_column(frame, suite, column):
    """What a fault in a column can break: the rules that name it or no column, on the columns that they name.

    So a rule that reads a column which it does not name fails for want of it.
    """
    read = [(item, columns_read(item)) for item in suite.expectations]
    judged = [(item, names) for item, names in read if not names or column in names]
    kept = {RECORD}.union(*(names for _, names in judged))
    rules = [item.copy(update={"id": None}) for item, _ in judged]
    return frame[[name for name in frame if name in kept]], ExpectationSuite(suite.name, rules, meta=suite.meta)


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


def test_every_module_of_suites_is_of_one_gate():
    assert Counter(module for gate in GATES.values() for module in gate.modules) == Counter(MODULES)


def test_every_suite_holds_the_number_of_expectations_it_should(suites):
    assert {name: len(suite.expectations) for name, suite in suites.items()} == EXPECTATIONS


def test_every_rule_but_presence_has_a_planted_fault_below(suites):
    for name, suite in suites.items():
        rules = {item.description for item in suite.expectations if not item.description.endswith(" is present")}
        rules -= {"there are questions", "there are rows to train on"}
        assert rules == set(PLANTS[name])


def test_a_study_without_a_fault_breaks_no_rule(frames, suites, context):
    assert [item for item in validate(frames, list(suites.values()), context=context) if not item.success] == []


@pytest.mark.parametrize(("name", "rule", "column", "value"), plants())
def test_a_planted_fault_breaks_its_rule_and_no_other(name, rule, column, value, frames, suites, context):
    frame = frames["rows_train" if name == "rows_dev" else name]  # one row, as dev has, cannot be there twice
    assert broken_rules(*of_column(planted(frame, column, value), suites[name], column), context) == [rule]


@pytest.mark.parametrize("name", ["packed", "router_features", "routing"])
def test_a_rule_without_the_columns_that_it_reads_breaks(name, frames, suites, context):
    columns = set().union(*map(columns_read, suites[name].expectations))
    for column in sorted(columns)[:3]:
        frame, suite = of_column(frames[name], suites[name], column)
        broken = broken_rules(frame.drop(columns=column), suite, context)
        assert broken == [item.description for item in suite.expectations if column in columns_read(item)] != []


@pytest.mark.parametrize("name", sorted(set(COLUMNS) & set(EXPECTATIONS)))
def test_every_empty_value_is_reported_under_its_column(name, frames, suites, context):
    rules = [item.description for item in suites[name].expectations if item.description.endswith(" is present")]
    frame = frames[name].copy()
    for rule in rules:
        frame = planted(frame, rule.removesuffix(" is present"), None)
    broken = broken_rules(frame, suites[name], context)
    assert [rule for rule in broken if rule.endswith(" is present")] == rules


def test_a_benchmark_without_questions_is_reported(frames, suites, context):
    assert broken_rules(frames["questions"].iloc[:0], suites["questions"], context) == ["there are questions"]


def test_no_rows_are_a_fault_of_train_and_none_of_dev(frames, suites, context):
    nothing = frames["rows_train"].iloc[:0]
    assert broken_rules(nothing, suites["rows_train"], context) == ["there are rows to train on"]
    assert broken_rules(nothing, suites["rows_dev"], context) == []


def without_tuned(study):
    kept = {name: spec for name, spec in study.params.rankings.items() if name != "rerank_tuned"}
    study.params = study.params.model_copy(update={"rankings": kept})


def test_a_table_of_no_ranking_has_no_rows(make_study, context):
    study = make_study()
    without_tuned(study)
    (suite,) = rerank_tuned.suites(study.inputs())
    frame = rerank_tuned.frames(study.inputs())["rerank_tuned"]
    assert broken_rules(frame, suite, context) == ["there are no rows, for no ranking is made here"]
    assert broken_rules(frame.iloc[:0], suite, context) == []


@pytest.mark.parametrize("name", ["rerank_tuned", "plans"])
def test_a_table_that_a_study_may_leave_empty_can_be_judged(make_study, context, name):
    study = make_study()
    study.rows[name] = []
    without_tuned(study)
    selectors = {} if name == "plans" else study.params.selectors
    study.params = study.params.model_copy(update={"selectors": selectors})
    inputs = study.inputs()
    module = {"rerank_tuned": rerank_tuned, "plans": plans}[name]
    frames = module.frames(inputs)
    for suite in module.suites(inputs):
        assert broken_rules(frames[suite.name], suite, context) == []
    for other in (packed, predictions, router_features, routing):
        other.frames(inputs)


def test_every_table_has_a_suite_of_columns_and_types(inputs):
    assert {suite.name.removesuffix("_columns"): len(suite.expectations) for suite in schemas.suites(inputs)} == COLUMNS


@pytest.mark.parametrize("name", sorted(COLUMNS))
def test_swapped_columns_break_the_rule_of_order(name, inputs, context):
    schema = schemas.schema_of(inputs, name)
    swapped = schemas.described(schema).iloc[:, ::-1]
    (rule,) = broken_rules(swapped, schemas.table_suite(name, schema), context)
    assert rule.startswith("the columns are")


@pytest.mark.parametrize("name", sorted(COLUMNS))
def test_every_wrong_type_is_reported_under_its_column(name, inputs, context):
    schema = schemas.schema_of(inputs, name)
    wrong = pa.schema([pa.field(item.name, pa.date32()) for item in schema])
    broken = broken_rules(schemas.described(wrong), schemas.table_suite(name, schema), context)
    assert [rule.split(" is of type ")[0] for rule in broken] == schema.names


def test_a_missing_column_is_reported_with_what_was_found(inputs, context):
    schema = schemas.schema_of(inputs, "rerank")
    suite = schemas.table_suite("rerank", schema)
    frame = schemas.described(schema).drop(columns="rank")
    order, kind = [item for item in validate({suite.name: frame}, [suite], context=context) if not item.success]
    assert order.sentence().endswith("found question_id, ranking, atom_id, score, tokens, truncated")
    assert kind.sentence().endswith("rank is of type int64; found nothing: a column is missing")
