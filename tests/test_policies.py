import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from plancheck.params.pack import Policy, twins
from plancheck.policies import order
from plancheck.records import Atom

ATOMS = [Atom(f"a{i}", "c", i * 10, i * 10 + 10, 0) for i in range(4)]
RANKINGS = {
    "bm25": (2, 0, 1, 3),
    "dense": (3, 2, 0, 1),
    "hybrid": (2, 3, 0, 1),
    "mine": (1, 3, 2, 0),
}


def positions(policy, plan=()):
    found = order(Policy.model_validate(policy), RANKINGS, ATOMS, plan=[ATOMS[position] for position in plan])
    return [ATOMS.index(atom) for atom in found]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ({"fill": "none"}, []),
        ({"fill": "bm25"}, [2, 0, 1, 3]),
        ({"fill": "dense"}, [3, 2, 0, 1]),
        ({"fill": "mine"}, [1, 3, 2, 0]),
        ({"fill": {"bm25": 1, "dense": 1}}, [2, 3, 0, 1]),
        ({"fill": {"bm25": 1, "dense": 9}}, [3, 2, 0, 1]),
        ({"anchors": {"ranking": "bm25", "atoms": 2}, "fill": "dense"}, [2, 0, 3, 1]),
        ({"anchors": {"ranking": "mine", "atoms": 1}, "fill": {"mine": 1}}, [1, 3, 2, 0]),
        ({"anchors": {"ranking": "bm25", "atoms": 9}, "fill": "dense"}, [2, 0, 1, 3]),
        ({"anchors": {"ranking": "bm25", "atoms": 1}, "fill": {"bm25": 1, "dense": 1}}, [2, 3, 0, 1]),
    ],
)
def test_anchors_come_first_and_the_fill_follows_without_them(policy, expected):
    assert positions(policy) == expected


ANCHORED = {"anchors": {"ranking": "bm25", "atoms": 2}, "fill": {"bm25": 1, "dense": 1}}


@pytest.mark.parametrize(
    ("policy", "plan", "expected"),
    [
        ({"fill": "none"}, [1, 3], [1, 3]),
        ({"fill": "none", "order": "hybrid"}, [1, 3], [3, 1]),
        ({"fill": "none", "order": "hybrid"}, [1, 0, 2, 3], [2, 3, 0, 1]),
        ({"fill": "none", "order": "mine"}, [1, 0, 2, 3], [1, 3, 2, 0]),
        (ANCHORED, [1], [1, 2, 0, 3]),
        (ANCHORED, [0, 3], [0, 3, 2, 1]),
        ({"fill": "none", "shown_order": "hybrid"}, [1, 3], [1, 3]),
        ({"fill": "bm25"}, [3, 1], [3, 1, 2, 0]),
        ({"fill": "bm25", "order": "hybrid"}, [1, 3], [3, 1, 2, 0]),
        ({"fill": "mine"}, [0], [0, 1, 3, 2]),
    ],
)
def test_the_plan_comes_first_then_anchors_and_fill_without_repeating_it(policy, plan, expected):
    assert positions(policy | {"selector": "sft"}, plan=plan) == expected


@pytest.mark.parametrize(
    ("policy", "expected"), [({"fill": "none"}, []), (ANCHORED, [2, 0, 3, 1]), ({"fill": "mine"}, [1, 3, 2, 0])]
)
@pytest.mark.parametrize("how", ["selected", "hybrid"])
def test_a_failed_plan_leaves_anchors_and_fill_or_nothing(policy, expected, how):
    assert positions(policy | {"selector": "sft", "order": how}) == expected


@given(st.permutations(range(4)), st.integers(0, 4), st.sampled_from(["selected", "hybrid"]))
def test_with_a_fill_every_atom_is_ordered_once_and_the_plan_leads(plan, size, how):
    found = positions({"selector": "sft", "order": how, **ANCHORED}, plan=plan[:size])
    assert sorted(found) == list(range(4))
    assert set(found[:size]) == set(plan[:size])


@pytest.mark.parametrize(
    ("policy", "rule"),
    [
        ({"selector": "sft", "fill": "head"}, "a plan makes no sense before fill 'head'"),
        ({"selector": "sft", "fill": "head_tail"}, "a plan makes no sense before fill 'head_tail'"),
        ({"order": "hybrid", "fill": "bm25"}, "give a selector, or leave order out"),
        ({"shown_order": "hybrid", "fill": "head"}, "fill 'head' without a selector packs none; leave it out"),
        ({"shown_order": "hybrid", "fill": "none"}, "fill 'none' without a selector packs none"),
        ({"selector": "an oracle", "fill": "bm25"}, "match pattern"),
        ({"selector": "sft", "anchors": {"ranking": "bm25", "atoms": 2}, "fill": "none"}, "anchors make no sense"),
    ],
)
def test_a_policy_that_cannot_be_is_refused(policy, rule):
    with pytest.raises(ValidationError, match=rule):
        Policy.model_validate(policy)


@pytest.mark.parametrize("fill", ["head", "head_tail"])
def test_fills_that_show_spans_order_no_atoms(fill):
    with pytest.raises(ValueError, match="orders no atoms"):
        positions({"fill": fill})


def test_a_twin_has_the_other_values_and_is_the_same_else():
    policies = {
        "shown": Policy(fill="bm25", shown_order="hybrid"),
        "planned": Policy(selector="sft", fill="none", shown_order="hybrid"),
        "bm25": Policy(fill="bm25"),
        "again": Policy(fill="bm25"),
        "other": Policy(selector="sft", fill="bm25"),
    }
    assert twins(policies, lambda policy: policy.shown_order == "hybrid", {"shown_order": "packed"}) == {
        "shown": "bm25"
    }
    assert twins(policies, lambda policy: policy.selector == "sft", {"selector": "prompted"}) == {}
