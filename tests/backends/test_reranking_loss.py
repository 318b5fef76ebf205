"""When tuning a cross-encoder is said to have taught it nothing."""

import logging

import pytest

from plancheck.backends.reranker_tuning import report
from plancheck.backends.tuning_pairs import Pair

PAIRS = [Pair("q", "right", 1.0), *(Pair("q", "wrong", 0.0) for _ in range(3))]
CHANCE = 0.562  # 1 of 4 pairs is right: -(1/4) ln(1/4) - (3/4) ln(3/4)


@pytest.mark.parametrize(
    ("losses", "warned"),
    [
        ([CHANCE] * 10, True),
        ([0.7] * 7 + [0.3] * 3, False),  # the mean of all is above chance
        ([0.3] * 7 + [CHANCE] * 3, True),
        ([0.2], False),
    ],
)
def test_the_last_losses_judge(losses, warned, caplog):
    with caplog.at_level(logging.INFO, "plancheck.models"):
        report(losses, PAIRS, "Change models.reranker.")
    assert "at chance 0.562" in caplog.text
    assert ("learned next to nothing. Change models.reranker." in caplog.text) == warned
