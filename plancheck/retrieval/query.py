"""The retrieval query of a question."""

from plancheck.records import Question


def query_text(question: Question) -> str:
    """Question and choices, a line each, in order: what retrieval, reranking and tuning search with."""
    return "\n".join((question.question, *question.choices))
