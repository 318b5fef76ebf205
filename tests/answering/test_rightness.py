from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.answering.rightness import has_equal_choices, is_right, right_letters
from plancheck.records import LETTERS, Question


def question(*choices, answer="A"):
    return Question("q", "", "", "", "", "Which?", choices, answer, "context")


@pytest.mark.parametrize(
    ("choices", "gold", "right"),
    [
        (("1", "2", "3", "4"), "C", "C"),
        (("3", "3", "1", "4"), "B", "AB"),
        (("3", "3", "1", "4"), "C", "C"),
        (("3", "3", "3", "3"), "D", "ABCD"),
        (("red  lamp", " red\nlamp\u00a0", "red", "lamp"), "A", "AB"),
        (("caf\u00e9", "tea", "cafe\u0301", "cafe"), "C", "AC"),
        (("Aa", "aa", "AA", "aA"), "A", "A"),
        (("105", "10\u2075", "1 05", "10^5"), "A", "A"),
    ],
)
def test_right_are_the_letters_whose_choice_has_the_text_of_the_gold_one(choices, gold, right):
    assert right_letters(choices, gold) == set(right)
    assert [is_right(question(*choices, answer=gold), letter) for letter in LETTERS] == [x in right for x in LETTERS]


def test_no_letter_is_never_right():
    assert not is_right(question("x", "x", "x", "x"), None)


@given(st.tuples(*[st.sampled_from(["one", "one ", "One", "two", "\ufb01x", "fix"])] * 4))
def test_rightness_is_an_equivalence_that_follows_its_choice_wherever_it_stands(choices):
    for gold in LETTERS[:4]:
        right = right_letters(choices, gold)
        assert gold in right
        assert all(right_letters(choices, other) == right for other in right)
        assert has_equal_choices(question(*choices)) or right == {gold}
    for order in permutations(range(4)):
        moved = right_letters(tuple(choices[place] for place in order), LETTERS[order.index(0)])
        assert {LETTERS[order[LETTERS.index(letter)]] for letter in moved} == right_letters(choices, "A")


@pytest.mark.parametrize("other", ["one", " ONE", "\uff4f\uff4e\uff45", "o\u200bne"])
def test_choices_that_match_are_found_though_only_the_same_text_is_right(other):
    assert has_equal_choices(question("one", "two", "three", other))
    assert not has_equal_choices(question("one", "two", "three", "one another"))
