"""Why an answer counts as it does."""

import pytest

from plancheck.inspection.conditions import Answer, Condition, Shown
from plancheck.inspection.scoring import outcome, reasons
from plancheck.records import Question, Span

QUESTION = Question("q", "d", "", "", "", "?", ("x", "y", "x ", "z"), "A", "c", evidence=(Span(0, 1),))


def told(answer, *, mode="likelihood", recall=None, budget=900):
    shown = None if budget is None else Shown("id", (), 0, False, 0, recall, False, None)
    return " ".join(reasons(QUESTION, Condition("bm25", budget, shown, answer), mode=mode))


CASES = {
    "right": (Answer("A", True, None, (0.6, 0.2, 0.1, 0.1)), {}, ["Letter A: the choice whose", "Right: the gold"]),
    "wrong": (Answer("B", False, None, (0.2, 0.6, 0.1, 0.1)), {}, ["Wrong: the gold letter is A."]),
    "tie": (Answer("A", True, None, (0.4, 0.4, 0.1, 0.1)), {}, ["A tie: A, B are equally likely", "earlier letter"]),
    "close": (Answer("B", False, None, (0.30, 0.34, 0.2, 0.16)), {}, ["Close: B has 0.340 and A 0.300."]),
    "equal text": (Answer("C", True, None), {}, ["Right: the gold letter is A, and choice C has the same text."]),
    "read from a reply": (Answer("A", True, None), {"mode": "generate"}, ["Letter A: the letter read from the reply."]),
    "another weighed more": (Answer("A", True, None, (0.3, 0.7, 0, 0)), {"mode": "generate"}, ["weighed B (0.700)"]),
    "unparsable": (Answer(None, False, "unparsable"), {}, ["no letter could be read", "stays in the denominator"]),
    "absent": (Answer(None, False, "absent"), {"budget": None}, ["the file given has no answer", "gold letter is A"]),
    "system": (Answer("A", True, None), {"budget": None}, ["The file given answers A.", "Right"]),
    "only a score": (Answer(None, True, None), {"budget": None}, ["says only whether", "counts as right"]),
    "guess": (Answer("A", True, None), {"recall": 0.0}, ["right although none of the evidence"]),
    "evidence unused": (Answer("B", False, None), {"recall": 1.0}, ["wrong although the evidence was shown (1 of 1"]),
    "stale": (Answer("B", True, None), {}, ["the benchmark has changed since"]),
    "not answered": (None, {}, ["stage answer has not run"]),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "how", "parts"), CASES.values(), ids=CASES)
def test_the_reasons_say_what_decided(answer, how, parts):
    found = told(answer, **how)
    assert [part for part in parts if part not in found] == []


def test_an_outcome_names_the_failure():
    assert outcome(Answer(None, False, "too_long")) == "wrong (too_long)"
    assert outcome(None) == "not answered"
