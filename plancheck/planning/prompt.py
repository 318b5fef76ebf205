"""What the planner is asked, and the reply that a plan is."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from plancheck.params.planning import Planner
from plancheck.planning.seeds import seed_of
from plancheck.plumbing.errors import StudyError
from plancheck.records import Question
from plancheck.templates import probe, read_template, rendered, unlabelled

OURS = Path(__file__).with_name("planner.jinja")
VARIABLES = ("passages", "question", "choices", "max_atoms", "example")
PROBED = 40  # passages, more than a pool has by default

# Small models answer the question instead of naming passages unless their reply is begun for them
# (mine.begin_reply). Training replies then begin with the same words.
REPLY_START = "The needed passages are ["


def template_of(planner: Planner) -> Path:
    """The file that makes the prompt: the user's or ours."""
    return planner.prompt or OURS


def planner_messages(question: Question, candidates: Sequence[str], planner: Planner) -> list[dict[str, str]]:
    """The chat whose reply is a plan. It shows the question, its choices and the candidates, and nothing else.

    Args:
        question: of it, question text and choices are read.
        candidates: texts of the candidate atoms, whole or snippets, in the context's order; numbered from 1.
        planner: its template, and the most passages that it is to name.

    Raises:
        StudyError: the template cannot be read, fails, or leaves out the question or a candidate.
    """
    path = template_of(planner)
    text = rendered(
        read_template(path, VARIABLES),
        path,
        shown={"the question": question.question}
        | {f"passage {number}": text for number, text in enumerate(candidates, start=1)},
        passages=list(candidates),
        question=question.question,
        choices=list(question.choices),
        max_atoms=planner.max_atoms,
        example=example(question, len(candidates)),
    )
    return [{"role": "user", "content": text}]


def refuse_incomplete(planner: Planner, choice_counts: Iterable[int]) -> None:
    """Make sure that the prompt shows what it must, whole and unchanged, for questions of so many choices.

    Raises:
        StudyError: it leaves out the question, a passage or its number, or fails.
    """
    part = "<It> & 'is' {{ as }}  so.\n"
    passages = [f"Begin{number}x {part * 400}End{number}x." for number in range(1, PROBED + 1)]
    for count in sorted(set(choice_counts)):
        text = planner_messages(probe(count), passages, planner)[0]["content"]
        if wrong := unlabelled(text, [str(number) for number in range(1, PROBED + 1)], passages):
            raise StudyError(
                f"{template_of(planner)}: shows passage {', '.join(wrong)} out of order, or without its number before "
                "it. A reply names passages by number from 1: put loop.index before each of passages."
            )


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
