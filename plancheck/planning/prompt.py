"""What the planner is asked, and the reply that a plan is."""

from collections.abc import Sequence

from plancheck.planning.seeds import seed_of
from plancheck.records import Question

# Small models answer the question instead of naming passages unless their reply is begun for them
# (mine.begin_reply). Training replies then begin with the same words.
REPLY_START = "The needed passages are ["


def planner_messages(question: Question, candidates: Sequence[str], *, max_atoms: int) -> list[dict[str, str]]:
    """The chat whose reply is a plan. It shows the question, its choices and the candidates, and nothing else.

    Args:
        question: of it, question text and choices are read.
        candidates: texts of the candidate atoms, whole or snippets, in the context's order; numbered from 1.
        max_atoms: most passages that the planner is to name.
    """
    passages = "\n\n".join(f"[{number}] {text}" for number, text in enumerate(candidates, start=1))
    # Without letters: small models told of A to D name those in brackets.
    answers = " / ".join(question.choices)
    ask = (
        "Which of the passages are needed to answer the question? Do not answer it. Reply with the numbers of the "
        f"needed passages in brackets and nothing else, the most needed first, at most {max_atoms}, such as "
        f"{example(question, len(candidates))}."
    )
    text = f"{passages}\n\nQuestion: {question.question}\nPossible answers: {answers}\n\n{ask}"
    return [{"role": "user", "content": text}]


def example(question: Question, candidates: int) -> str:
    """A plan that shows the form. Small models copy its numbers, so every question has others, drawn from its text."""
    first = seed_of(0, question.question) % candidates
    if candidates == 1:
        return "[1]"
    second = (first + 1 + seed_of(1, question.question) % (candidates - 1)) % candidates
    return f"[{first + 1}] [{second + 1}]"


def reply_start(*, begin_reply: bool) -> str:
    """What the reply is begun with: nothing, unless ``begin_reply``."""
    return REPLY_START if begin_reply else ""


def completion(numbers: Sequence[int], *, begin_reply: bool) -> str:
    """The reply that names these candidates, in order: ``[2] [5]``, after REPLY_START's words when ``begin_reply``.

    `plancheck.planning.parsing.parse_plan` reads the same numbers back.

    Raises:
        ValueError: no numbers: there is no reply for an empty plan.
    """
    if not numbers:
        raise ValueError("a plan names at least one candidate")
    named = " ".join(f"[{number}]" for number in numbers)
    return f"{REPLY_START}{named.removeprefix('[')}" if begin_reply else named
