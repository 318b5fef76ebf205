import numpy as np
import pytest

from plancheck.statistics.pairs import Outcomes, SameText, join_pairs, outcomes, same_text


def test_pairs_are_joined_by_id_whatever_the_order():
    pairs = join_pairs([("b", 1), ("a", 0), ("c", 1)], [("c", 1), ("b", 0), ("a", 1)])

    assert pairs.question_ids == ("a", "b", "c")
    assert pairs.differences.tolist() == [-1, 1, 0]
    assert outcomes(pairs) == Outcomes(wins=1, losses=1, ties=1)


@pytest.mark.parametrize(
    ("treatment", "control", "message"),
    [
        ([("a", 1), ("b", 1)], [("a", 1)], "in treatment only: b"),
        ([("a", 1)], [("a", 1), ("b", 1)], "in control only: b"),
        ([("a", 1), ("a", 0)], [("a", 1)], "twice in treatment: a"),
        ([("a", 1)], [("a", 1), ("a", 1)], "twice in control: a"),
        ([(str(i), 1) for i in range(30)], [], "and 20 more"),
        ([], [], "no question"),
        ([("a", np.nan)], [("a", 1)], "not finite"),
    ],
)
def test_a_pair_that_cannot_be_made_is_named(treatment, control, message):
    with pytest.raises(ValueError, match=message):
        join_pairs(treatment, control)


def test_every_problem_is_named_at_once():
    with pytest.raises(ValueError, match=r"twice in treatment: a; .*treatment only: b; .*control only: c"):
        join_pairs([("a", 1), ("a", 1), ("b", 1)], [("a", 1), ("c", 1)])


def test_discordance_is_the_share_of_questions_that_are_no_tie():
    assert Outcomes(68, 59, 376).discordance == pytest.approx(127 / 503)


def test_pairs_that_were_shown_the_same_text_are_counted_and_those_of_them_that_tie():
    pairs = join_pairs([("a", 1), ("b", 0), ("c", 1), ("d", 0)], [("a", 1), ("b", 0), ("c", 0), ("d", 0)])
    ours, theirs = {"a": "x", "b": "y", "c": "z", "d": "v"}, {"a": "x", "b": "other", "c": "z", "d": "v", "e": "x"}
    assert same_text(pairs, ours, theirs) == SameText(pairs=3, ties=2)
    assert same_text(pairs, ours, dict.fromkeys(ours)) == SameText(0, 0)
    with pytest.raises(KeyError, match="d"):
        same_text(pairs, {"a": "x", "b": "y", "c": "z"}, theirs)
