"""What the answer model is asked."""

from collections.abc import Callable, Iterable
from pathlib import Path

from plancheck.answering.ports import Messages
from plancheck.params.answer import Answer
from plancheck.plumbing.errors import StudyError
from plancheck.records import Question
from plancheck.templates import probe, read_template, rendered, unlabelled

OURS = Path(__file__).parent
VARIABLES = ("context", "question", "choices", "letters")


def template_of(answer: Answer) -> Path:
    """The file that makes the prompt: the user's, or ours for the mode."""
    return answer.prompt or OURS / f"{answer.mode}.jinja"


def asker(answer: Answer) -> Callable[[Question, str], Messages]:
    """What makes the chat of a question and the context shown with it; an empty context leaves the passage out.

    In mode "likelihood" each choice's text is a possible reply to it, and the likeliest one is the answer: its score is
    its mean log-probability a token as the assistant's whole reply. In mode "generate" the reply is to be a letter. Our
    prompts show the context first, so that prompts of one context share their beginning.

    Raises:
        StudyError: the template cannot be read, or, as the chat is made, fails or leaves out the question, the context
            or, in mode "generate", a choice.
    """
    path = template_of(answer)
    template = read_template(path, VARIABLES)

    def messages(question: Question, context: str) -> Messages:
        given = {"context": context, "question": question.question}
        offered = {"choices": list(question.choices), "letters": list(question.letters)}
        shown = {"the question": question.question, "the context": context}
        if answer.mode == "generate":
            named = zip(question.letters, question.choices, strict=True)
            shown |= {f"choice {letter}": choice for letter, choice in named}
        return [{"role": "user", "content": rendered(template, path, shown=shown, **given, **offered)}]

    return messages


def refuse_incomplete(answer: Answer, choice_counts: Iterable[int]) -> None:
    """Make sure that the prompt shows what it must, whole and unchanged, for questions of so many choices.

    Raises:
        StudyError: it fails, or leaves out the question, the context or, in mode "generate", a choice or its letter.
    """
    path, ask = template_of(answer), asker(answer)
    for count in sorted(set(choice_counts)):
        question = probe(count)
        for context in (PROBED_CONTEXT, ""):
            try:
                text = ask(question, context)[0]["content"]
            except StudyError as error:
                raise StudyError(f"{error}{'' if context else ' This is where no context is shown.'}") from error
            wrong = unlabelled(text, question.letters, question.choices) if answer.mode == "generate" else []
            if wrong:
                raise StudyError(
                    f"{path}: shows choice {', '.join(wrong)} out of order, or without its letter before it. A "
                    "reply's letter is looked up in that order: put each of letters before its choice."
                )


PROBED_CONTEXT = "\n".join(f"Line {number} of  the text, {{{{ as }}}} <it> & 'is'." for number in range(2_000))
