"""Router features: known answers, and that nothing of a gold letter is in them."""

import dataclasses
import json
import math

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plancheck import records
from plancheck.plumbing.files import DATA, write_table
from plancheck.records import ATOMS, CANDIDATES, CONTEXTS, PLANS, PREDICTIONS, QUESTIONS, RANKINGS
from plancheck.routing.features import answer_features, router_features
from plancheck.routing.inputs import COLUMNS, read_inputs, read_right
from plancheck.statistics.flatness import flatness

GOLD = {"answer", "gold", "correct", "evidence", "evidence_recall", "reward"}
SCORERS = ["bm25", "dense", "rerank"]
FEATURES = records.router_features(SCORERS, ["rerank"])


def with_gold(found, letters):
    """The tables with other gold letters, in the questions and, as predictions are scored, in the answers."""
    gold = dict(zip(found["questions"]["question_id"], letters, strict=True))
    answers = found["answers"].assign(gold=found["answers"]["question_id"].map(gold))
    return found | {
        "questions": found["questions"].assign(answer=list(letters)),
        "answers": answers.assign(correct=answers["letter"] == answers["gold"]),
    }


def moved_by_gold(compute, found, letters):
    """Names of the features that change when the gold letters do: the leak detector."""
    before, after = (pd.DataFrame(compute(with_gold(found, gold))) for gold in (found["questions"]["answer"], letters))
    return [name for name in before if not before[name].equals(after[name])]


@pytest.fixture
def compute(pair, inputs_of):
    return lambda found: router_features(inputs_of(found), pair, SCORERS, ["rerank"])


@given(data=st.data())
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_permuting_gold_letters_leaves_router_features_unchanged(data, study, compute):
    found = study(questions=8)
    letters = data.draw(st.permutations(found["questions"]["answer"].tolist()))
    assert moved_by_gold(compute, found, letters) == []


def test_a_planted_leaking_feature_is_caught(study, compute):
    def leaking(found):
        rows = compute(found)
        right = found["answers"].query("policy == 'planner'").set_index("question_id")["correct"]
        return [row | {"plan_atoms": row["plan_atoms"] + right[row["question_id"]]} for row in rows]

    found = study(questions=8)
    assert moved_by_gold(leaking, found, found["questions"]["answer"].tolist()[::-1]) == ["plan_atoms"]


def test_changing_a_question_s_difficulty_changes_no_router_feature(study, compute):
    found = study(questions=8)
    judged = found["questions"].assign(
        difficulty=found["questions"]["difficulty"].map({"easy": "hard", "hard": "easy"})
    )
    assert compute(found | {"questions": judged}) == compute(found)


@pytest.mark.parametrize(
    ("table", "column"),
    [("questions", "answer"), ("questions", "evidence"), ("questions", "difficulty"), ("answers", "gold"),
     ("answers", "correct"), ("plans", "reward"), ("answers", "evidence_recall")],
)  # fmt: skip
def test_a_table_with_a_column_that_is_not_known_before_the_answer_is_refused(table, column, study, inputs_of):
    inputs = inputs_of(study())
    leaked = {table: getattr(inputs, table).assign(**{column: "A"})}
    with pytest.raises(ValueError, match=f"{table}: .* not known then: \\['{column}'\\]"):
        dataclasses.replace(inputs, **leaked)


def test_a_table_that_lacks_a_column_is_refused(study, inputs_of):
    inputs = inputs_of(study())
    with pytest.raises(ValueError, match=r"missing: \['letter'\]"):
        dataclasses.replace(inputs, answers=inputs.answers.drop(columns="letter"))


def test_no_declared_input_and_no_feature_is_named_after_the_gold_letter():
    assert not GOLD & {column for columns in COLUMNS.values() for column in columns}
    assert not GOLD & set(FEATURES.names)


def test_known_answers(study, inputs_of, pair):
    found = study(questions=2)
    found["answers"] = found["answers"].assign(
        letter=["A", "B", "A", None], packed_id=["p", "p", "p", "other"],
        probs=[[0.4, 0.3, 0.2, 0.1], [0.25] * 4, [1.0, 0.0, 0.0, 0.0], None],
    )  # fmt: skip
    found["plans"] = found["plans"].assign(
        atom_ids=[["c0-3", "c0-2"], []], parsed=[True, False],
    )  # fmt: skip
    first, second = router_features(inputs_of(found), pair, SCORERS, ["rerank"])

    assert list(first) == FEATURES.names
    assert (first["context_chars"], first["atoms"], first["candidates"]) == (900, 4, 3)
    assert first["question_chars"] == len("Who keeps boat 0?") + 4 * len("keeper a")
    ranked = found["rankings"].query("question_id == 'q000' and ranking == 'bm25'")
    pool = ranked["score"][:3].tolist()
    flat = flatness(pool)
    assert first["bm25_top"] == max(pool)
    assert first["bm25_mean"] == pytest.approx(sum(pool) / 3)
    statistics = [first[f"bm25_{name}"] for name in ("entropy", "gap", "gini", "variation")]
    assert statistics == [flat.normalised_entropy, flat.top_gap, flat.gini, flat.variation]
    assert (first["plan_parsed"], first["plan_atoms"]) == (True, 2)
    assert [first[f"plan_{scorer}_mean_rank"] for scorer in ("bm25", "dense", "rerank")] == [2.5, 2.5, 2]
    assert [first[f"plan_{scorer}_best_rank"] for scorer in ("bm25", "dense", "rerank")] == [1, 2, 2]
    assert first["plan_rerank_overlap"] == 0.5
    assert (first["control_confidence"], first["control_margin"]) == pytest.approx((0.4, 0.1))
    entropy = -sum(p * math.log(p) for p in (0.4, 0.3, 0.2, 0.1)) / math.log(4)
    assert first["control_entropy"] == pytest.approx(entropy)
    assert (first["planner_confidence"], first["planner_margin"], first["planner_entropy"]) == (1, 1, 0)
    assert (first["letters_agree"], first["same_context"]) == (True, True)

    assert (second["plan_parsed"], second["plan_atoms"], second["plan_rerank_overlap"]) == (False, 0, None)
    assert second["plan_bm25_mean_rank"] is second["plan_rerank_best_rank"] is None
    assert (second["control_confidence"], second["control_margin"]) == (0.25, 0)
    assert second["control_entropy"] == pytest.approx(1)
    assert (second["control_answered"], second["planner_answered"]) == (True, False)
    assert second["planner_confidence"] is second["planner_entropy"] is None
    assert (second["letters_agree"], second["same_context"]) == (False, False)


def test_a_policy_without_a_selector_has_no_plan(study, inputs_of, pair):
    inputs = inputs_of(study())
    without = dataclasses.replace(inputs, plans=inputs.plans.iloc[:0])
    assert {(row["plan_parsed"], row["plan_atoms"]) for row in router_features(without, pair, SCORERS, ["rerank"])} == {
        (False, 0)
    }


def test_two_policies_that_both_fail_agree_on_nothing(study, inputs_of, pair):
    found = study()
    found["answers"] = found["answers"].assign(letter=None)
    assert not any(row["letters_agree"] for row in router_features(inputs_of(found), pair, SCORERS, ["rerank"]))


def test_a_question_without_an_answer_is_an_error(study, inputs_of, pair):
    found = study()
    found["answers"] = found["answers"].iloc[1:]
    with pytest.raises(ValueError, match="q000: needs a candidate and the answers of control and planner"):
        router_features(inputs_of(found), pair, SCORERS, ["rerank"])


def test_the_order_of_rows_changes_nothing_and_the_table_can_be_written(study, inputs_of, pair, tmp_path):
    found = study()
    mixed = {name: table.sample(frac=1, random_state=3) for name, table in found.items()}
    rows, again = (router_features(inputs_of(tables), pair, SCORERS, ["rerank"]) for tables in (found, mixed))
    assert json.dumps(rows) == json.dumps(again)
    write_table(tmp_path / "features.parquet", rows, FEATURES)


def gold_tables(letters):
    """Two questions and their predictions as the pipeline writes them, with these gold letters."""
    questions = [
        {
            "question_id": f"q{number}", "domain": "Books", "sub_domain": "", "difficulty": "", "length": "",
            "question": "Who?", "choices": ["a", "b", "c", "d"], "answer": letter,
            "context_id": "c", "context_group": "c", "evidence": None,
        }
        for number, letter in enumerate(letters)
    ]  # fmt: skip
    predictions = [
        {
            "question_id": f"q{number}", "policy": policy, "budget_chars": 100, "packed_id": "p", "letter": "A",
            "gold": letter, "correct": letter == "A", "failure": None, "probs": [0.4, 0.3, 0.2, 0.1],
            "prompt_tokens": 9,
        }
        for number, letter in enumerate(letters)
        for policy in ("control", "planner", "other")
    ]  # fmt: skip
    write_table(DATA / "questions.parquet", questions, QUESTIONS)
    write_table(DATA / "predictions.parquet", predictions, PREDICTIONS)


def test_what_is_read_from_the_files_does_not_move_with_their_gold_letters(study, pair, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    schemas = {"contexts": CONTEXTS, "atoms": ATOMS, "candidates": CANDIDATES, "rankings": RANKINGS, "rerank": RANKINGS,
               "plans": PLANS, "given_plans": PLANS}  # fmt: skip
    for name, schema in schemas.items():
        write_table(DATA / f"{name}.parquet", [], schema)
    read = []
    for letters in ("AB", "BA"):
        gold_tables(letters)
        inputs = read_inputs(pair, SCORERS, selector="sft", budget_chars=100)
        read.append({name: getattr(inputs, name).to_json() for name in COLUMNS})
        assert len(inputs.answers) == 4
    assert read[0] == read[1]
    right = read_right(["q1", "q0"], ["planner", "control"], budget_chars=100)
    assert right.to_dict("index") == {
        "q1": {"planner": True, "control": True},
        "q0": {"planner": False, "control": False},
    }


def test_confidence_is_over_the_choices_that_a_question_has(study):
    probs = [[0.5, 0.5], [0.1] * 10, [1.0, 0.0], [0.6, 0.1, 0.1, 0.1, 0.1]]
    known = answer_features(study(questions=2)["answers"][list(COLUMNS["answers"])].assign(probs=probs))
    assert known["control"]["confidence"].tolist() == [0.5, 0.1]
    assert known["control"]["entropy"].tolist() == pytest.approx([1, 1])
    five = -(0.6 * math.log(0.6) + 0.4 * math.log(0.1)) / math.log(5)
    assert known["planner"]["entropy"].tolist() == pytest.approx([0, five])


def test_what_is_known_of_an_answer_by_policy(study):
    found = study(questions=2)["answers"][list(COLUMNS["answers"])].assign(
        letter=["A", None, "B", "A"], probs=[[0.4, 0.3, 0.2, 0.1], None, [0.25] * 4, [1.0, 0.0, 0.0, 0.0]],
    )  # fmt: skip
    known = answer_features(found.sample(frac=1, random_state=1))
    assert list(known.index) == ["q000", "q001"]
    assert known["control"]["answered"].tolist() == [True, False]
    assert known.loc["q000", ("control", "confidence")] == 0.4
    assert known.loc["q000", ("control", "margin")] == pytest.approx(0.1)
    assert known.loc["q001"]["control"][["confidence", "margin", "entropy"]].isna().all()
    numbers = known["planner"][["confidence", "margin", "entropy"]].astype(float).round(6)
    assert numbers.to_numpy().tolist() == [[0.25, 0, 1], [1, 1, 0]]


def test_permuting_gold_letters_leaves_what_is_known_of_answers_unchanged(study):
    def compute(found):
        known = answer_features(found["answers"][list(COLUMNS["answers"])])
        return {f"{policy} {name}": known[policy, name].tolist() for policy, name in known}

    found = study(questions=8)
    assert moved_by_gold(compute, found, found["questions"]["answer"].tolist()[::-1]) == []


@pytest.mark.parametrize("column", ["gold", "correct"])
def test_answers_with_a_column_that_is_not_known_before_they_are_judged_are_refused(column, study):
    answers = study()["answers"][list(COLUMNS["answers"])]
    with pytest.raises(ValueError, match=f"answers: .* not known then: \\['{column}'\\]"):
        answer_features(answers.assign(**{column: True}))


def test_an_answer_that_is_missing_or_there_twice_is_an_error(study):
    answers = study()["answers"][list(COLUMNS["answers"])]
    for wrong in (answers.iloc[1:], pd.concat([answers, answers.iloc[:1]])):
        with pytest.raises(ValueError, match="answers: not one row for each question and policy"):
            answer_features(wrong)
