from types import SimpleNamespace

import pytest

from plancheck.packing import packed_text
from plancheck.params.planning import Mine
from plancheck.planning.mining import chat_of, executions, greedy_plans, sample_plans
from plancheck.planning.plans import Selected

SHOWN = SimpleNamespace(prompt=None, snippet_chars=None, max_atoms=2)
WHOLE = SimpleNamespace(overflow="cut", merge_overlaps=False)


def test_sampled_plans_name_candidates_of_the_pool(pool_of, planner_of):
    pool = pool_of(candidates=[0, 2, 4]).pool
    settings = Mine(seed=7, samples=6, begin_reply=True, temperature=0.7, top_p=0.9, budget_chars=100)
    found = sample_plans(pool, planner_of(), SHOWN, settings)

    assert found.calls == len(found.plans) == 6
    assert {atom_id for plan in found.plans for atom_id in plan.atom_ids} <= {"a0", "a2", "a4"}


def test_the_greedy_plans_are_the_likeliest_replies(pool_of, planner_of):
    planner = planner_of()
    pools = [pool_of("q", candidates=[0, 3, 4]).pool, pool_of("r", candidates=[1, 2], question="Why?").pool]
    found = greedy_plans(iter(pools), planner, SHOWN)

    assert {name: plan.plans for name, plan in found.items()} == {
        "q": (Selected(("a3",)),),
        "r": (Selected(("a2",)),),
    }
    assert [plan.calls for plan in found.values()] == [1, 1]
    assert all(prompt.endswith("The needed passages are [") for prompt in planner.model.prompts)


def test_a_reply_needs_to_go_on_until_it_names_as_many_atoms_as_a_plan_has(pool_of):
    chat = chat_of(pool_of(candidates=[0, 3, 4]).pool, SHOWN)
    assert [chat.complete(text) for text in ("[1]", "[1] [1]", "[1] [7]", "[1] [3", "[1] [3]")] == [False] * 4 + [True]
    alone = chat_of(pool_of(candidates=[2]).pool, SHOWN)
    assert alone.complete("[1]")


def test_each_set_of_atoms_is_executed_once_in_the_order_of_its_first_plan(pool_of):
    pool = pool_of().pool
    plans = [Selected(("a3", "a1")), Selected((), "unparsable"), Selected(("a1", "a3")), Selected(("a0",))]
    found = executions(pool, plans, WHOLE, budget_chars=1_000)

    assert [plan.sample for plan in found] == [0, 3]
    assert packed_text(pool.context, found[0].pieces) == f"{pool.context[120:160]}\n\n{pool.context[40:80]}"
    assert [plan.chars for plan in found] == [82, 40]


def test_plans_that_show_the_same_text_share_its_id(pool_of):
    plans = [Selected(("a1",)), Selected(("a1", "a2")), Selected(("a2",))]
    first, second, third = executions(pool_of().pool, plans, WHOLE, budget_chars=40)
    assert first.packed_id == second.packed_id != third.packed_id


@pytest.mark.parametrize("budget", [10, 40, 60])
def test_an_executed_plan_stays_within_the_budget(pool_of, budget):
    (found,) = executions(pool_of().pool, [Selected(("a1", "a2"))], WHOLE, budget_chars=budget)
    assert found.chars == budget
