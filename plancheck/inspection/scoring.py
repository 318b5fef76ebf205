"""Why an answer counts as it does, in sentences."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from plancheck.answering.rightness import is_right
from plancheck.inspection.conditions import Answer, Condition, Shown
from plancheck.records import LETTERS, Failure, Question

if TYPE_CHECKING:
    from plancheck.answering.asking import Mode  # which would load scipy

FAILED: Final[Mapping[Failure, str]] = {
    "unparsable": "no letter could be read from the reply, or two remained possible",
    "cut_off": "the reply ended before it came to an answer (more answer.max_new_tokens may help)",
    "too_long": "prompt and reply exceed what the model can read",
    "out_of_memory": "the model ran out of memory",
    "error": "the model failed",
    "absent": "the file given has no answer to the question",
}
NEAR: Final = 0.05  # probabilities that differ by less are told as close


def outcome(answer: Answer | None) -> str:
    """Whether it is right or wrong, with the failure, or that there is no answer yet."""
    if answer is None:
        return "not answered"
    if answer.failure:
        return f"wrong ({answer.failure})"
    return "right" if answer.correct else "wrong"


def reasons(question: Question, condition: Condition, *, mode: "Mode | None") -> list[str]:
    """How the score came about: the letter and how it was found, right or wrong, and what is odd about it.

    ``mode``: how the answer model was asked; None where it is not known.
    """
    answer = condition.answer
    if answer is None:
        return ["There is no answer to this packed context: stage answer has not run since it was packed."]
    found = [*letter_reasons(answer, mode, system=condition.budget_chars is None), *score_reasons(question, answer)]
    return found + (evidence_reasons(question, condition.shown, answer) if condition.shown else [])


def letter_reasons(answer: Answer, mode: "Mode | None", *, system: bool) -> list[str]:
    if answer.failure:
        return [f"Failure {answer.failure}: {FAILED[answer.failure]}."]
    if answer.letter is None:
        return ["The file given says only whether the answer is right."]
    if system:
        return [f"The file given answers {answer.letter}."]
    how = {"likelihood": "the choice whose text is the likeliest reply", "generate": "the letter read from the reply"}
    return [f"Letter {answer.letter}" + (f": {how[mode]}." if mode else "."), *weight_reasons(answer, mode)]


def weight_reasons(answer: Answer, mode: "Mode | None") -> list[str]:
    """How near another choice was, and whether another weighed more than the one answered."""
    if answer.probs is None or answer.letter is None or len(answer.probs) < 2:
        return []
    own = answer.probs[LETTERS.index(answer.letter)]
    top = max(answer.probs)
    if own < top:
        likelier = LETTERS[answer.probs.index(top)]
        return [f"The model weighed {likelier} ({top:.3f}) above the letter that it wrote ({own:.3f})."]
    weight, letter = max(
        (probability, letter)
        for probability, letter in zip(answer.probs, LETTERS, strict=False)
        if letter != answer.letter
    )
    tied = [other for probability, other in zip(answer.probs, LETTERS, strict=False) if probability == own]
    if len(tied) > 1:
        rule = ": the earlier letter is taken" if mode == "likelihood" else ""
        return [f"A tie: {', '.join(tied)} are equally likely ({own:.3f}){rule}."]
    if own - weight < NEAR:
        return [f"Close: {answer.letter} has {own:.3f} and {letter} {weight:.3f}."]
    return []


def score_reasons(question: Question, answer: Answer) -> list[str]:
    gold = f"the gold letter is {question.answer}"
    if answer.failure:
        return [f"It counts as wrong and stays in the denominator; {gold}."]
    if answer.letter is None:
        return [f"It counts as {'right' if answer.correct else 'wrong'}; {gold}."]
    found = []
    if not answer.correct:
        found.append(f"Wrong: {gold}.")
    elif answer.letter == question.answer:
        found.append(f"Right: {gold}.")
    else:
        found.append(f"Right: {gold}, and choice {answer.letter} has the same text.")
    if answer.letter in question.letters and is_right(question, answer.letter) != answer.correct:
        found.append("The table says otherwise than the question does now: the benchmark has changed since.")
    return found


def evidence_reasons(question: Question, shown: Shown, answer: Answer) -> list[str]:
    """What is odd about the score, given how much of the evidence was shown."""
    if shown.evidence_recall is None:
        return []
    total = len(question.evidence or ())
    if answer.correct and shown.evidence_recall == 0:
        return ["It is right although none of the evidence was shown whole: a guess, or known without it."]
    if not answer.correct and shown.evidence_recall == 1:
        return [f"It is wrong although the evidence was shown ({total} of {total} spans)."]
    return []


def same_text(condition: Condition, conditions: Sequence[Condition]) -> list[str]:
    """The names of the other conditions that show the same text, hence have the same answer."""
    shown = condition.shown
    if shown is None:
        return []
    return [
        other.name
        for other in conditions
        if other.name != condition.name and other.shown and other.shown.packed_id == shown.packed_id
    ]
