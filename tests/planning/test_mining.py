from types import SimpleNamespace

import pytest

from plancheck.packing import packed_text
from plancheck.params.planning import Mine
from plancheck.planning.mining import executions, greedy_plan, sample_plans
from plancheck.planning.plans import Selected

SHOWN = SimpleNamespace(snippet_chars=None, max_atoms=2)
WHOLE = SimpleNamespace(overflow="cut", merge_overlaps=False)


def test_sampled_plans_name_candidates_of_the_pool(pool_of, planner_of):
    pool = pool_of(candidates=[0, 2, 4]).pool
    settings = Mine(seed=7, samples=6, begin_reply=True, temperature=0.7, top_p=0.9, budget_chars=100)
    found = sample_plans(pool, planner_of(), SHOWN, settings)

    assert found.calls == len(found.plans) == 6
    assert {atom_id for plan in found.plans for atom_id in plan.atom_ids} <= {"a0", "a2", "a4"}


def test_the_greedy_plan_is_the_likeliest_replys(pool_of, planner_of):
    planner = planner_of()
    found = greedy_plan(pool_of(candidates=[0, 3, 4]).pool, planner, SHOWN)
    assert found.plans == (Selected(("a3",)),)
    assert planner.model.prompts[0].endswith("The needed passages are [")


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
