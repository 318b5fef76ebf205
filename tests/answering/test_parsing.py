import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.answering.confidence import choice_probabilities
from plancheck.answering.parsing import parse_letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("B", "B"),
        (" C.", "C"),
        ("(D)", "D"),
        ("**A**", "A"),
        ("A) the mill", "A"),
        ("B. The mill", "B"),
        ("B: the mill", "B"),
        ("The correct answer is (C)", "C"),
        ("The correct answer is C.", "C"),
        ("Answer: D", "D"),
        ("Answer: **D**", "D"),
        ("the choice is B because A is wrong", "B"),
        ("I first thought the answer is A. On reflection, the answer is C", "C"),
        ("Because the text says so:\nC\n", "C"),
        ("Option D", "D"),
        ("Both (A) and (B) fit, so (B)", "B"),
        ("The answer to the question is B.", "B"),
        ("The best answer among these, I believe, is (B).", "B"),
        ("The answer is most likely option C", "C"),
        ("**Answer:** **C**", "C"),
        ("Answer is: [D]", "D"),
        ("The correct option is D", "D"),
        ("The answer is A because the text says so", "A"),
        ("I think it's B.", "B"),
        ("It is most likely C", "C"),
        ("I would take option A because of the mill", "A"),
        ("C because the mill is older", "C"),
        ("A", "A"),
        ("A. A good question", "A"),
    ],
)
def test_the_usual_ways_to_name_a_letter(reply, letter):
    found = parse_letter(reply)
    assert found is not None
    assert (found[0], reply[found[1]]) == (letter, letter)


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("The answer is C. Option A is wrong", "C"),
        ("The answer is C, not A.", "C"),
        ("The correct answer is (B). (A) is wrong", "B"),
        ("The correct answer is B, not option D", "B"),
        ("Answer: A. (Choice B is tempting)", "A"),
        ("The right choice is C. Option A is wrong", "C"),
        ("A. No: on reflection the answer is C", "C"),
        ("C. Because option A is wrong", "C"),
        ("C because option A is wrong", "C"),
        ("**C**\n\nOption A is wrong", "C"),
        ("(C) Choice D is tempting", "C"),
        ("I think it's B. Option A is wrong", "B"),
        ("Not option A, I take option B, not option D", "B"),
        ("The text fits option B (A is wrong), (C) as well", "B"),
        ("So **B**, not **D**", "B"),
    ],
)
def test_the_stronger_form_decides(reply, letter):
    found = parse_letter(reply)
    assert found is not None
    assert (found[0], reply[found[1]]) == (letter, letter)


@pytest.mark.parametrize(
    "reply",
    [
        "", "   ", "A man went home", "the answer is unclear", "E", "answer is a town", "Dogs", "None of them", "A's",
        "A good question", "Answer: A good question", "The answer is A good one", "It's A long story", "A’s", "A-level",
        "The answer is not A", "It is not option B", "The answer is not (C)", "The answer is Dogs",
    ],
)  # fmt: skip
def test_a_reply_without_a_letter_names_none(reply):
    assert parse_letter(reply) is None


@given(st.text(max_size=60))
def test_any_text_gives_a_letter_at_its_place_or_none(reply):
    found = parse_letter(reply)
    assert found is None or (reply[found[1]] == found[0] and found[0] in "ABCD")


@given(st.lists(st.floats(-200, 5), min_size=4, max_size=4))
def test_probabilities_sum_to_one_and_keep_the_order(logprobs):
    found = choice_probabilities(logprobs)
    assert sum(found) == pytest.approx(1)
    assert max(found) == found[logprobs.index(max(logprobs))]


@pytest.mark.parametrize("logprobs", [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0, float("nan")], [0.0, 0.0, 0.0, float("-inf")]])
def test_probabilities_need_four_finite_numbers(logprobs):
    with pytest.raises(ValueError, match="four finite"):
        choice_probabilities(logprobs)
