"""Text of anyone's as a terminal or a page can show it: what would steer either stands as its code."""

import unicodedata
from typing import Final

# Format characters that letters of a script need: the joiners, and the Arabic and Syriac signs that enclose digits.
NEEDED: Final = frozenset("\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2")
# Control, format, surrogate, private use and unassigned characters, and the two that end lines and paragraphs.
STEERING: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible(text: str) -> str:
    """The text with each steering character as its escape (of ESC: backslash, x1b); line feeds and tabs stay.

    So no text clears a terminal, writes over a line, reverses what stands beside it or ends a page early. Letters of
    every script, right-to-left ones too, and joined emoji stay as they are.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shown, text))


def in_a_line(text: str) -> str:
    """The same with line feeds and tabs escaped too: what stands in one line."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def _shown(character: str) -> str:
    if character in "\n\t" or character in NEEDED or unicodedata.category(character) not in STEERING:
        return character
    return character.encode("unicode_escape").decode("ascii")
