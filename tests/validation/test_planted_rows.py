"""Faults in the tables themselves reach the derived columns: which rules break, and which records are named."""

import hashlib
import math
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from plancheck.params.rankings import Rankings
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
    splits,
    traces,
)
from validation.gate import validate

SHARED = "a shown_order shows the atoms of the policy that differs by shown_order alone"
ONE_ID = "where a question is shown the same text, packed_id is the same"
ONE_TEXT = "a packed_id is of one question and of one length"
COUNT_AND_LETTER = ["a question has 2 to 10 choices, each a text", "the gold letter is that of a choice"]
EACH_CHOICE = "there is a probability for each choice, or none at all"
CORRECT = "correct says whether letter equals gold or has its text"


def broken(study, module, context):
    inputs = study.inputs()
    found = validate(module.frames(inputs), module.suites(inputs), context=context)
    return {item.rule: item.records for item in found if not item.success}


def row(rows, **values):
    return next(item for item in rows if all(item[name] == value for name, value in values.items()))


def shown(study, budget=100):
    return row(study.rows["packed"], question_id="q0", policy="bm25", budget_chars=budget)


def answered(study):
    return row(study.rows["predictions"], question_id="q0", policy="head", budget_chars=100)


def test_a_question_in_no_split_is_named(make_study, context):
    study = make_study()
    study.splits["train"].remove("q1")
    assert broken(study, questions, context) == {"a question lies in a split": ("q1",)}
    assert broken(study, splits, context) == {"a split is not smaller than split.sizes asks": ("train",)}


def test_a_test_question_in_train_is_named_on_the_side_it_leaked_to(make_study, context):
    study = make_study(sizes={"train": 4, "dev": 1, "test": 2})
    study.splits["train"].append("q5")
    assert broken(study, splits, context) == {"no test question is in train or dev": ("train/q5",)}


def test_a_train_question_in_dev_is_named(make_study, context):
    study = make_study(sizes={"train": 3, "dev": 2, "test": 2})
    study.splits["dev"].append("q0")
    assert broken(study, splits, context) == {"no question is twice in train and dev": ("train/q0", "dev/q0")}


def test_an_unknown_question_is_named(make_study, context):
    study = make_study(sizes={"train": 3, "dev": 2, "test": 2})
    study.splits["dev"].append("q9")
    assert broken(study, splits, context) == {"a listed ID is a question's": ("dev/q9",)}


def test_another_seed_and_grouping_are_reported(make_study, context):
    study = make_study()
    study.splits |= {"seed": 8, "source": {"path": "ids.json", "sha256": "0" * 64}, "group_by": "context"}
    assert list(broken(study, splits, context)) == [
        "seed is split.seed, and null for listed IDs",
        "source is split.path, and null for our own split",
        "group_by is split.group_by",
    ]


def test_listed_ids_are_of_any_sizes_and_of_their_own_file(make_study, context):
    study = make_study(sizes={"train": 1, "dev": 1, "test": 4})
    listed = study.params.split.model_copy(update={"path": Path("ids.json")})
    study.params = study.params.model_copy(update={"split": listed})
    study.splits |= {"seed": None, "source": {"path": "ids.json", "sha256": "0" * 64}}
    assert broken(study, splits, context) == {}
    study.splits |= {"seed": 7, "source": {"path": "others.json", "sha256": "0" * 64}}
    assert list(broken(study, splits, context)) == [
        "seed is split.seed, and null for listed IDs",
        "source is split.path, and null for our own split",
    ]


@pytest.mark.parametrize(
    ("group_by", "sizes", "holds"),
    [
        ("none", {"train": 3, "dev": 1, "test": 2}, True),
        ("none", {"train": 0.5, "dev": 0.25, "test": 0.25}, True),  # 3, 1.5, 1.5 of 6
        ("none", {"train": 0.8, "dev": 0.1, "test": 0.1}, False),  # 4.8, 0.6, 0.6
        ("none", {"train": 2, "dev": 2, "test": 2}, False),
        ("context", {"train": 2, "dev": 2, "test": 2}, True),  # the largest context has 3 questions
    ],
)
def test_sizes_are_exact_as_counts_within_one_as_shares_and_looser_by_context(
    group_by, sizes, holds, make_study, context
):
    broken_rules = broken(make_study(group_by, sizes), splits, context)
    assert (not broken_rules) is holds


def test_a_context_on_two_sides_is_a_finding_until_grouping_is_asked_for(make_study, context):
    leaking = {}
    for group_by in ("none", "context"):
        study = make_study(group_by)
        study.splits |= {"dev": ["q4"], "test": ["q3", "q5"]}
        leaking[group_by] = broken(study, splits, context)
        measured = splits.overlaps(study.inputs())["contexts"]
        shared_id = study.rows["questions"][4]["context_id"]
        assert measured == {
            "shared": 1,
            "shared_with_test": 1,
            "questions": 2,
            "by_context": {shared_id: {"dev": ["q4"], "test": ["q5"]}},
        }
    assert leaking == {"none": {}, "context": {"a context lies on one side of the split": (shared_id,)}}


def test_near_equal_contexts_on_two_sides_leak_as_one(make_study, context):
    study = make_study("context")
    study.splits |= {"train": ["q0", "q1", "q2"], "dev": ["q3"], "test": ["q4", "q5"]}
    assert broken(study, splits, context) == {}
    group = study.rows["questions"][4]["context_id"]
    row(study.rows["questions"], question_id="q3")["context_group"] = group
    assert broken(study, splits, context) == {"a context lies on one side of the split": (group,)}
    assert broken(study, questions, context) == {}
    by_context = splits.overlaps(study.inputs())["contexts"]["by_context"]
    assert by_context == {group: {"dev": ["q3"], "test": ["q4", "q5"]}}


def test_a_context_in_two_groups_is_named_by_its_questions(make_study, context):
    study = make_study()
    row(study.rows["questions"], question_id="q4")["context_group"] = "f" * 64
    assert broken(study, questions, context) == {"a context is of one group": ("q4", "q5")}


@pytest.mark.parametrize(
    ("change", "rules"),
    [
        ({"answer": "E"}, ["the gold letter is that of a choice"]),
        ({"answer": "C", "choices": ["a", "b"]}, ["the gold letter is that of a choice"]),
        ({"answer": "J", "choices": list("abcdefghij")}, []),
        ({"answer": "A", "choices": list("abcdefghijk")}, ["a question has 2 to 10 choices, each a text"]),
        ({"answer": "A", "choices": ["a"]}, ["a question has 2 to 10 choices, each a text"]),
        ({"answer": "A", "choices": ["a", None]}, COUNT_AND_LETTER),
    ],
)
def test_faults_of_a_questions_choices_are_named(change, rules, make_study, context):
    study = make_study()
    row(study.rows["questions"], question_id="q4").update(change)
    assert broken(study, questions, context) == {rule: ("q4",) for rule in rules}


def test_repeated_question_texts_across_splits_are_measured_without_their_text(make_study):
    measured = splits.overlaps(make_study().inputs())["question_texts"]
    assert measured == {
        "shared": 2,
        "shared_with_test": 2,
        "questions": 4,
        "groups": [{"train": ["q0"], "test": ["q4"]}, {"train": ["q1"], "test": ["q5"]}],
    }


def test_characters_that_no_atom_holds_are_counted_wherever_they_lie(make_study, context):
    for position in (0, 1, 2):  # a gap at the start, in the middle, at the end
        study = make_study()
        first = study.rows["contexts"][0]["context_id"]
        study.rows["atoms"].remove(row(study.rows["atoms"], context_id=first, position=position))
        frame = atoms.frames(study.inputs())["atoms_by_context"].set_index("context_id")
        assert frame["uncovered_chars"][first] == {0: 70, 1: 60, 2: 50}[position]
        rules = broken(study, atoms, context)
        assert rules["every character is in some atom"] == (first,)


def test_a_context_without_atoms_is_uncovered(make_study, context):
    study = make_study()
    first = study.rows["contexts"][0]
    study.rows["atoms"] = [atom for atom in study.rows["atoms"] if atom["context_id"] != first["context_id"]]
    assert broken(study, atoms, context) == {"every character is in some atom": (first["context_id"],)}


def of_a_chunker(study):
    """The study with atoms of the user's own in its parameters: every rule of theirs, and none of windows alone."""
    inputs = study.inputs
    settings = inputs().params.atoms.model_copy(update={"path": Path("given/atoms/mine.jsonl")})
    study.inputs = lambda: replace(inputs(), params=inputs().params.model_copy(update={"atoms": settings}))
    return study


def test_atoms_of_one_s_own_may_be_long_and_leave_characters_out(make_study, context):
    study = of_a_chunker(make_study())
    first, second, third = study.rows["atoms"][:3]
    study.rows["atoms"].remove(third)
    first["end"] += 50
    second["start"] += 75
    assert broken(study, atoms, context) == {}


def test_a_context_without_atoms_of_one_s_own_and_a_span_that_is_two_atoms_are_told(make_study, context):
    study = of_a_chunker(make_study())
    kept = [atom for atom in study.rows["atoms"] if atom["context_id"] == study.rows["atoms"][0]["context_id"]]
    kept[1] |= {"start": kept[0]["start"], "end": kept[0]["end"]}
    lacking = tuple(sorted({atom["context_id"] for atom in study.rows["atoms"]} - {kept[0]["context_id"]}))
    study.rows["atoms"] = kept
    rules = broken(study, atoms, context)
    assert {rule: tuple(sorted(records)) for rule, records in rules.items()} == {
        "every context has an atom": lacking,
        "a span is one atom": (kept[0]["atom_id"], kept[1]["atom_id"]),
    }


def test_windows_differ_by_domain_of_the_context(make_study, context):
    study = make_study()
    atom = study.rows["atoms"][3]  # of a context of several documents: 60 characters, not 80
    atom["end"] = atom["start"] + 70
    assert broken(study, atoms, context) == {"an atom is no longer than its window in params.atoms": (atom["atom_id"],)}


def of_ranking(study, table, ranking, question_id="q0"):
    return [item for item in study.rows[table] if (item["ranking"], item["question_id"]) == (ranking, question_id)]


def test_an_atom_of_another_context_is_named_and_its_own_missed(make_study, context):
    study = make_study()
    study.rows["rankings"][0]["atom_id"] = foreign = study.rows["atoms"][-1]["atom_id"]
    rules = broken(study, retrieval, context)
    assert rules["an atom is of its question's context"] == (f"q0/bm25/{foreign}",)
    assert rules["every atom of the question's context is ranked"] == ("q0/bm25",)


def test_an_unknown_question_ranking_or_atom_is_named(make_study, context):
    study = make_study()
    study.rows["rankings"][0]["atom_id"] = "nothing"
    study.rows["rankings"][3]["question_id"] = "q9"
    study.rows["rankings"][4]["ranking"] = "mine"
    rules = broken(study, retrieval, context)
    assert rules["atom_context is present"] == ("q0/bm25/nothing",)
    assert len(rules["question_context is present"]) == 1
    assert len(rules["ranking is in section rankings, and made here"]) == 1
    assert rules["every atom of the question's context is ranked"] == ("q0/bm25", "q0/dense")


@pytest.mark.parametrize(("ranking", "value"), [("bm25", 0), ("dense", 2), ("mmr", 99)])
def test_ranks_that_are_no_permutation_name_question_and_ranking(ranking, value, make_study, context):
    study = make_study()
    row(of_ranking(study, "rankings", ranking, "q3"), rank=1)["rank"] = value
    assert broken(study, retrieval, context) == {"rank holds 1 to n, each once": (f"q3/{ranking}",)}


def test_a_pool_too_large_and_an_empty_one_are_named(make_study, context):
    study = make_study()
    kept = [item for item in study.rows["candidates"] if item["question_id"] not in ("q0", "q3")]
    whole = [{"question_id": "q3", "atom_id": item["atom_id"], "position": place}
             for place, item in enumerate(of_ranking(study, "rankings", "bm25", "q3"))]  # fmt: skip
    study.rows["candidates"] = kept + whole
    rules = broken(study, retrieval, context)
    assert rules == {"the candidate pool holds 1 to 3 atoms (retrieve.pool.size)": ("q0", "q3")}


def test_a_candidate_at_another_position_or_unranked_is_named(make_study, context):
    study = make_study()
    study.rows["candidates"][0]["position"] = 7
    study.rows["candidates"][1]["atom_id"] = foreign = study.rows["atoms"][-1]["atom_id"]
    rules = broken(study, retrieval, context)
    assert rules["a candidate is ranked"] == (f"q0/{foreign}",)
    assert f"q0/{study.rows['candidates'][0]['atom_id']}" in rules["position is the atom's"]


RANKED = [
    (retrieval, "rankings", "bm25"),
    (retrieval, "rankings", "dense"),
    (rerank, "rerank", "rerank"),
    (rerank_tuned, "rerank_tuned", "rerank_tuned"),
]
ORDER = "rank follows score, ties by position"


@pytest.mark.parametrize(
    ("scores", "holds"),
    [
        ([0.5, 0.4, -0.5], True),
        ([0.5, 0.5, -0.5], True),
        ([0.0, -0.0, -0.0], True),
        ([0.5, 0.500001, -0.5], False),
        ([0.5, 0.1, 0.2], False),
        ([-0.5, 0.1, 0.5], False),
    ],
)
@pytest.mark.parametrize(("module", "table", "ranking"), RANKED)
def test_ranks_that_do_not_follow_scores_name_question_and_ranking(
    scores, holds, module, table, ranking, make_study, context
):
    study = make_study()
    for item, score in zip(of_ranking(study, table, ranking), scores, strict=True):
        item["score"] = score
    assert broken(study, module, context) == ({} if holds else {ORDER: (f"q0/{ranking}",)})


@pytest.mark.parametrize(("module", "table", "ranking"), RANKED)
def test_equal_scores_are_ranked_by_position(module, table, ranking, make_study, context):
    study = make_study()
    first, second, _ = of_ranking(study, table, ranking)
    second["score"] = first["score"]
    study.rows[table].reverse()  # position counts, not the table's order
    assert broken(study, module, context) == {}
    first["rank"], second["rank"] = 2, 1
    assert broken(study, module, context)[ORDER] == (f"q0/{ranking}",)


def test_a_run_breaks_ties_as_it_likes_and_may_lack_atoms_but_follows_its_scores(make_study, context):
    study = make_study()
    run = TypeAdapter(Rankings).validate_python({"bm25": {"kind": "run", "path": "given/runs/mine.run"}})
    study.params = study.params.model_copy(update={"rankings": study.params.rankings | run})
    first, second, third = of_ranking(study, "rankings", "bm25")
    first["score"] = second["score"] = 0.5
    first["rank"], second["rank"], third["score"] = 2, 1, None
    assert broken(study, retrieval, context) == {}
    first["score"] = 0.6
    assert broken(study, retrieval, context) == {ORDER: ("q0/bm25",)}


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, None])
@pytest.mark.parametrize(("module", "table", "ranking"), RANKED)
def test_a_score_that_is_no_finite_number_is_named(value, module, table, ranking, make_study, context):
    study = make_study()
    faulty = of_ranking(study, table, ranking)[0 if value == math.inf else 2]
    faulty["score"] = value
    rule = "a score is a finite number, and is there where the kind of ranking has one"
    assert broken(study, module, context) == {rule: (f"q0/{ranking}/{faulty['atom_id']}",)}


def test_a_cosine_above_1_is_named(make_study, context):
    study = make_study()
    faulty = of_ranking(study, "rankings", "dense")[0]
    faulty["score"] = 1.01
    rule = "a dense ranking's score is a cosine, in [-1, 1]"
    assert broken(study, retrieval, context) == {rule: (f"q0/dense/{faulty['atom_id']}",)}


@pytest.mark.parametrize(
    ("coverage", "truncated", "faulty"),
    [
        ("head", [True, False, False], []),
        ("head", [False, True, False], [1]),
        ("head", [False, False, False], []),
        ("windows", [False, False, False], []),
        ("windows", [True, False, True], [0, 2]),
        ("snippet", [True, True, False], []),  # atoms of 80, 80 and 60 characters
        ("snippet", [True, False, True], [1, 2]),
    ],
)
@pytest.mark.parametrize(("module", "table"), [(rerank, "rerank"), (rerank_tuned, "rerank_tuned")])
def test_what_the_cross_encoder_read_is_as_its_coverage_says(
    make_study, context, module, table, coverage, truncated, faulty
):
    study = make_study()
    read = {table: study.params.rankings[table].model_copy(update={"coverage": coverage})}
    planner = study.params.planner.model_copy(update={"snippet_chars": 70})
    study.params = study.params.model_copy(update={"rankings": study.params.rankings | read, "planner": planner})
    chars = {item["atom_id"]: item["end"] - item["start"] for item in study.rows["atoms"]}
    for item in study.rows[table]:
        item["truncated"] = coverage == "snippet" and chars[item["atom_id"]] > 70
    own = of_ranking(study, table, table)
    for item, value in zip(own, truncated, strict=True):
        item["truncated"] = value
    named = tuple(f"q0/{table}/{own[place]['atom_id']}" for place in faulty)
    rule = "truncated is what the ranking's coverage makes of the atom"
    assert broken(study, module, context) == ({rule: named} if faulty else {})


@pytest.mark.parametrize(("ranking", "values"), [("bm25", {"tokens": 3}), ("dense", {"truncated": None})])
def test_tokens_are_of_rankings_with_a_model_and_of_no_other(ranking, values, make_study, context):
    study = make_study()
    of_ranking(study, "rankings", ranking)[0].update(values)
    assert list(broken(study, retrieval, context)) == ["truncated is what the ranking's coverage makes of the atom"]


@pytest.mark.parametrize(("module", "table"), [(rerank, "rerank"), (rerank_tuned, "rerank_tuned")])
def test_reranked_atoms_are_exactly_the_candidates(module, table, make_study, context):
    study = make_study()
    first = row(study.rows["candidates"], question_id="q3", position=0)
    atom_id, first["atom_id"] = first["atom_id"], of_ranking(study, "rankings", "bm25", "q3")[3]["atom_id"]
    assert broken(study, module, context) == {
        "a cross-encoder ranks candidates alone": (f"q3/{table}/{atom_id}",),
        "every candidate is ranked": (f"q3/{table}",),
    }


def test_a_missing_condition_names_the_question_and_a_doubled_one_the_rows(make_study, context):
    study = make_study()
    study.rows["packed"].remove(shown(study))
    study.rows["predictions"].append(dict(answered(study)))
    assert broken(study, packed, context) == {"every policy and budget has a row": ("q0",)}
    assert broken(study, predictions, context) == {
        "packed_packed_id is present": ("q0/bm25/100",),
        "a condition has one row for a question": ("q0/head/100", "q0/head/100"),
    }


@pytest.mark.parametrize(
    ("change", "rules"),
    [
        ({"atom_ids": ["nothing", "nothing"]}, ["every atom shown exists"]),
        ({"starts": [0, 71]}, []),
        ({"starts": [0, 69]}, ["every piece is a non-empty part of its atom"]),
        ({"ends": [0, 88]}, ["every piece is a non-empty part of its atom"]),
        ({"ends": [80, 200]}, ["chars counts every piece", "every piece is a non-empty part of its atom"]),
        ({"starts": [0]}, ["as many starts as atom IDs"]),
        ({"ends": [80, 88, 90]}, ["as many ends as atom IDs"]),
        ({"chars": 101}, ["a packed context fits its budget", ONE_TEXT]),
        ({"chars": 3}, ["chars counts every piece", ONE_TEXT]),
    ],
)
def test_faults_among_pieces_break_their_rule(change, rules, make_study, context):
    study = make_study()
    assert (shown(study)["starts"], shown(study)["ends"], len(shown(study)["atom_ids"])) == ([0, 70], [80, 88], 2)
    shown(study).update(change)
    alike = ("q0/bm25/100", "q0/sft+bm25/100")  # show the same
    expected = {rule: alike if rule == ONE_TEXT else ("q0/bm25/100",) for rule in rules}
    assert broken(study, packed, context) == expected


def with_policy(study, name, policy, *, like):
    """The study with one more policy, whose rows are another's."""
    policies = study.params.pack.policies | {name: policy}
    study.params = study.params.model_copy(update={"pack": study.params.pack.model_copy(update={"policies": policies})})
    study.rows["packed"] += [dict(item, policy=name) for item in study.rows["packed"] if item["policy"] == like]
    return study


def in_hybrid_order(study, budget=100):
    return row(study.rows["packed"], question_id="q0", policy="hybrid_order", budget_chars=budget)


@pytest.mark.parametrize(
    ("fill", "places", "named"),
    [
        ("bm25", [0, 1], ()),
        ("bm25", [1, 0], ()),
        ("bm25", [0], ("q0/hybrid_order/100",)),
        ("bm25", [0, 2], ("q0/hybrid_order/100",)),
        ("bm25", [], ("q0/hybrid_order/100",)),
        ("dense", [0], ()),  # no policy differs by shown_order alone
    ],
)
def test_another_order_of_what_is_shown_shows_the_same_atoms(fill, places, named, make_study, context):
    policy = make_study().params.pack.policies["bm25"].model_copy(update={"fill": fill, "shown_order": "hybrid"})
    study = with_policy(make_study(), "hybrid_order", policy, like="bm25")
    assert broken(study, packed, context) == {}
    atoms_shown = [study.rows["atoms"][place] for place in places]
    in_hybrid_order(study).update(
        packed_id=hashlib.sha256(f"{places}".encode()).hexdigest(),
        atom_ids=[atom["atom_id"] for atom in atoms_shown],
        starts=[atom["start"] for atom in atoms_shown],
        ends=[atom["start"] + 40 for atom in atoms_shown],
        chars=90,
    )
    assert broken(study, packed, context) == ({SHARED: named} if named else {})


@pytest.mark.parametrize(("pieces", "named"), [(17, False), (18, True)])
def test_an_order_of_many_short_pieces_may_show_fewer_where_the_budget_has_no_room(pieces, named, make_study, context):
    policy = make_study().params.pack.policies["bm25"].model_copy(update={"shown_order": "hybrid"})
    study = with_policy(make_study(), "hybrid_order", policy, like="bm25")
    first, second, third = (atom["atom_id"] for atom in study.rows["atoms"][:3])
    # Of 18 touching pieces of one character each, apart, 17 take 17 + 16 * 2 = 49 of 50 characters; 17 have room.
    twin = [first] * (pieces - 1) + [second]
    shown(study, 50)["atom_ids"] = twin
    frames = {}
    for name, ids in {"fewer": [first], "other": [first, third]}.items():
        in_hybrid_order(study, 50)["atom_ids"] = ids
        frame = packed.frames(study.inputs())["packed"].set_index("record")
        frames[name] = frame["unshared_atoms"]["q0/hybrid_order/50"]
    assert frames == ({"fewer": 0, "other": 1} if named else {"fewer": 1, "other": 2})


def test_one_text_has_one_id_and_names_all_rows_that_show_it(make_study, context):
    study = make_study()
    shown(study)["packed_id"] = "0" * 64
    alike = ("q0/bm25/100", "q0/sft+bm25/100")
    assert broken(study, packed, context) == {ONE_ID: alike}
    shown(study).update(starts=[0, 70, 80], ends=[70, 80, 88], atom_ids=[shown(study)["atom_ids"][0]] * 3)
    found = broken(study, packed, context)
    assert found == {"every piece is a non-empty part of its atom": ("q0/bm25/100",)}


def test_pieces_that_touch_are_the_text_of_one(make_study, context):
    study = make_study()
    once, again = (
        row(study.rows["packed"], question_id="q0", policy=name, budget_chars=50) for name in ("bm25", "head")
    )
    first = once["atom_ids"][0]
    again.update(atom_ids=[first, first], starts=[0, 20], ends=[20, 50])
    assert broken(study, packed, context) == {}
    again["packed_id"] = "0" * 64
    assert broken(study, packed, context)[ONE_ID] == ("q0/head/50", "q0/bm25/50", "q0/sft+bm25/50")


@pytest.mark.parametrize("value", ["0" * 63, "0" * 65, "G" * 64, "A" * 64, "0" * 64 + "\n", ""])
def test_an_id_that_is_no_hash_is_named(value, make_study, context):
    study = make_study()
    row(study.rows["packed"], question_id="q0", policy="head", budget_chars=100)["packed_id"] = value
    assert broken(study, packed, context) == {"packed_id is 64 hex digits": ("q0/head/100",)}


def test_an_id_of_two_questions_or_two_lengths_names_their_rows(make_study, context):
    study = make_study()
    other = row(study.rows["packed"], question_id="q1", policy="head", budget_chars=100)
    own = row(study.rows["packed"], question_id="q0", policy="head", budget_chars=100)
    ids = other["packed_id"], own["packed_id"]
    other["packed_id"] = ids[1]
    assert broken(study, packed, context) == {ONE_TEXT: ("q0/head/100", "q1/head/100")}
    other["packed_id"], own["chars"] = ids[0], 100
    half = row(study.rows["packed"], question_id="q0", policy="head", budget_chars=50)
    half["packed_id"] = own["packed_id"]
    assert broken(study, packed, context)[ONE_TEXT] == ("q0/head/100", "q0/head/50")


def test_a_piece_of_another_context_is_named(make_study, context):
    study = make_study()
    foreign = row(study.rows["packed"], question_id="q3", policy="bm25", budget_chars=50)
    shown(study, 50)["atom_ids"] = foreign["atom_ids"]
    assert broken(study, packed, context) == {"every atom shown is of the question's context": ("q0/bm25/50",)}


def test_a_context_of_no_atoms_is_a_packed_context_too(make_study, context):
    study = make_study()
    shown(study).update(packed_id="0" * 64, atom_ids=[], starts=[], ends=[], chars=0, cut=False)
    assert broken(study, packed, context) == {}


@pytest.mark.parametrize(
    ("change", "rules"),
    [
        ({"letter": None}, ["there is either a letter or a failure", CORRECT]),
        ({"failure": "error"}, ["there is either a letter or a failure"]),
        ({"correct": False}, [CORRECT]),
        ({"gold": "B", "correct": False}, ["gold is the question's answer"]),
        ({"letter": "E", "correct": False}, ["a letter is that of a choice"]),
        ({"probs": None}, []),
        ({"probs": [0.4, 0.3, 0.3]}, [EACH_CHOICE]),
        ({"probs": [0.4, 0.3, 0.3, 0, 0]}, [EACH_CHOICE]),
        ({"probs": [0.4, 0.3, 0.3, None]}, []),
        ({"probs": [1.0, None, None, None]}, [EACH_CHOICE]),
        ({"probs": [float("nan")] * 4}, [EACH_CHOICE]),
        ({"probs": [0.8, -0.2, 0.2, 0.2]}, ["no probability is below 0"]),
        ({"probs": [0.41, 0.3, 0.2, 0.1]}, ["probabilities sum to 1"]),
        ({"probs": [0.4 + 5e-7, 0.3, 0.2, 0.1]}, []),
        ({"packed_id": "another"}, ["packed_id is the packed context's"]),
        ({"prompt_tokens": None}, []),
    ],
)
def test_faults_of_a_prediction_break_their_rule(change, rules, make_study, context):
    study = make_study()
    answered(study).update(change)
    assert broken(study, predictions, context) == {rule: ("q0/head/100",) for rule in rules}


@pytest.mark.parametrize(("text", "rules"), [("SECRET  choice a", []), ("secret choice a", [CORRECT])])
def test_a_letter_with_the_gold_text_must_count_as_right_and_no_other(text, rules, make_study, context):
    study = make_study()
    row(study.rows["questions"], question_id="q0")["choices"][1] = text
    answered(study).update(letter="B", correct=True)
    assert broken(study, predictions, context) == {rule: ("q0/head/100",) for rule in rules}


@pytest.mark.parametrize(("name", "policy"), [("q1", "sft+bm25"), ("q0", "sft+bm25"), ("q0", "bm25")])
def test_a_plan_that_failed_must_be_marked_and_no_other(name, policy, make_study, context):
    study = make_study()
    condition = row(study.rows["packed"], question_id=name, policy=policy, budget_chars=50)
    condition["plan_failed"] = not condition["plan_failed"]
    rule = "plan_failed says whether the plan of the policy's selector failed"
    assert broken(study, packed, context) == {rule: (f"{name}/{policy}/50",)}


def test_a_condition_whose_plan_is_not_there_is_named(make_study, context):
    study = make_study()
    study.rows["plans"].remove(row(study.rows["plans"], question_id="q0", selector="sft"))
    assert broken(study, packed, context) == {"failed is present": ("q0/sft+bm25/100", "q0/sft+bm25/50")}
    assert broken(study, plans, context) == {"every selector has a plan, or its failure": ("q0",)}


def candidate(study, question_id, position):
    return of_ranking(study, "rankings", "bm25", question_id)[position]["atom_id"]


@pytest.mark.parametrize(
    ("change", "rules"),
    [
        ({"parsed": False}, ["parsed says whether the plan names an atom"]),
        ({"failure": "error"}, ["there is either a plan or a failure"]),
        ({"selector": "evidence_half"}, ["selector is in section selectors"]),
        ({"starts": [0]}, ["starts and ends are those of the atoms or spans, in order"]),
        ({"ends": [7, 8]}, ["starts and ends are those of the atoms or spans, in order"]),
    ],
)
def test_faults_of_a_plan_break_their_rule(change, rules, make_study, context):
    study = make_study()
    plan = row(study.rows["plans"], question_id="q0", selector="sft")
    plan.update(change)
    found = broken(study, plans, context)
    found.pop("every selector has a plan, or its failure", None)
    assert found == {rule: (f"q0/{plan['selector']}",) for rule in rules}


def test_a_planner_names_candidates_only_while_evidence_may_lie_elsewhere(make_study, context):
    study = make_study()
    outside = candidate(study, "q3", 4)
    assert outside in row(study.rows["plans"], question_id="q3", selector="evidence")["atom_ids"]
    row(study.rows["plans"], question_id="q3", selector="sft")["atom_ids"] = [outside, candidate(study, "q3", 0)]
    assert broken(study, plans, context)["every atom that a planner names is in the candidate pool"] == ("q3/sft",)


def test_atoms_of_another_context_repeated_or_too_many_are_named(make_study, context):
    study = make_study()
    plan = row(study.rows["plans"], question_id="q0", selector="sft")
    plan["atom_ids"] = [candidate(study, "q3", 0), *plan["atom_ids"], plan["atom_ids"][0]]
    assert set(broken(study, plans, context)) >= {
        "every atom is of the question's context",
        "a plan names an atom once",
        "a planner names at most 2 atoms (planner.max_atoms)",
    }


@pytest.mark.parametrize(
    ("sample", "change", "rules"),
    [
        (0, {"question_id": "q5"}, ["no trace is of a test question"]),
        (0, {"question_id": "q9"}, ["a trace is of a question of the study"]),
        (0, {"reward": 0}, ["reward is 1 when correct, else 0"]),
        (0, {"correct": False}, ["correct says whether letter equals", "reward is 1 when correct, else 0"]),
        (0, {"letter": None}, ["there is either a letter or a failure", "correct says whether letter equals"]),
        (0, {"chars": 101}, ["an executed plan fits"]),
        (0, {"chars": None}, ["chars is there when"]),
        (2, {"chars": 4}, ["chars is there when"]),
        (2, {"parsed": True}, ["parsed says whether"]),
        (2, {"failure": None, "letter": "B"}, ["a plan that names no atom has no letter"]),
        (0, {"duplicate_of": 1}, ["duplicate_of is"]),
        (1, {"duplicate_of": None}, ["duplicate_of is"]),
        (1, {"duplicate_of": 2}, ["duplicate_of is"]),
        (1, {"chars": 89}, ["duplicate_of is"]),
        (1, {"sample": 3}, ["samples count from 0 to 2"]),
        (1, {"sample": 0}, ["a sample has one row"]),
    ],
)
def test_faults_of_a_trace_break_their_rule(sample, change, rules, make_study, context):
    study = make_study()
    row(study.rows["traces"], question_id="q0", sample=sample).update(change)
    found = broken(study, traces, context)
    assert [rule for rule in rules if not any(name.startswith(rule) for name in found)] == []


def test_a_question_without_all_its_samples_is_named(make_study, context):
    study = make_study()
    study.rows["traces"].remove(row(study.rows["traces"], question_id="q3", sample=2))
    assert broken(study, traces, context) == {"every train and dev question has all its samples": ("q3",)}


def test_a_traced_atom_outside_the_pool_is_named(make_study, context):
    study = make_study()
    row(study.rows["traces"], question_id="q3", sample=0)["atom_ids"][0] = candidate(study, "q3", 4)
    found = broken(study, traces, context)
    assert found["every atom is in the question's candidate pool"] == ("q3/0",)


def reply(numbers):
    return [{"role": "assistant", "content": f"The needed passages are {numbers}"}]


@pytest.mark.parametrize(
    ("change", "rules"),
    [
        ({"reward": 0}, ["the plan's reward is 1"]),
        ({"reward": True}, ["a row has"]),
        ({"prompt": "SECRET"}, ["a row has"]),
        ({"prompt": [{"role": "assistant", "content": "SECRET"}]}, ["a row has"]),
        ({"completion": reply("[2] [1]") * 2}, ["a row has"]),
        ({"completion": [{"role": "assistant", "content": ""}]}, ["a row has"]),
        ({"note": "SECRET"}, ["a row has"]),
        ({"completion": reply("[1] [2]")}, ["the completion names"]),
        ({"completion": reply("[2] [1] [9]")}, ["the completion names"]),
        ({"completion": reply("[2] [1] SECRET")}, ["the completion names"]),
        ({"atom_ids": []}, ["a plan names 1 to 2 atoms", "the completion names", "the plan is a rewarded trace"]),
    ],
)
def test_faults_of_a_training_row_break_their_rule(change, rules, make_study, context):
    study = make_study()
    study.sft["train"][1].update(change)
    found = broken(study, rows, context)
    assert len(found) == len(rules)
    for rule in rules:
        (name,) = [name for name in found if name.startswith(rule)]
        assert found[name] == ("train/q1",)


def test_a_training_row_of_a_test_question_is_named_in_either_file(make_study, context):
    for split in ("train", "dev"):
        study = make_study()
        study.sft[split][0]["question_id"] = "q4"
        assert broken(study, rows, context)["no row is of a test question"] == (f"{split}/q4",)


def test_a_dev_row_in_train_and_an_unknown_one_are_named(make_study, context):
    study = make_study()
    study.sft["train"] += study.sft["dev"]
    assert broken(study, rows, context) == {
        "no row is of a dev question, or of one in no split": ("train/q3",),
    }
    study.sft["train"][-1] = study.sft["train"][-1] | {"question_id": "q9"}
    assert broken(study, rows, context)["no row is of a dev question, or of one in no split"] == ("train/q9",)


def test_an_unrewarded_trace_or_another_pool_makes_no_training_row(make_study, context):
    study = make_study()
    for trace in study.rows["traces"]:
        if trace["question_id"] == "q0":
            trace["reward"] = 0
    study.sft["train"][1]["candidate_ids"].append("another")
    assert broken(study, rows, context) == {
        "the plan is a rewarded trace of the question": ("train/q0",),
        "the row's candidates are the question's candidate pool, by position": ("train/q1",),
    }


def test_a_training_row_whose_context_a_test_question_has_breaks_a_rule_when_grouping_is_asked_for(make_study, context):
    found = {}
    for group_by in ("none", "context"):
        study = make_study(group_by)
        study.splits |= {"train": ["q0", "q1"], "test": ["q2", "q4", "q5"]}
        study.sft["train"].pop()
        found[group_by] = broken(study, rows, context)
    rule = "the row's context lies on one side of the split"
    assert found == {"none": {}, "context": {rule: ("train/q0", "train/q1")}}


def test_a_row_without_an_id_is_named_by_its_line(make_study, context):
    study = make_study()
    del study.sft["train"][1]["question_id"]
    (records,) = broken(study, rows, context).values()
    assert records == ("train/line 2",)


def test_no_text_of_training_rows_reaches_a_frame(make_study):
    study = make_study()
    study.sft["train"][0]["reward"] = "SECRET"
    for frame in rows.frames(study.inputs()).values():
        assert not frame.astype(str).stack().str.contains("SECRET").any()


def test_stray_text_in_a_vocabulary_column_is_masked(make_study):
    study = make_study()
    answered(study).update(letter="SECRET reply", failure="SECRET trace", gold="SECRET")
    study.rows["questions"][0]["answer"] = "SECRET"
    assert not predictions.frames(study.inputs())["predictions"].astype(str).stack().str.contains("SECRET").any()
    assert not questions.frames(study.inputs())["questions"].astype(str).stack().str.contains("SECRET").any()


def routed(study, scheme="stratified", among="pair", router="domain_rule"):
    return row(study.rows["routing"], question_id="q0", scheme=scheme, among=among, router=router)


def test_a_question_without_features_and_features_without_a_question_are_named(make_study, context):
    study = make_study()
    study.rows["router_features"][0]["question_id"] = "q9"
    rules = broken(study, router_features, context)
    assert rules == {"question_domain is present": ("q9",), "every question has a row": ("q0",)}


def test_a_plan_of_no_atoms_that_parsed_is_named(make_study, context):
    study = make_study()
    study.rows["router_features"][1]["plan_parsed"] = True
    rule = "plan_parsed says whether the plan names an atom"
    assert broken(study, router_features, context) == {rule: ("q1",)}


def test_letters_that_agree_with_an_unanswered_one_are_named(make_study, context):
    study = make_study()
    study.rows["router_features"][2]["planner_answered"] = False
    rule = "letters agree only where both policies have one"
    assert broken(study, router_features, context) == {rule: ("q2",)}


@pytest.mark.parametrize(
    ("among", "router", "policy"),
    [
        ("pair", "domain_rule", "head"),
        ("controls", "domain_rule", "sft+bm25"),
        ("policies", "best_single", "evidence+bm25"),
    ],
)
def test_a_policy_that_a_router_may_not_choose_is_named(among, router, policy, make_study, context):
    study = make_study()
    policies = study.params.pack.policies
    policies = policies | {"evidence+bm25": policies["bm25"].model_copy(update={"selector": "evidence"})}
    study.params = study.params.model_copy(update={"pack": study.params.pack.model_copy(update={"policies": policies})})
    study.rows["predictions"] += [
        answer | {"policy": "evidence+bm25"} for answer in study.rows["predictions"] if answer["policy"] == "bm25"
    ]
    routed(study, among=among, router=router)["policy"] = policy
    rule = "the policy chosen is one that the router may choose"
    assert broken(study, routing, context) == {rule: (f"q0/stratified/{among}/{router}",)}


def test_a_routed_answer_is_scored_at_the_routers_budget(make_study, context):
    study = make_study()
    row(study.rows["predictions"], question_id="q0", policy="sft+bm25", budget_chars=50)["correct"] = False
    assert broken(study, routing, context) == {}
    row(study.rows["predictions"], question_id="q0", policy="sft+bm25", budget_chars=100)["correct"] = False
    (names,) = broken(study, routing, context).values()
    assert names == tuple(
        f"q0/{found['scheme']}/{found['among']}/{found['router']}"
        for found in study.rows["routing"]
        if found["question_id"] == "q0" and found["policy"] == "sft+bm25"
    )


def test_a_routing_that_is_missing_or_of_no_router_names_the_question(make_study, context):
    study = make_study()
    routed(study)["router"] = "coin"
    rules = broken(study, routing, context)
    assert rules["every router and scheme has a row"] == ("q0",)
    assert rules["entry_kind is present"] == ("q0/stratified/pair/coin",)


def test_a_question_that_two_folds_test_is_named(make_study, context):
    study = make_study()
    routed(study)["fold"] = 1
    assert broken(study, routing, context) == {"a scheme tests a question in one fold, whatever the router": ("q0",)}


@pytest.mark.parametrize(("group_by", "holds"), [("none", True), ("context", False)])
def test_a_context_that_two_folds_test_is_a_fault_where_contexts_stay_together(group_by, holds, make_study, context):
    study = make_study(group_by=group_by)
    for among, router in (("pair", "domain_rule"), ("controls", "domain_rule"), ("policies", "best_single")):
        routed(study, among=among, router=router)["fold"] = 1
    rules = broken(study, routing, context)
    assert rules == ({} if holds else {"questions that share a context are tested together": ("q0", "q1", "q2")})


def test_a_fold_without_folds_is_named(make_study, context):
    study = make_study()
    routed(study, scheme="none", router="oracle_pair")["fold"] = 0
    rule = "fold is there under a scheme of folds, and only then"
    assert broken(study, routing, context) == {rule: ("q0/none/pair/oracle_pair",)}
