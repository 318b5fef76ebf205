import pytest

from plancheck.params.planning import Planner
from plancheck.planning.mining import messages_of
from plancheck.planning.parsing import parse_plan
from plancheck.planning.rows import refuse_no_reward, sft_row
from plancheck.plumbing.errors import StudyError


def settings(**changes):
    values = {"max_atoms": 3, "snippet_chars": None, "max_new_tokens": 8}
    return Planner(**{**values, **changes}, device="cpu", dtype="float32")


def trace(question_id="q", *, atoms=("a3", "a1"), reward=1, failure=None):
    return {
        "question_id": question_id,
        "atom_ids": list(atoms),
        "parsed": bool(atoms),
        "reward": reward,
        "failure": failure,
    }


@pytest.mark.parametrize("begin_reply", [True, False])
def test_a_row_is_what_the_planner_sees_and_the_reply_that_the_plan_is(pool_of, begin_reply):
    pool = pool_of(candidates=[1, 3, 4]).pool
    chosen = settings(snippet_chars=20)
    row = sft_row(pool, trace(), chosen, begin_reply=begin_reply)

    assert row["prompt"] == messages_of(pool, chosen)
    (reply,) = row["completion"]
    assert reply["role"] == "assistant"
    assert parse_plan(reply["content"], candidates=3, max_atoms=3) == (2, 1)
    assert (row["candidate_ids"], row["atom_ids"], row["reward"]) == (["a1", "a3", "a4"], ["a3", "a1"], 1)


def test_a_trace_of_other_atoms_makes_no_row(pool_of):
    with pytest.raises(ValueError, match="a3"):
        sft_row(pool_of(candidates=[0, 1]).pool, trace(), settings(), begin_reply=True)


def test_without_a_reward_in_train_the_message_counts_and_says_what_to_change():
    traces = [
        trace("q", reward=0),
        trace("q", atoms=(), reward=0, failure="unparsable"),
        trace("r", reward=0),
        trace("dev"),
    ]
    with pytest.raises(StudyError) as error:
        refuse_no_reward(traces, {"q", "r"})
    for part in ("2 train question(s), 3 plan(s) were mined, 2 named candidates and 0 were rewarded", "unparsable",
                 "mine.samples", "mine.begin_reply", "planner.snippet_chars", "benchmark.limit",
                 "split.sizes, or the IDs that split.path lists"):  # fmt: skip
        assert part in str(error.value)
    refuse_no_reward(traces, {"q", "r", "dev"})
