"""Reading the chosen letter from a reply in words."""

import re

from plancheck.records import LETTERS, Letter

# An "A" before a word in lower case is the article, unless that word cannot begin what an article belongs to.
_ARTICLE = r"\s+(?!(?:because|since|as|and|but|or|not|is|for|in|by)\b)[a-z]"
# Words, names and "A's" or "A-level" begin with a letter as well.
_LETTER = rf"([B-D]|A(?!{_ARTICLE}))(?![^\W_]|['’-][^\W_])"
_HEDGES = r"(?:(?:most|likely|probably|clearly|therefore|thus)\s+){0,3}"
# Most explicit first. What comes between "answer" and "is" stays within the sentence.
_FORMS = (
    re.compile(
        r"\b(?i:answer(?:\s+(?:to|for|of|among|from|based)\b[^.?!:\n]{0,100}?)?|choice|option)[ *_\n]{0,4}"
        rf"(?i:\bis\b|:)(?:[^\w.?!]|_){{0,6}}(?i:{_HEDGES}(?:(?:option|choice)\b)?)(?:[^\w.?!]|_){{0,6}}{_LETTER}"
    ),
    re.compile(rf"^\W{{0,4}}{_LETTER}(?!\s+(?!(?:because|since)\b)[a-z])"),
    re.compile(rf"\b(?i:it['’]s|it\s+is)\s+(?i:{_HEDGES})[\W_]{{0,4}}{_LETTER}"),
    re.compile(rf"\b(?i:answer|choice|option)(?i:\s+is)?\W{{0,6}}{_LETTER}"),
    re.compile(r"[(\[*]\s*([A-D])\s*[)\]*]"),
    re.compile(r"(?:^|\n)\s*([A-D])\s*[.):]?\s*(?:$|\n)"),
)
_REJECTED = re.compile(r"\bnot[ *_(\[]*$", re.IGNORECASE)


def parse_letter(reply: str) -> tuple[Letter, int] | None:
    """The chosen letter and its place in the reply, or None when the reply names none.

    The first of these forms that the reply has decides; within a form the last mention counts, because models that
    reason name their choice at the end:

    1. a statement: "the answer is C", "the answer to the question is C", "Answer: C", "the right option is C"
    2. a letter that begins the reply: "C", "C.", "(C)", "**C**", "C because ..."
    3. "it is C"
    4. "option C", "choice C", "answer C"
    5. a letter in brackets or bold: "so (C)"
    6. a letter alone on a line

    A mention right after "not" does not count. Upper-case letters only; "A" as an English article ("A man ...") is no
    choice.
    """
    text = reply.strip()
    shift = len(reply) - len(reply.lstrip())
    for form in _FORMS:
        found = [match for match in form.finditer(text) if not _REJECTED.search(text[: match.start()][-12:])]
        if found:
            letter = LETTERS["ABCD".index(found[-1].group(1))]
            return letter, found[-1].start(1) + shift
    return None
