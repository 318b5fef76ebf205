"""data/splits.json says which questions are in which split, and how it was made."""

import hashlib
import json
import logging
from pathlib import Path

import pytest
import yaml

from plancheck.benchmark.tables import write_questions
from plancheck.params.study import parse_params
from plancheck.plumbing.digests import digest
from plancheck.plumbing.errors import StudyError
from plancheck.records import Benchmark, Question
from plancheck.stages.split import run

ROOT = Path(__file__).parents[2]
VALUES = yaml.safe_load((ROOT / "params.yaml").read_text())
IDS = {"train": ["q0", "q1"], "dev": ["q2"], "test": ["q3", "q4", "q5"]}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    questions = tuple(
        Question(f"q{number}", "d", "", "", "", "?", ("a", "b", "c", "d"), "A", f"context {number}")
        for number in range(6)
    )
    write_questions(Benchmark(questions, {}))


def made(**changes):
    """What the stage writes under the parameters, with some of section split changed."""
    split = VALUES["split"] | {"sizes": {"train": 2, "dev": 1, "test": 3}} | changes
    run(parse_params(VALUES | {"split": split}, name="params.yaml"))
    return json.loads(Path("data/splits.json").read_text())


def test_our_own_split_is_of_a_seed_and_listed_ids_are_of_a_file():
    ours = made()
    assert (ours["seed"], ours["source"], ours["group_by"]) == (VALUES["split"]["seed"], None, "none")
    listed = {split: ours[split] for split in IDS}
    text = json.dumps(listed)
    Path("ids.json").write_text(text)
    source = {"path": "ids.json", "sha256": hashlib.sha256(text.encode()).hexdigest()}
    # The sizes are those of another split: they are our own code's.
    assert made(path="ids.json", sizes={"train": 301, "dev": 50, "test": 152}, group_by="context") == {
        **listed, "seed": None, "source": source, "group_by": "context"
    }  # fmt: skip


def test_a_folder_is_known_by_the_bytes_of_its_texts():
    Path("ids").mkdir()
    sums = {}
    for split, names in IDS.items():
        Path(f"ids/{split}.txt").write_text("\n".join(names))
        sums[f"{split}.txt"] = hashlib.sha256("\n".join(names).encode()).hexdigest()
    assert made(path="ids") == {
        **IDS, "seed": None, "source": {"path": "ids", "sha256": digest(sums)}, "group_by": "none"
    }  # fmt: skip


def test_a_folder_is_known_by_the_texts_that_are_read():
    Path("ids").mkdir()
    for name, split in (("TRAIN.TXT", "train"), ("dev.txt", "dev"), ("test.Txt", "test")):
        Path(f"ids/{name}").write_text("\n".join(IDS[split]))
    before = made(path="ids")
    assert {split: before[split] for split in IDS} == IDS
    Path("ids/.hidden.txt").write_text("x")
    assert made(path="ids") == before
    Path("ids/TRAIN.TXT").write_text("\r".join(IDS["train"]))
    assert made(path="ids")["source"] != before["source"]


@pytest.mark.parametrize("path", ["", ".", "./"])
def test_a_path_that_names_nothing_is_refused(path):
    with pytest.raises(
        StudyError, match=r"split\.path: .*must name a file or folder of listed IDs, or plancheck/splits"
    ):
        made(path=path)


def test_a_split_without_dev_is_told(caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("plancheck"), "propagate", True)
    Path("ids.txt").write_text("".join(f"q{number} {'test' if number > 3 else 'train'}\n" for number in range(6)))
    assert made(path="ids.txt")["dev"] == []
    assert "no dev questions: the trained planner's loss is measured on none" in caplog.messages


def test_a_test_split_of_one_context_is_refused():
    Path("ids.txt").write_text("".join(f"q{number} {'test' if number > 4 else 'train'}\n" for number in range(6)))
    with pytest.raises(StudyError, match=r"would have 1 context; .* another split\.path"):
        made(path="ids.txt")
