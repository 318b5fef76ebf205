"""Asking a planner of a few lines."""

import pytest

from plancheck.params.planning import Mine
from plancheck.planning.plans import Selected, read_plan
from plancheck.planning.replies import Chat, greedy, sampled
from plancheck.planning.seeds import seed_of


def never(reply):
    return False


CHAT = Chat([{"role": "user", "content": "Which?"}], never)


def settings(samples=3, **changes):
    values = {"seed": 7, "samples": samples, "begin_reply": True, "temperature": 0.7, "top_p": 0.9, "budget_chars": 100}
    return Mine(**{**values, **changes})


def test_seeds_are_the_same_everywhere_and_differ_by_part():
    assert seed_of(7, "q", 0) == 8523260729940332858
    assert len({seed_of(7, "q", 0), seed_of(7, "q", 1), seed_of(7, "r", 0), seed_of(8, "q", 0)}) == 4


def test_each_sample_has_a_seed_of_its_own_and_begins_as_it_was_begun(planner_of):
    planner = planner_of()
    said = sampled(planner, CHAT, question_id="q", settings=settings())

    assert planner.model.seeds == [seed_of(7, "q", number) for number in range(3)]
    assert all(reply.text.startswith("The needed passages are [") for reply in said.replies)
    assert said.calls == 3


def test_what_was_sampled_is_not_asked_again_and_more_samples_ask_for_the_new_ones_alone(planner_of):
    planner = planner_of()
    first = sampled(planner, CHAT, question_id="q", settings=settings(3))
    again = sampled(planner, CHAT, question_id="q", settings=settings(5))

    assert again.replies[:3] == first.replies
    assert again.calls == 2
    assert len(planner.model.seeds) == len(set(planner.model.seeds)) == 5


@pytest.mark.parametrize(
    ("changed", "other"),
    [
        ({"temperature": 0.8}, {}),
        ({"top_p": 0.8}, {}),
        ({"seed": 8}, {}),
        ({}, {"max_new_tokens": 9}),
        ({}, {"identity": "with an adapter"}),
        ({}, {"reply_start": ""}),
        ({"budget_chars": 200}, None),
    ],
)
def test_a_key_holds_everything_that_can_change_a_sample_and_nothing_else(planner_of, changed, other):
    planner = planner_of()
    sampled(planner, CHAT, question_id="q", settings=settings())
    changed_planner = planner_of(planner.model, planner.replies, **(other or {}))
    said = sampled(changed_planner, CHAT, question_id="q", settings=settings(**changed))
    assert said.calls == (0 if other is None else 3)


def test_greedy_replies_are_remembered_apart_from_samples(planner_of):
    planner = planner_of()
    sampled(planner, CHAT, question_id="q", settings=settings(1))
    assert [greedy(planner, [CHAT]).calls for _ in range(2)] == [1, 0]
    assert greedy(planner, [CHAT]).replies[0].text == "The needed passages are [2] is needed."


def test_chats_are_asked_together_and_one_that_fails_at_the_last_try_fails_alone(planner_of):
    chats = [Chat([{"role": "user", "content": text}], never) for text in ("Which?", "a dreadful one", "Who?")]
    with pytest.raises(RuntimeError):
        greedy(planner_of(planner_of.model(fails="dreadful")), chats)
    planner = planner_of(planner_of.model(fails="dreadful"), errors_are_rows=True)
    said = greedy(planner, chats)

    assert [reply.failure for reply in said.replies] == [None, "error", None]
    assert said.asked == (True, False, True)
    assert (greedy(planner, chats[::2]).calls, len(planner.replies)) == (0, 2)


def test_whether_a_reply_is_complete_is_told_with_what_it_was_begun_with(planner_of):
    planner = planner_of()
    greedy(planner, [Chat(CHAT.messages, lambda reply: reply == "The needed passages are [2] is needed."), CHAT])
    assert planner.model.complete == [True, False]


def test_a_prompt_that_leaves_no_room_for_a_reply_is_a_failure_and_never_asked(planner_of):
    planner = planner_of()
    planner.model.max_tokens = len(planner.model.tokens(CHAT.messages, planner.reply_start)) + 7
    said = sampled(planner, CHAT, question_id="q", settings=settings())
    assert [(reply.text, reply.failure) for reply in said.replies] == [(None, "too_long")] * 3
    assert said.calls == 0


def test_a_models_error_is_raised_until_the_last_try(planner_of):
    with pytest.raises(RuntimeError):
        sampled(planner_of(planner_of.model(fails=True)), CHAT, question_id="q", settings=settings())
    planner = planner_of(planner_of.model(fails=True), errors_are_rows=True)
    said = sampled(planner, CHAT, question_id="q", settings=settings())
    assert [reply.failure for reply in said.replies] == ["error"] * 3
    assert len(planner.replies) == said.calls == 0


def test_a_reply_gives_the_candidates_it_names(pool_of):
    candidates = pool_of(candidates=[1, 3, 4]).pool.candidates
    assert read_plan("[3] [1]", candidates, max_atoms=8) == Selected(("a4", "a1"))
    assert read_plan("[4]", candidates, max_atoms=8) == Selected((), "unparsable")
    assert read_plan("<think>[3]</think>[1]", candidates, max_atoms=8) == Selected(("a1",))
    assert read_plan("<think>[3]", candidates, max_atoms=8) == Selected((), "cut_off")
    assert read_plan("<think>[3]</think>", candidates, max_atoms=8) == Selected((), "unparsable")


def test_a_plan_has_atoms_or_a_failure():
    for atoms, failure in (((), None), (("a",), "error")):
        with pytest.raises(ValueError, match="atoms or a failure"):
            Selected(atoms, failure)
