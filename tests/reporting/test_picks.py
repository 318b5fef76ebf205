import pytest

from plancheck.reporting.picks import best, picks


def test_a_tie_goes_to_the_earlier_declared_policy(study):
    results = study({"a": [1, 0, 0], "b": [0, 1, 0], "c": [0, 0, 0]})
    assert best(results, ["c", "b", "a"], 900, "all") == "b"
    assert best(results, ["a", "b"], 900, "all") == "a"


def test_one_candidate_is_no_pick_and_several_are_picked_twice(study):
    results = study({"a": [1, 0, 0, 0], "b": [0, 0, 1, 1]}, sizes=(1, 1, 2))
    assert [
        (pick.policy, pick.kind, pick.split, pick.candidates) for pick in picks(results, ["a"], 900, split="all")
    ] == [("a", "declared", "all", 1)]
    found = [(pick.policy, pick.kind, pick.split) for pick in picks(results, ["a", "b"], 900, split="all")]
    assert found == [("b", "same_questions", "all"), ("a", "nested", "test")]


@pytest.mark.parametrize("test_outcomes", [[0, 0], [1, 0], [1, 1]])
def test_the_nested_pick_never_looks_at_test_outcomes(study, test_outcomes):
    results = study({"a": [1, 0, 0, 1], "b": [1, 1, *test_outcomes]}, sizes=(1, 1, 2))
    nested = picks(results, ["a", "b"], 900, split="all")[1]
    assert (nested.kind, nested.policy, nested.split) == ("nested", "b", "test")


def test_without_candidates_there_is_nothing_to_pick(study):
    with pytest.raises(ValueError):
        best(study({"a": [1, 0, 0]}), [], 900, "all")
