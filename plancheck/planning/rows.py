"""Training rows of the planner: the prompt it sees and the reply that a rewarded plan is."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from plancheck.params.planning import Planner
from plancheck.planning.plans import Pool, candidate_texts
from plancheck.planning.prompt import completion, planner_messages
from plancheck.plumbing.errors import StudyError


def sft_row(pool: Pool, trace: Mapping[str, Any], settings: Planner, *, begin_reply: bool) -> dict[str, Any]:
    """The row of data/sft/*.jsonl that a trace makes; ``begin_reply`` as the trace was mined.

    Raises:
        ValueError: the trace names an atom that is no candidate of the question.
    """
    candidate_ids = [atom.atom_id for atom in pool.candidates]
    numbers = [candidate_ids.index(atom_id) + 1 for atom_id in trace["atom_ids"]]
    texts = candidate_texts(pool, snippet_chars=settings.snippet_chars)
    return {
        "question_id": pool.question.question_id,
        "prompt": planner_messages(pool.question, texts, settings),
        "completion": [{"role": "assistant", "content": completion(numbers, begin_reply=begin_reply)}],
        "atom_ids": list(trace["atom_ids"]),
        "candidate_ids": candidate_ids,
        "reward": trace["reward"],
    }


def refuse_no_reward(traces: Sequence[Mapping[str, Any]], train_ids: Collection[str]) -> None:
    """Make sure that there is something to train on.

    Raises:
        StudyError: no trace of a train question was rewarded.
    """
    of_train = [row for row in traces if row["question_id"] in train_ids]
    if counted(of_train, "reward"):
        return
    questions = len({row["question_id"] for row in of_train})
    failures = sorted({row["failure"] for row in of_train if row["failure"]})
    raise StudyError(
        f"data/traces.parquet: nothing to train the planner on. Of {questions} train question(s), {len(of_train)} "
        f"plan(s) were mined, {counted(of_train, 'parsed')} named candidates and 0 were rewarded"
        f"{' (failures: ' + ', '.join(failures) + ')' if failures else ''}. Mine more plans (mine.samples), begin the "
        "planner's reply for it (mine.begin_reply=true), show it less of each candidate (planner.snippet_chars, "
        "for prompts that are too long), or train on more questions (benchmark.limit; split.sizes, or the IDs that "
        "split.path lists)."
    )


def counted(rows: Iterable[Mapping[str, Any]], column: str) -> int:
    return sum(int(row[column]) for row in rows)
