"""`plancheck export`: what it writes, that it never holds gold, and what it refuses."""

import os
import threading
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plancheck.known import complete, read_ranked
from plancheck.params.study import read_params
from plancheck.plumbing.files import DATA, read_table, write_table
from plancheck.records import PACKED, Atom, Span
from plancheck.tables import read_packed_contexts
from plancheck.trec import best_first, read_run

DECLARED = yaml.safe_load((Path(__file__).parents[2] / "params.yaml").read_text())["rankings"]
EXPORTS = {
    "candidates": ["candidates"],
    "atoms": ["atoms"],
    "atoms' texts": ["atoms", "--text"],
    "questions": ["questions"],
    "questions' texts": ["questions", "--text"],
    "run": ["run", "--ranking", "hybrid"],
    "prompts": ["prompts"],
}


def test_candidates_are_a_question_and_the_atoms_of_its_pool_by_position(rows, study):
    found = rows("candidates")
    text = study.texts["north"]
    assert [row["question_id"] for row in found] == sorted(study.questions)
    assert next(row for row in found if row["question_id"] == "q2") == {
        "question_id": "q2",
        "question": "Where is the inn?",
        "choices": ["Tarn", "Lund", "Ost", "nowhere"],
        "candidates": [
            {"atom_id": f"north {place}", "start": place * 18, "end": place * 18 + 24, "text": text[place * 18 :][:24]}
            for place in range(3)
        ],
    }


def test_atoms_are_those_of_each_context_once_by_position(rows, study):
    found = rows("atoms")
    assert len(found) == 10
    assert found == sorted(found, key=lambda row: (row["context_id"], row["start"]))
    assert set(found[0]) == {"context_id", "atom_id", "start", "end"}
    texts = {row["atom_id"]: row["text"] for row in rows("atoms", "--text")}
    assert texts["south 1"] == study.texts["south"][18:42]
    assert [row | {"text": texts[row["atom_id"]]} for row in found] == rows("atoms", "--text")


def test_questions_bring_their_whole_context_where_it_is_asked_for(rows, study):
    bare, whole = rows("questions"), rows("questions", "--text")
    assert set(bare[0]) == {"question_id", "context_id", "domain", "question", "choices"}
    assert {row["question_id"]: row["context"] for row in whole} == {
        name: study.texts[context] for name, (context, *_) in study.questions.items()
    }
    assert [row | {"context": text["context"]} for row, text in zip(bare, whole, strict=True)] == whole


def test_a_run_lists_every_atom_best_first(exported):
    lines = exported("run", "--ranking", "bm25", "--split", "train").splitlines()
    assert lines == [
        "q%201 Q0 north%202 1 5.0 bm25",
        "q%201 Q0 north%200 2 4.0 bm25",
        "q%201 Q0 north%201 3 3.0 bm25",
        "q%201 Q0 north%204 4 2.0 bm25",
        "q%201 Q0 north%203 5 1.0 bm25",
    ]


def test_a_ranking_needs_no_table_of_a_later_stage(exported):
    whole = exported("run", "--ranking", "hybrid")
    for name in ("rerank", "rerank_tuned"):
        Path(f"data/{name}.parquet").unlink()
    assert exported("run", "--ranking", "hybrid") == whole


@pytest.mark.parametrize("name", DECLARED)
def test_an_exported_run_reads_back_with_the_same_ranks(name, exported, study):
    Path("run").write_text(exported("run", "--ranking", name), encoding="utf-8")
    run, rankings, stored = read_run(Path("run")), read_params().rankings, read_ranked()
    assert set(run) == set(study.questions)
    for question_id, hits in run.items():
        atoms = [Atom(f"{study.questions[question_id][0]} {place}", "", 0, 1, 0) for place in range(5)]
        position = {atom.atom_id: place for place, atom in enumerate(atoms)}
        ordered = [position[hit.docid] for hit in best_first(hits, position)]
        assert ordered == list(complete(stored[question_id], rankings, atoms, question_id)[0][name])
        assert [hit.rank for hit in hits] == [1, 2, 3, 4, 5]


def test_qrels_are_the_atoms_that_hold_evidence_whole(exported, plancheck):
    assert exported("qrels").splitlines() == [
        "50%25 0 south%201 1",
        "q%201 0 north%200 1",
        "q2 0 north%204 1",
        "漢 0 south%203 1",
        "漢 0 south%204 1",
    ]
    _, _, told = plancheck("export", "qrels", "--out", "-")
    assert "1 evidence span(s) lie in no atom whole; 0 of 4 questions have no line" in told


def test_questions_that_qrels_do_not_judge_are_told(study, plancheck):
    study.write({name: (*question[:4], ()) for name, question in study.questions.items()})
    status, lines, told = plancheck("export", "qrels", "--out", "-")
    assert (status, lines) == (0, "")
    assert "0 evidence span(s) lie in no atom whole; 4 of 4 questions have no line" in told


def test_prompts_are_conditions_with_their_chats(rows):
    found = rows("prompts", "--policy", "last", "--split", "train")
    assert [(row["question_id"], row["policy"], row["budget_chars"]) for row in found] == [("q 1", "last", 900)]
    assert len(rows("prompts")) == len(rows("prompts", "--policy", "last", "--policy", "bm25", "--budget", "900")) == 8


@pytest.mark.parametrize("mode", ["likelihood", "generate"])
def test_prompts_are_those_that_the_answer_model_is_asked(mode, rows, study):
    from tasks.answer import prompts_of  # Prefect, which no other test here waits for

    study.change("answer", mode=mode)
    asked = {
        prompt.prompt_id: (list(prompt.messages), list(prompt.choices))
        for prompt in prompts_of(read_packed_contexts(), read_params().answer)
    }
    found = rows("prompts")
    assert {row["mode"] for row in found} == {mode}
    assert {row["packed_id"]: (row["messages"], row["choices"]) for row in found} == asked


letters = st.lists(st.sampled_from("ABCD"), min_size=4, max_size=4)
spans = st.none() | st.lists(st.builds(Span, st.integers(0, 40), st.integers(41, 90)), max_size=3).map(tuple)


@given(letters, st.lists(spans, min_size=4, max_size=4))
@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)  # each writes a study
def test_permuted_gold_letters_and_moved_gold_spans_leave_every_byte(exported, study, golds, evidences):
    study.write()
    before = {name: exported(*arguments) for name, arguments in EXPORTS.items()}
    study.write(
        {
            name: (*question[:3], gold, evidence)
            for (name, question), gold, evidence in zip(study.questions.items(), golds, evidences, strict=True)
        }
    )
    assert {name: exported(*arguments) for name, arguments in EXPORTS.items()} == before


def test_qrels_alone_follow_the_gold_spans(exported, study):
    before = exported("qrels")
    study.write({name: (*question[:4], (Span(1, 2),)) for name, question in study.questions.items()})
    assert exported("qrels") != before


@pytest.mark.parametrize("name", ["candidates", "questions", "questions' texts", "prompts"])
def test_a_split_is_its_questions_rows_unchanged(name, rows):
    whole = rows(*EXPORTS[name])
    assert rows(*EXPORTS[name], "--split", "test") == [row for row in whole if row["question_id"] != "q 1"]


def test_a_run_of_a_split_has_its_questions_lines_unchanged(exported):
    whole = exported("run", "--ranking", "dense").splitlines()
    part = exported("run", "--ranking", "dense", "--split", "test").splitlines()
    assert part == [line for line in whole if not line.startswith("q%201 ")]


def test_the_atoms_of_a_split_are_those_of_its_contexts(rows):
    assert {row["atom_id"].split()[0] for row in rows("atoms", "--split", "train")} == {"north"}


def refused(plancheck, *arguments, out="out"):
    status, printed, message = plancheck("export", *arguments, "--out", out)
    assert (status, printed) == (1, "") and message.startswith("error: ")
    return message


MISSING = {
    "candidates": (["candidates"], ["candidates.parquet"], "retrieve"),
    "several": (["candidates"], ["atoms.parquet", "candidates.parquet"], "atoms retrieve"),
    "of one stage": (["atoms", "--text"], ["questions.parquet", "contexts.parquet"], "benchmark"),
    "a split": (["questions", "--split", "dev"], ["splits.json"], "split"),
    "a ranking": (["run", "--ranking", "bm25"], ["rankings.parquet"], "retrieve"),
    "a cross-encoder's": (["run", "--ranking", "rerank"], ["rankings.parquet", "rerank.parquet"], "retrieve rerank"),
    "the tuned one's": (["run", "--ranking", "rerank_tuned"], ["rerank_tuned.parquet"], "tune"),
    "judgements": (["qrels"], ["atoms.parquet"], "atoms"),
    "prompts": (["prompts"], ["packed.parquet"], "pack"),
}


@pytest.mark.parametrize("case", MISSING)
def test_what_is_not_made_yet_is_named_with_the_stages_to_run(case, study, plancheck):
    arguments, files, stages = MISSING[case]
    for name in files:
        Path("data", name).unlink()
    message = refused(plancheck, *arguments)
    assert all(f"data/{name}, of stage " in message for name in files)
    assert f"Run `dvc repro {stages}`." in message
    assert not Path("out").exists()


def test_outside_a_study_the_remedy_is_its_folder(study, plancheck):
    Path("dvc.yaml").unlink()
    Path("data/questions.parquet").unlink()
    assert "Run inside the project's folder" in refused(plancheck, "questions")


REFUSED = {
    "a ranking": (["run", "--ranking", "bm52"], ["--ranking bm52", "bm25, dense"]),
    "a policy": (["prompts", "--policy", "bm52"], ["--policy bm52: not in data/packed.parquet", "bm25, last"]),
    "policies": (["prompts", "--policy", "x", "--policy", "bm25", "--policy", "y"], ["--policy x, y:"]),
    "a budget": (["prompts", "--budget", "90"], ["--budget 90", "It has 900."]),
    "an empty split": (["candidates", "--split", "dev"], ["--split dev: has no question"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_study_does_not_have_is_refused_with_what_it_has(case, study, plancheck):
    arguments, expected = REFUSED[case]
    message = refused(plancheck, *arguments)
    assert all(part in message for part in expected), message


def test_questions_without_known_evidence_are_listed_and_not_judged(study, plancheck):
    study.write({name: (*question[:4], None) for name, question in study.questions.items()})
    message = refused(plancheck, "qrels")
    assert "does not say what the evidence" in message and "benchmark.source: controlled" in message
    assert all(f"  - {name}\n" in message for name in study.questions)


def test_a_ranking_that_the_study_left_out_is_refused_with_its_questions(study, plancheck):
    path = Path("data/rerank_tuned.parquet")
    pq.write_table(pq.read_table(path).slice(0, 0), path)
    message = refused(plancheck, "run", "--ranking", "rerank_tuned")
    assert "questions without this ranking" in message and "  - 漢" in message


def test_a_question_without_packed_contexts_is_named(study, plancheck):
    table = pq.read_table("data/packed.parquet")
    pq.write_table(table.slice(2), "data/packed.parquet")
    assert "data/packed.parquet: lacks questions:\n  - 50%\n" in refused(plancheck, "prompts")


def test_a_file_that_is_there_is_replaced_only_by_force(study, plancheck):
    Path("out").write_text("mine")
    assert "out: is there already. Give --force" in refused(plancheck, "questions")
    assert Path("out").read_text() == "mine"
    status, _, told = plancheck("export", "questions", "--out", "out", "--force")
    assert status == 0 and "4 lines in out" in told
    assert len(Path("out").read_text(encoding="utf-8").splitlines()) == 4


def test_a_folder_is_no_file(study, plancheck):
    Path("out").mkdir()
    assert "out: is a folder" in refused(plancheck, "questions", "--force")


def test_an_export_that_fails_on_its_way_leaves_nothing(study, plancheck):
    damaged = bytearray(Path("data/contexts.parquet").read_bytes())
    damaged[10:60] = b"x" * 50
    Path("data/contexts.parquet").write_bytes(damaged)
    before = sorted(Path().iterdir())
    assert "data/contexts.parquet: not a readable Parquet file" in refused(plancheck, "questions", "--text")
    assert sorted(Path().iterdir()) == before


def test_a_file_has_the_bytes_that_standard_output_has(study, exported, plancheck):
    plancheck("export", "atoms", "--text", "--out", "new/folder/atoms.jsonl")
    assert Path("new/folder/atoms.jsonl").read_text(encoding="utf-8") == exported("atoms", "--text")


def test_a_pipe_is_written_to(study, plancheck, exported):
    os.mkfifo("pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_text(encoding="utf-8")))
    reader.start()
    plancheck("export", "questions", "--out", "pipe")
    reader.join()
    assert read == [exported("questions")]
    assert Path("pipe").is_fifo()


def test_the_prompt_of_a_text_of_the_user_s_own_shows_that_text(rows):
    path = DATA / "packed.parquet"
    packed = read_table(path).to_pylist()
    shown = {"policy": "mine", "atom_ids": [], "starts": [], "ends": [], "text": "Tarn, says a summary."}
    write_table(path, [*packed, *(row | shown for row in packed if row["policy"] == "bm25")], PACKED)
    found = rows("prompts", "--policy", "mine")
    assert len(found) == 4
    assert all("Tarn, says a summary." in row["messages"][-1]["content"] for row in found)
