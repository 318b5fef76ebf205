"""Reading the chosen letter from a reply in words."""

import re

from plancheck.records import LETTERS, Letter

# The forms a chat model gives its choice in, most explicit first; within a form the last mention counts, because
# models that reason name their choice at the end.
_FORMS = (
    re.compile(r"\b(?i:answer|choice|option)(?i:\s+is)?\W{0,6}([A-D])(?![A-Za-z'])"),
    re.compile(r"^\W{0,4}([A-D])(?![A-Za-z'])(?!\s+[a-z])"),
    re.compile(r"[(\[*]\s*([A-D])\s*[)\]*]"),
    re.compile(r"(?:^|\n)\s*([A-D])\s*[.):]?\s*(?:$|\n)"),
)


def parse_letter(reply: str) -> tuple[Letter, int] | None:
    """The chosen letter and its place in the reply, or None when the reply names none.

    Upper-case letters only; "A" as an English article ("A man ...") is no choice.
    """
    text = reply.strip()
    shift = len(reply) - len(reply.lstrip())
    for form in _FORMS:
        found = list(form.finditer(text))
        if found:
            letter = LETTERS["ABCD".index(found[-1].group(1))]
            return letter, found[-1].start(1) + shift
    return None
