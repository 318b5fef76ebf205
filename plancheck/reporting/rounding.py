"""Numbers as people read them, in print, on the page and on the terminal; the only place where they are rounded."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import pandas as pd

Kind = Literal["text", "count", "percent", "points", "p", "number"]
LEAST_P: Final = 0.001


def rounded(value: Any, kind: Kind) -> str:
    """The value as its kind is read; text as it is; "" for none."""
    if pd.isna(value):
        return ""
    return str(value) if kind == "text" else FORMATS[kind](value)


def count(value: float) -> str:
    """A whole number with separators."""
    return f"{int(value):,}"


def percent(share: float) -> str:
    """A share in percent, or a size in percentage points, with one decimal."""
    return f"{100 * share:.1f}"


def whole_percent(share: float) -> str:
    """A share in percent without decimals, where there is no room for one; "" for none."""
    return "" if pd.isna(share) else f"{100 * share:.0f}"


def points(difference: float) -> str:
    """A difference of shares in percentage points, with its sign and one decimal; no difference has no sign."""
    text = f"{100 * difference:+.1f}"
    return "0.0" if float(text) == 0 else text


def p_value(p: float) -> str:
    """Three decimals; "<0.001" below that."""
    return f"<{LEAST_P}" if p < LEAST_P else f"{p:.3f}"


def p_is(p: float) -> str:
    """What follows a p's name: "= 0.012" or "< 0.001"."""
    return f"< {LEAST_P}" if p < LEAST_P else f"= {p_value(p)}"


def number(value: float) -> str:
    """Three significant digits; from 1,000 on a whole number with separators. Zero has no sign."""
    return f"{value or 0:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


FORMATS: Final[Mapping[Kind, Callable[[float], str]]] = {
    "count": count,
    "percent": percent,
    "points": points,
    "p": p_value,
    "number": number,
}
