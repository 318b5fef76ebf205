"""What the answer model is asked."""

from plancheck.records import Question


def likelihood_messages(question: Question, context: str) -> list[dict[str, str]]:
    """The chat to which each choice's text is a possible reply; the likeliest one is the answer.

    A choice's score is its mean log-probability a token as the assistant's whole reply. The context comes first, so
    that prompts of one context share their beginning. An empty context leaves the passage out.
    """
    passage = f"{context}\n\n" if context else ""
    return [{"role": "user", "content": f"{passage}{question.question}"}]
