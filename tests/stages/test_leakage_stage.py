"""reports/leakage.json: planted leaks are found and named, by what was learned from; no text is told."""

import json
import logging
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from plancheck.benchmark.groups import grouped
from plancheck.benchmark.tables import write_contexts, write_questions
from plancheck.params.study import parse_params
from plancheck.plumbing.files import write_json
from plancheck.records import Benchmark, Question
from plancheck.stages import leakage

ROOT = Path(__file__).parents[2]
VALUES = yaml.safe_load((ROOT / "params.yaml").read_text())
# A reranker of our own making would add generated questions, which a test of its own looks at.
MODELS = VALUES["models"] | {"reranker": VALUES["models"]["encoder"]}
SPLITS = {"train": ["q0", "q1", "q2"], "dev": ["q3"], "test": ["q4", "q5", "q6", "q7"]}
WORDS = [f"word{number}" for number in range(500)]
SIZES = {split: len(ids) for split, ids in SPLITS.items()}


def prose(seed, count=400):
    return " ".join(np.random.default_rng(seed).choice(WORDS, count))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


class Planted:
    """Eight questions of eight contexts that share nothing; ``report`` runs the stage on them as changed."""

    def __init__(self):
        self.texts = [prose(number) for number in range(8)]
        self.questions = [
            Question(f"q{n}", "d", "", "", "", prose(100 + n, 12), (prose(200 + n, 5), prose(300 + n, 5)), "A", "")
            for n in range(8)
        ]
        self.rows = {"train": ["q0", "q1"], "dev": ["q3"]}

    def ask(self, number, like):
        """Question ``number`` reads as that of ``like`` does, in other case and with other blanks."""
        self.questions[number] = replace(
            self.questions[number],
            question=f"  {self.questions[like].question.upper()}\n",
            choices=self.questions[like].choices[::-1],
        )

    def report(self, models=MODELS, **changes):
        contexts = {f"{self.texts.index(text):064x}": text for text in self.texts}
        of_text = {text: name for name, text in contexts.items()}
        questions = tuple(
            replace(question, context_id=of_text[text], context_group="")
            for question, text in zip(self.questions, self.texts, strict=True)
        )
        benchmark = grouped(Benchmark(questions, contexts))
        write_questions(benchmark)
        write_contexts(benchmark)
        write_json(Path("data/splits.json"), SPLITS)
        for split, names in self.rows.items():
            path = Path(f"data/sft/{split}.jsonl")
            path.parent.mkdir(exist_ok=True)
            path.write_text("".join(json.dumps({"question_id": name}) + "\n" for name in names))
        split = VALUES["split"] | {"sizes": SIZES} | changes.pop("split", {})
        leakage.run(parse_params(VALUES | {"models": models, "split": split, **changes}, name="params.yaml"))
        return json.loads(leakage.REPORT.read_text())


@pytest.fixture
def planted():
    return Planted()


def shared(report):
    """What is shared, by what was learned from and the split: kinds with their questions."""
    found = {}
    for row in report["learned"]:
        kinds = {kind: names for kind, names in row["shared"].items() if names}
        if kinds:
            found[row["learned"], row["against"]] = kinds
    return found


def test_where_nothing_is_shared_nothing_is_found(planted, caplog):
    caplog.set_level(logging.INFO)
    report = planted.report()
    assert shared(report) == {}
    assert report["test"] == {"questions": 4, "concerned": []}
    assert [(row["learned"], row["against"], row["questions"]) for row in report["learned"]] == [
        ("train", "test", 3), ("dev", "test", 1), ("train", "dev", 3), ("data/sft/train.jsonl", "test", 2),
        ("data/sft/dev.jsonl", "test", 1), ("tune", "test", 2),
    ]  # fmt: skip
    assert report["contexts"]["compared"] == 28
    assert "No test question shares" in caplog.text


def test_planted_leaks_are_found_each_by_its_kind_and_what_learned_from_it(planted, caplog):
    planted.texts[4] = planted.texts[0]
    planted.texts[2] = planted.texts[5].replace("word7 ", "other ").replace("word99 ", "other ")
    planted.texts[3] = f"{prose(50, 3000)} {planted.texts[6]} {prose(51, 3000)}"
    planted.ask(7, like=1)
    report = planted.report()
    rows = {"same_context": ["q4"], "same_question": ["q7"]}
    assert shared(report) == {
        ("train", "test"): {**rows, "near_context": ["q5"]},
        ("dev", "test"): {"contained_context": ["q6"]},
        ("data/sft/train.jsonl", "test"): rows,  # which lack q2
        ("data/sft/dev.jsonl", "test"): {"contained_context": ["q6"]},
        ("tune", "test"): rows,
    }
    assert report["test"]["concerned"] == ["q4", "q5", "q6", "q7"]
    assert [(pair["kind"], pair["left_in"], pair["right_in"]) for pair in report["contexts"]["pairs"]] == [
        ("near", ["train"], ["test"]), ("contained", ["dev"], ["test"])
    ]  # fmt: skip
    text = leakage.REPORT.read_text()
    assert not any(word in text for word in ("word1", "WORD1"))
    assert "4 of 4 test questions share something" in caplog.text


def test_contexts_that_differ_in_line_ends_are_the_same(planted):
    planted.texts[0], planted.texts[4] = "An inn.\nIt is in Lund.", "An inn.\r\nIt is in Lund.\r\n"
    assert shared(planted.report())["train", "test"] == {"same_context": ["q4"]}


def test_the_thresholds_are_parameters(planted):
    planted.texts[0] = " ".join(planted.texts[4].split()[:240] + prose(60, 160).split())
    assert shared(planted.report()) == {}
    loose = planted.report(split={"leakage": {"jaccard": 0.3}})
    assert shared(loose)["train", "test"] == {"near_context": ["q4"]}
    assert loose["settings"]["jaccard"] == 0.3


def test_what_files_say_that_they_learned_from_is_compared_and_the_unknown_is_counted(planted):
    planted.texts[4] = planted.texts[2]  # of no training row
    Path("plans.jsonl").write_text(json.dumps({"about": {"trained_on": ["q2", "elsewhere"]}}) + "\n")
    report = planted.report(selectors=VALUES["selectors"] | {"mine": {"kind": "plans", "path": "plans.jsonl"}})
    assert shared(report)["selectors.mine", "test"] == {"same_context": ["q4"]}
    (row,) = [row for row in report["learned"] if row["learned"] == "selectors.mine"]
    assert (row["questions"], row["unknown"], row["concerned"]) == (2, 1, 1)


def test_grouping_by_context_is_tried_out(planted):
    planted.texts[4] = planted.texts[0]
    planted.ask(7, like=1)
    found = planted.report()["group_by_context"]
    assert found["absent"] is None
    assert found["sizes"] == SIZES
    assert found["moved"] > 0
    assert planted.report(split={"group_by": "context"})["group_by_context"] == {
        "absent": "it is in force", "sizes": None, "moved": None, "concerned": None
    }  # fmt: skip
    assert "list of IDs" in planted.report(split={"path": "ids.json"})["group_by_context"]["absent"]


def test_the_questions_that_our_own_reranker_learned_from_are_compared(planted):
    tuned = VALUES["models"]["reranker"] | {"questions": 12}
    report = planted.report(models=VALUES["models"] | {"reranker": tuned})
    (row,) = [row for row in report["learned"] if row["learned"] == "models.reranker"]
    assert (row["questions"], row["concerned"]) == (12, 0)


def test_the_same_inputs_give_the_same_bytes(planted):
    planted.texts[4] = planted.texts[0]
    planted.report()
    first = leakage.REPORT.read_bytes()
    planted.report()
    assert leakage.REPORT.read_bytes() == first
