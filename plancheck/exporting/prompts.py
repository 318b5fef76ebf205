"""The prompts that the answer model is asked, as chats; the model's own chat template makes text of them."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import pyarrow.compute as pc

from plancheck.answering.prompt import asker
from plancheck.benchmark.tables import each_context
from plancheck.packing import packed_text
from plancheck.params.answer import Answer
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.files import DATA, among, read_table
from plancheck.records import Piece, Question

PACKED_FILE = DATA / "packed.parquet"


def prompt_rows(
    questions: Sequence[Question], answer: Answer, *, policies: Collection[str], budgets_chars: Collection[int]
) -> Iterator[dict[str, Any]]:
    """A row a condition of each question, in the order of data/packed.parquet; equal prompts have equal packed IDs.

    Args:
        questions: whose prompts are wanted, by ID.
        answer: its mode "likelihood" scores each choice's text as the reply to ``messages``, "generate" asks for a
            letter.
        policies: those wanted; none asks for all, as with budgets.
        budgets_chars: those wanted.

    Raises:
        StudyError: nothing was packed for a policy, a budget or a question.
    """
    refuse_unpacked(policies, budgets_chars)
    filters = among("question_id", [question.question_id for question in questions])
    if policies:
        filters &= among("policy", policies)
    if budgets_chars:
        filters &= pc.field("budget_chars").isin(sorted(budgets_chars))
    columns = ["question_id", "policy", "budget_chars", "packed_id", "atom_ids", "starts", "ends", "text"]
    conditions: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in read_table(PACKED_FILE, columns=columns, filters=filters).to_pylist():
        conditions[row["question_id"]].append(row)
    if lacking := [question.question_id for question in questions if question.question_id not in conditions]:
        raise all_problems(f"{PACKED_FILE}: lacks questions:", lacking, remedy="Run `dvc repro pack`.")
    messages = asker(answer)
    contexts = each_context([question.context_id for question in questions])
    for question, context in zip(questions, contexts, strict=True):
        for row in conditions[question.question_id]:
            pieces = tuple(map(Piece, row.pop("atom_ids"), row.pop("starts"), row.pop("ends")))
            given = row.pop("text")  # of a policy that shows texts of the user's own
            chat = messages(question, packed_text(context, pieces) if given is None else given)
            yield row | {"mode": answer.mode, "messages": chat, "choices": list(question.choices)}


def refuse_unpacked(policies: Collection[str], budgets_chars: Collection[int]) -> None:
    """Raise a StudyError if nothing was packed for one of them."""
    table = read_table(PACKED_FILE, columns=["policy", "budget_chars"])
    for option, wanted, column in (("--policy", policies, "policy"), ("--budget", budgets_chars, "budget_chars")):
        packed = list(dict.fromkeys(table[column].to_pylist()))
        if unknown := [value for value in wanted if value not in packed]:
            raise StudyError(
                f"{option} {', '.join(map(str, unknown))}: not in {PACKED_FILE}. It has {', '.join(map(str, packed))}."
            )
