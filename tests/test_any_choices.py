"""Questions of any number of choices, from their file to Table 1."""

import json

import pytest

from flows.answer import prediction_rows
from plancheck import packing
from plancheck.answering.asking import Prompt, ask
from plancheck.answering.ports import Generated
from plancheck.answering.prompt import asker
from plancheck.benchmark.tables import read_contexts, read_questions
from plancheck.params.answer import Answer
from plancheck.params.study import parse_params
from plancheck.plumbing.files import DATA, read_table, write_table
from plancheck.records import LETTERS, PACKED, PREDICTIONS
from plancheck.reporting.main_table import main_table
from plancheck.stages import atoms, benchmark
from plancheck.tables import read_atoms

BUDGET = 60
TOWNS = ["Tarn", "Ost", "Lund", "Vik", "Bree", "Holm", "Dale", "Rood", "Sund", "Kell"]
COUNTS = {"two": [2] * 6, "five": [5] * 6, "ten": [10] * 6, "differing": [2, 3, 4, 5, 7, 10]}
CHANCE = {"two": 0.5, "five": 0.2, "ten": 0.1, "differing": (1 / 2 + 1 / 3 + 1 / 4 + 1 / 5 + 1 / 7 + 1 / 10) / 6}
FORMS = {
    "a list and an index": lambda choices, gold: {"choices": choices, "answer": gold},
    "a mapping and a letter": lambda choices, gold: {
        "choices": dict(zip(LETTERS, choices, strict=False)), "answer": LETTERS[gold],
    },
    "a list and a text": lambda choices, gold: {"choices": choices, "answer": choices[gold]},
}  # fmt: skip


class Model:
    """Takes the choice that its prompt names; without one, the first."""

    max_tokens = 10_000

    def tokens(self, messages):
        return [ord(sign) for sign in messages[0]["content"]]

    def text_tokens(self, text):
        return [ord(sign) for sign in text]

    def log_likelihoods(self, prompts, choices, *, pass_tokens):
        passages = ["".join(map(chr, prompt)).partition("Where")[0] for prompt in prompts]
        return [
            [-1.0 if "".join(map(chr, choice)) in passage else -2.0 for choice in group]
            for passage, group in zip(passages, choices, strict=True)
        ]

    def generate(self, prompts, choices, *, max_new_tokens, pass_tokens, batch_size):
        said = []
        for prompt, count in zip(prompts, choices, strict=True):
            text = "".join(map(chr, prompt))
            passage, _, asked = text.partition("Where")
            named = [line[0] for line in asked.splitlines() if line[1:3] == ". " and line[3:] in passage]
            said.append(Generated(f"The answer is {(named or ['A'])[0]}.", (16,), ((0.0, *[-3.0] * (count - 1)),)))
        return said


class Replies(dict):
    def get(self, keys):
        return {}

    def put(self, replies):
        self.update(replies)


def write(folder, counts, form):
    """A question for each count; the gold choice is the last, and the second document says it."""
    rows = [
        {"id": f"q{number}", "question": f"Where is mill {number}?", "subject": "mills",
         "context": [f"Mill {number} is old.", f"Mill {number} is in {TOWNS[count - 1]}."],
         "evidence": [f"Mill {number} is in {TOWNS[count - 1]}."], **FORMS[form](TOWNS[:count], count - 1)}
        for number, count in enumerate(counts)
    ]  # fmt: skip
    (folder / "mills.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def pack(policies):
    """What each policy shows: nothing, the first document or the last."""
    found = read_atoms()
    contexts = read_contexts()
    rows = []
    for question in read_questions():
        own = found[question.context_id]
        for policy, shown in zip(policies, ([], own[:1], own[1:]), strict=True):
            packed = packing.pack(shown, budget_chars=BUDGET, overflow="cut", merge_overlaps=False)
            pieces = packed.pieces
            rows.append(
                {
                    "question_id": question.question_id, "policy": policy, "budget_chars": BUDGET,
                    "packed_id": packing.packed_id(question.question_id, contexts[question.context_id], pieces),
                    "atom_ids": [piece.atom_id for piece in pieces], "starts": [piece.start for piece in pieces],
                    "ends": [piece.end for piece in pieces], "chars": packed.chars, "cut": False, "skipped": 0,
                    "evidence_recall": packing.evidence_recall(question.evidence, pieces), "plan_failed": False,
                }
            )  # fmt: skip
    write_table(DATA / "packed.parquet", rows, PACKED)
    return rows


def answer(rows, mode):
    questions, contexts = {question.question_id: question for question in read_questions()}, read_contexts()
    messages = asker(Answer(mode=mode, max_new_tokens=4, pass_tokens=64, batch_size=4, device="cpu", dtype="float32"))
    prompts = {}
    for row in rows:
        question = questions[row["question_id"]]
        spans = zip(row["starts"], row["ends"], strict=True)
        text = "\n".join(contexts[question.context_id][start:end] for start, end in spans)
        prompts[row["packed_id"]] = Prompt(row["packed_id"], "q", messages(question, text), question.choices)
    asked = ask(
        list(prompts.values()), Model(), Replies(), mode=mode, pass_tokens=64, batch_size=2, max_new_tokens=8,
        identity="m", errors_are_rows=False,
    )  # fmt: skip
    made = prediction_rows({answered.prompt_id: answered for answered in asked.answers})
    write_table(DATA / "predictions.parquet", made, PREDICTIONS)


@pytest.mark.parametrize("mode", ["likelihood", "generate"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", COUNTS)
def test_a_file_of_any_number_of_choices_runs_to_table_1(name, form, mode, composed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, COUNTS[name], form)
    plain = composed("demo")
    plain["benchmark"] |= {"source": "file", "format": "mmlu_like", "path": "mills.jsonl"}
    params = parse_params(plain, name="params.yaml")
    benchmark.run(params)
    atoms.run(params)
    policies = ["nothing", "first", "last"]
    answer(pack(policies), mode)
    ids = [question.question_id for question in read_questions()]
    found = main_table(
        read_table(DATA / "predictions.parquet").to_pandas(),
        read_table(DATA / "packed.parquet").to_pandas(),
        {"train": ids[:2], "dev": ids[2:3], "test": ids[3:]},
        {question.question_id: len(question.choices) for question in read_questions()},
        policies=policies,
        budgets_chars=[BUDGET],
        confidence=0.95,
    )
    everyone = found[found["split"] == "all"].set_index("policy")
    assert everyone["accuracy"].tolist() == [0, 0, 1]
    assert everyone["evidence_recall"].tolist() == [0, 0, 1]
    assert everyone["chance"].tolist() == pytest.approx([CHANCE[name]] * 3)
    tested = found[found["split"] == "test"]["chance"]
    assert tested.tolist() == pytest.approx([sum(1 / count for count in COUNTS[name][3:]) / 3] * 3)
    probs = read_table(DATA / "predictions.parquet").to_pandas().groupby("question_id")["probs"].first()
    assert [len(row) for row in probs[ids]] == COUNTS[name]
    assert not found["failures"].any()
