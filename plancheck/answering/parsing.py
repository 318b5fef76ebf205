"""Reading the chosen letter from a reply in words."""

from typing import Final

from plancheck.answering.forms import found, patterns
from plancheck.answering.reasoning import after_reasoning
from plancheck.answering.tokens import tokens
from plancheck.matching import folded
from plancheck.records import LETTERS, Letter

FORMS: Final = ("marked", "stated", "chosen", "begun", "named")


def parse_letter(reply: str, choices: int) -> tuple[Letter, int] | None:
    """The chosen letter and its place in the reply, or None when the reply names none or leaves two possible.

    Letters are those of so many choices, so "E" counts where there are five. What stands after the model's reasoning
    counts (`after_reasoning`), in any language of LANGUAGES. Letters that the reply rejects ("not A", "A and C are
    wrong"), doubts ("A?") or supposes ("if A") do not count. Of the others, the first of these forms that the reply has
    decides, and all letters in that form must be the same, with no other set beside it ("A (or B)", "A. No, wait, B");
    the place is that of the last one.

    1. the answer where it is marked: a box, a field "answer" of JSON, "<answer>C</answer>", "the final answer is C"
    2. a statement: "the answer is C", "Answer: c", "C is correct", a first line that is "C"
    3. a choice: "it is C", "so C", "I choose C"
    4. a letter that begins a line: "C. The mill", "C because ..."
    5. a letter after "option" or "answer", in brackets or in bold

    "A" as an article ("A man ...") is no letter, nor "I" as a pronoun or "E" as a conjunction; lower case counts in
    forms 1 and 2 where the clause ends after it.
    """
    start = after_reasoning(reply)
    if start is None:
        return None
    text = folded(reply[start:], case=False)
    said = tokens(text.text, choices)
    signs = without_rejected(said.signs, choices)
    for form in FORMS:
        if places := found(signs, form, choices):
            letter, place = letter_at(signs, places[-1]), places[-1]
            alone = all(letter_at(signs, other) == letter for other in places)
            if not alone or has_another(signs, letter, place, form, choices):
                return None
            return letter, start + text.starts[said.starts[place]]
    return None


def letter_at(signs: str, place: int) -> Letter:
    """The letter of a sign: itself, or its number where it stands in lower case."""
    sign = signs[place]
    return LETTERS[int(sign) if sign.isdigit() else ord(sign) - ord("A")]


def has_another(signs: str, letter: Letter, place: int, form: str, choices: int) -> bool:
    """Whether another letter is set beside the one that a form found, or is chosen after it was stated."""
    set_beside = patterns("beside" if form == "marked" else "others", choices)
    beside = [match["letter"] for pattern in set_beside if (match := pattern.match(signs, place + 1))]
    later = [signs[other] for other in found(signs, "chosen", choices) if other > place] if form == "stated" else []
    return any(other != letter for other in (*beside, *later))


def without_rejected(signs: str, choices: int) -> str:
    """The signs with "#" for each letter that is rejected."""
    left = list(signs)
    for pattern in patterns("rejected", choices):
        for match in pattern.finditer(signs):
            for place, _ in match.spans("letter"):
                left[place] = "#"
    return "".join(left)
