"""What the answer model is asked."""

from plancheck.records import Question


def likelihood_messages(question: Question, context: str) -> list[dict[str, str]]:
    """The chat to which each choice's text is a possible reply; the likeliest one is the answer.

    A choice's score is its mean log-probability a token as the assistant's whole reply. The context comes first, so
    that prompts of one context share their beginning. An empty context leaves the passage out.
    """
    passage = f"{context}\n\n" if context else ""
    return [{"role": "user", "content": f"{passage}{question.question}"}]


def generate_messages(question: Question, context: str) -> list[dict[str, str]]:
    """The chat whose reply is to be a letter. The context comes first; an empty one leaves the passage out."""
    passage = f"Read the text, then answer the question about it.\n\n{context}\n\n" if context else ""
    lettered = zip(question.letters, question.choices, strict=True)
    choices = "\n".join(f"{letter}. {choice}" for letter, choice in lettered)
    *others, last = question.letters
    ask = f"Reply with the letter of the right choice and nothing else: {', '.join(others)} or {last}."
    return [{"role": "user", "content": f"{passage}Question: {question.question}\n{choices}\n\n{ask}"}]
