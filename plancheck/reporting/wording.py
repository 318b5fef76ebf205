"""Numbers as people read them; the only place where they are rounded."""

from typing import Any

import pandas as pd

from plancheck.statistics.pairs import Outcomes, SameText

LEAST_P = 0.001


def points(share: float) -> str:
    """A share in percent or percentage points, with one decimal."""
    return f"{100 * share:.1f}"


def signed_points(difference: float) -> str:
    """A difference of shares in percentage points, with its sign and one decimal; no difference has no sign."""
    text = f"{100 * difference:+.1f}"
    return "0.0" if float(text) == 0 else text


def p_text(p: float) -> str:
    """Three decimals; "<0.001" below that, "" for none."""
    if pd.isna(p):
        return ""
    return f"<{LEAST_P}" if p < LEAST_P else f"{p:.3f}"


def number(value: float, decimals: int) -> str:
    """That many decimals and no sign before a zero; "" for none."""
    if pd.isna(value):
        return ""
    text = f"{value:,.{decimals}f}"
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text


def count(value: Any) -> str:
    """A whole number with separators; "" for none."""
    return "" if pd.isna(value) else f"{int(value):,}"


def same_text_sentence(seen: Outcomes, same: SameText) -> str:
    """How many pairs could not differ, for both arms were shown the same text; "" for none."""
    if not same.pairs:
        return ""
    if same.pairs != same.ties:
        return f"Of {seen.questions:,} questions, {same.pairs:,} saw the same text."
    if same.pairs == seen.questions:
        return f"Both saw the same text in all {seen.questions:,} questions: this comparison says nothing."
    return f"Of {seen.ties:,} ties, {same.pairs:,} saw the same text."
