"""Runs of the user's: their order, what they lack, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.plumbing.errors import StudyError
from plancheck.records import Atom
from plancheck.retrieval.runs import lacking, read_known_run, run_ranking
from plancheck.trec import Hit

ATOMS = [Atom(f"a{i}", "c", i * 10, i * 10 + 10, 0) for i in range(5)]
IDS = {"q1": ["a0", "a1"], "q2": ["a0", "a1"]}


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        ([], (0, 1, 2, 3, 4)),
        ([Hit("a3", 1, 2.0), Hit("a1", 2, 1.0)], (3, 1, 0, 2, 4)),
        ([Hit("a3", 1, 1.0), Hit("a1", 2, 2.0)], (1, 3, 0, 2, 4)),  # the score, whatever the rank
        ([Hit("a1", 2, 1.0), Hit("a3", 1, 1.0)], (3, 1, 0, 2, 4)),  # of equal scores the rank
        ([Hit("a3", 1, 1.0), Hit("a1", 1, 1.0)], (1, 3, 0, 2, 4)),  # then the position
        ([Hit("a4", 1, -0.0), Hit("a2", 2, 0.0)], (4, 2, 0, 1, 3)),
    ],
)
def test_a_run_is_ordered_by_score_then_rank_then_position_and_the_rest_by_position(hits, expected):
    assert run_ranking(hits, ATOMS).ranking == expected


@given(st.permutations(range(5)), st.integers(0, 5))
def test_a_run_without_ties_gives_its_own_order_whatever_the_order_of_its_lines(order, size):
    hits = [Hit(f"a{position}", rank, 10.0 - rank) for rank, position in enumerate(order[:size], start=1)]
    found = run_ranking(hits[::-1], ATOMS)
    assert list(found.ranking[:size]) == order[:size]
    assert list(found.ranking[size:]) == sorted(order[size:])
    assert [found.scores[position] for position in order[size:]] == [None] * (5 - size)


def test_every_unknown_id_is_named_at_once(tmp_path):
    path = tmp_path / "mine.run"
    path.write_text("q1 Q0 a0 1 2 me\nq1 Q0 b7 2 1 me\nq9 Q0 a0 1 1 me\n")
    with pytest.raises(StudyError) as caught:
        read_known_run(path, IDS)
    message = str(caught.value)
    assert "q1: b7 is no atom of its context" in message
    assert "q9: no question of the study" in message


def test_what_a_run_lacks_is_counted(tmp_path):
    path = tmp_path / "mine.run"
    path.write_text("q1 Q0 a1 1 2 me\n")
    run = read_known_run(path, IDS)
    assert lacking(run, IDS) == {
        "questions": 2, "questions_missing": 1, "atoms": 4, "atoms_missing": 3, "missing_share": 0.75,
    }  # fmt: skip
