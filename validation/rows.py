"""Rows that the planner is trained on: rewarded plans of train and dev questions, and nothing of a test question."""

from collections.abc import Mapping
from typing import Any

import great_expectations.expectations as gxe
import pandas as pd
from great_expectations import ExpectationSuite
from great_expectations.expectations.expectation import Expectation

from plancheck.planning.prompt import completion
from plancheck.records import SPLITS
from validation.frames import with_records
from validation.inputs import FITTED, Inputs, question_frame, rows_file
from validation.suites import among, between, none_of, suite, unique

COLUMNS = [
    "question_id", "misshapen", "elsewhere", "reward", "atoms", "strangers", "other_candidates", "unsaid", "rewarded",
    "sides",
]  # fmt: skip


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """One row a row of data/sft/<split>.jsonl: its question, its reward, counts of its faults; no text."""
    return {f"rows_{split}": rows(inputs, split) for split in FITTED}


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    """A context on two sides breaks a rule only where params.yaml asks for grouping by context."""
    found = []
    for split in FITTED:
        rules = rules_of(split, inputs)
        if split == "train":
            rules.insert(0, gxe.ExpectTableRowCountToBeBetween(min_value=1, description="there are rows to train on"))
        found.append(suite(f"rows_{split}", rows_file(split), *rules))
    return found


def rules_of(split: str, inputs: Inputs) -> list[Expectation]:
    most = inputs.params.planner.max_atoms
    (other,) = set(FITTED) - {split}
    found = [
        none_of(
            "misshapen", "a row has question_id, prompt, completion, atom_ids, candidate_ids, reward of their form"
        ),
        unique(["question_id"], "a question has one row"),
        gxe.ExpectColumnValuesToNotBeInSet(
            column="question_id", value_set=sorted(inputs.splits["test"]), description="no row is of a test question"
        ),
        none_of("elsewhere", f"no row is of a {other} question, or of one in no split"),
        among("reward", [1], "the plan's reward is 1"),
        between("atoms", 1, most, f"a plan names 1 to {most} atoms (planner.max_atoms)"),
        none_of("strangers", "every atom is among the row's candidates"),
        none_of("other_candidates", "the row's candidates are the question's candidate pool, by position"),
        none_of("unsaid", "the completion names the row's atoms by number, in order, and nothing else"),
        among("rewarded", [True], "the plan is a rewarded trace of the question"),
    ]
    if inputs.params.split.group_by == "context":
        found.append(between("sides", 1, 1, "the row's context lies on one side of the split"))
    return found


def rows(inputs: Inputs, split: str) -> pd.DataFrame:
    """Where a row has not the form it should, its other faults are not looked for."""
    known = Known(inputs)
    judged = []
    for number, row in enumerate(inputs.rows[split], start=1):
        if well_formed(row):
            judged.append(known.judged(row, split))
        else:
            name = row.get("question_id")
            fine = {"misshapen": 1, "elsewhere": 0, "reward": 1, "atoms": 1, "strangers": 0, "other_candidates": 0}
            name = name if isinstance(name, str) else f"line {number}"
            judged.append({"question_id": name, **fine, "unsaid": 0, "rewarded": True, "sides": 1})
    frame = pd.DataFrame(judged, columns=COLUMNS)
    return with_records(frame.assign(split=split), ["split", "question_id"])


class Known:
    """What the tables say of the questions, looked up row by row."""

    def __init__(self, inputs: Inputs) -> None:
        self.begin_reply = inputs.params.mine.begin_reply
        self.split_of = {item: split for split in SPLITS for item in inputs.splits[split]}
        questions = question_frame(inputs)
        self.context_of = dict(zip(questions["question_id"], questions["context_group"], strict=True))
        self.sides: dict[str, set[str]] = {}
        for question_id, split in self.split_of.items():
            self.sides.setdefault(self.context_of.get(question_id, ""), set()).add(split)
        pool = inputs.tables["candidates"].to_pandas().sort_values("position", kind="stable")
        self.pools = {str(question_id): list(ids) for question_id, ids in pool.groupby("question_id")["atom_id"]}
        traces = inputs.tables["traces"].select(["question_id", "atom_ids", "reward"]).to_pylist()
        self.rewarded = {(row["question_id"], tuple(row["atom_ids"])) for row in traces if row["reward"] == 1}

    def judged(self, row: Mapping[str, Any], split: str) -> dict[str, Any]:
        """The columns of a row of the right form; a test question is left to the rule about test questions."""
        question_id, atoms, candidates = row["question_id"], row["atom_ids"], row["candidate_ids"]
        strangers = len(set(atoms) - set(candidates))
        said = row["completion"][0]["content"]
        return {
            "question_id": question_id,
            "misshapen": 0,
            "elsewhere": int(self.split_of.get(question_id) not in (split, "test")),
            "reward": row["reward"],
            "atoms": len(atoms),
            "strangers": strangers,
            "other_candidates": int(candidates != self.pools.get(question_id, [])),
            "unsaid": int(not strangers and said != self.reply(atoms, candidates)),
            "rewarded": (question_id, tuple(atoms)) in self.rewarded,
            "sides": len(self.sides.get(self.context_of.get(question_id, ""), set()) | {split}),
        }

    def reply(self, atoms: list[str], candidates: list[str]) -> str:
        numbers = [candidates.index(atom) + 1 for atom in atoms]
        return completion(numbers, begin_reply=self.begin_reply) if numbers else ""


def well_formed(row: Mapping[str, Any]) -> bool:
    """Whether a row has exactly its keys, each of its form: chats of role and content, the completion one reply."""
    if set(row) != {"question_id", "prompt", "completion", "atom_ids", "candidate_ids", "reward"}:
        return False
    prompt, reply = row["prompt"], row["completion"]
    return (
        isinstance(row["question_id"], str)
        and is_chat(prompt, {"system", "user"})
        and is_chat(reply, {"assistant"})
        and len(reply) == 1
        and are_strings(row["atom_ids"])
        and are_strings(row["candidate_ids"])
        and type(row["reward"]) is int
    )


def is_chat(value: Any, roles: set[str]) -> bool:
    """A list of at least one message, each of exactly a role and a text that is not empty."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(message, dict) and set(message) == {"role", "content"} for message in value)
        and all(message["role"] in roles for message in value)
        and all(isinstance(message["content"], str) and message["content"] for message in value)
    )


def are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
