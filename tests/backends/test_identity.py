import importlib.metadata
import json

import pytest

from plancheck.backends.identity import identity


@pytest.fixture
def versions(monkeypatch):
    found = {"transformers": "1", "torch": "2", "peft": "3"}
    monkeypatch.setattr(importlib.metadata, "version", found.__getitem__)
    return found


def test_everything_that_decides_a_reply_is_named(versions):
    found = json.loads(identity("d", dtype="float32", device="cpu", adapter="a"))
    assert found == {
        "backend": "transformers 1", "torch": "2", "peft": "3",
        "model": "d", "adapter": "a", "dtype": "float32", "device": "cpu",
    }  # fmt: skip


@pytest.mark.parametrize(("adapter", "same"), [("a", False), (None, True)])
def test_another_peft_changes_the_replies_of_adapters_alone(versions, adapter, same):
    before = identity("d", dtype="float32", device="cpu", adapter=adapter)
    versions["peft"] = "4"
    assert (identity("d", dtype="float32", device="cpu", adapter=adapter) == before) is same
