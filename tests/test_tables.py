import json

import pytest

from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import write_table
from plancheck.records import ATOMS, CANDIDATES, PACKED
from plancheck.tables import read_atoms, read_candidates, read_packed_contexts, read_splits


@pytest.fixture
def tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    atoms = [
        {"atom_id": f"{context}-{position}", "context_id": context, "position": position, "start": position * 10,
         "end": position * 10 + 10, "document": 0}
        for context in ("x", "y") for position in (1, 0)
    ]  # fmt: skip
    write_table(tmp_path / "data/atoms.parquet", atoms, ATOMS)
    rows = [{"question_id": name, "atom_id": f"x-{position}", "position": position}
            for name in ("r", "q") for position in (2, 0)]  # fmt: skip
    write_table(tmp_path / "data/candidates.parquet", rows, CANDIDATES)
    packed = [
        {"question_id": "q", "policy": policy, "budget_chars": 10, "packed_id": packed_id, "atom_ids": ["x-0"],
         "starts": [0], "ends": [5], "chars": 5, "cut": True, "skipped": 0, "evidence_recall": None,
         "plan_failed": False}
        for policy, packed_id in (("bm25", "p1"), ("dense", "p1"), ("head", "p0"))
    ]  # fmt: skip
    write_table(tmp_path / "data/packed.parquet", packed, PACKED)


def test_atoms_come_by_context_in_order_of_position(tables):
    assert {context: [atom.start for atom in atoms] for context, atoms in read_atoms().items()} == {
        "x": [0, 10],
        "y": [0, 10],
    }
    assert list(read_atoms(["y"])) == ["y"]


def test_a_pool_is_the_candidates_by_position(tables):
    assert read_candidates(["q"]) == {"q": ["x-0", "x-2"]}


def test_equal_packed_contexts_are_read_once(tables):
    assert [packed.packed_id for packed in read_packed_contexts()] == ["p0", "p1"]
    assert [packed.packed_id for packed in read_packed_contexts(["q"])] == ["p0", "p1"]
    assert read_packed_contexts(["another"]) == []


def test_no_ids_give_no_rows(tables):
    assert read_atoms([]) == {}
    assert read_candidates([]) == {}
    assert read_packed_contexts([]) == []


@pytest.mark.parametrize("value", [[], None, 3, "train", [["q1"]]])
def test_splits_that_are_no_mapping_are_refused(value, tmp_path):
    (tmp_path / "splits.json").write_text(json.dumps(value))
    with pytest.raises(StudyError, match=r"splits.json: holds no mapping of splits. Run `dvc repro -f split`"):
        read_splits(tmp_path / "splits.json")


@pytest.mark.parametrize("ids", [..., None, 3, "q1", {"q1": 1}, [1], [["q1"]], [None]])
def test_a_split_that_is_no_list_of_ids_is_refused(ids, tmp_path):
    splits = {"train": ["q1"], "dev": ["q2"], "test": ids}
    if ids is ...:
        del splits["test"]
    (tmp_path / "splits.json").write_text(json.dumps(splits))
    with pytest.raises(StudyError, match=r"splits.json: 'test' must be a list of question IDs. Run `dvc repro -f sp"):
        read_splits(tmp_path / "splits.json")
