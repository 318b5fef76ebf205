"""What a terminal or a page is shown of any text."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.visible import NEEDED, STEERING, in_a_line, visible

CASES = {
    "plain": ("plain", "plain"),
    "colours": ("\x1b[31mred", "\\x1b[31mred"),
    "title of the window": ("\x1b]0;x\x07", "\\x1b]0;x\\x07"),
    "carriage return": ("right\rwrong", "right\\rwrong"),
    "backspaces": ("a\b\bb", "a\\x08\\x08b"),
    "eight-bit escape": ("\x9b2J", "\\x9b2J"),
    "reversal": ("a\u202eb\u2066c", "a\\u202eb\\u2066c"),
    "line separator": ("a\u2028b", "a\\u2028b"),
    "tag characters": ("\U000e0041", "\\U000e0041"),
    "nul": ("\0", "\\x00"),
    "right-to-left letters": ("שלום عربي", "שלום عربي"),
    "joined emoji and letters": ("👩\u200d🔬 نامه\u200cها", "👩\u200d🔬 نامه\u200cها"),
    "lines": ("a\n\tb", "a\n\tb"),
}


@pytest.mark.parametrize(("text", "shown"), CASES.values(), ids=CASES)
def test_what_steers_a_terminal_stands_as_its_code(text, shown):
    assert visible(text) == shown


@given(st.text())
def test_no_steering_character_is_left_and_no_other_is_touched(text):
    shown = visible(text)
    assert all(sign in "\n\t" or sign in NEEDED or unicodedata.category(sign) not in STEERING for sign in shown)
    if not any(unicodedata.category(sign) in STEERING for sign in text):
        assert shown == text
    assert "\n" not in in_a_line(text)
