import pytest

from plancheck.reporting.wording import same_text_sentence
from plancheck.statistics.pairs import Outcomes, SameText


@pytest.mark.parametrize(
    ("seen", "same", "expected"),
    [
        (Outcomes(3, 3, 34), SameText(21, 21), "Of 34 ties, 21 saw the same text."),
        (Outcomes(0, 0, 1200), SameText(1200, 1200),
         "Both saw the same text in all 1,200 questions: this comparison says nothing."),
        (Outcomes(4, 2, 34), SameText(40, 34), "Of 40 questions, 40 saw the same text."),
        (Outcomes(4, 2, 34), SameText(0, 0), ""),
    ],
)  # fmt: skip
def test_pairs_that_saw_the_same_text_are_told_with_the_ties_that_they_make(seen, same, expected):
    assert same_text_sentence(seen, same) == expected
