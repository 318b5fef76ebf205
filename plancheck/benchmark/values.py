"""A value of a data file: how messages call it, and what is wrong with it."""

from typing import Any

SHOWN_CHARS = 60


def is_absent(value: Any) -> bool:
    """Whether a value says that there is none; NaN is what pandas writes for it."""
    return value is None or (isinstance(value, float) and value != value)


def is_number(value: Any) -> bool:
    """Whether a value is a whole number; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def text_rule(text: Any, *, blank: bool) -> str | None:
    """What is wrong with a text, or None; ``blank`` says whether it may be empty or white space."""
    if not isinstance(text, str):
        return f"must be text, got {kind(text)}"
    if not blank and not text.strip():
        return "must not be empty" if not text else "must hold more than white space"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return f"holds half a surrogate pair at character {error.start}, which UTF-8 cannot write"
    return None


def id_rule(value: Any) -> str | None:
    """What is wrong with an ID, or None."""
    if isinstance(value, str):
        return text_rule(value, blank=False)
    return f"must be text or a whole number, got {kind(value)}" if id_text(value) is None else None


def id_text(value: Any) -> str | None:
    """An ID as text, or None when it is none."""
    if is_number(value):
        return str(value)
    return value if isinstance(value, str) and value.strip() else None


def kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", bool: "true or false", int: "a number", float: "a number"}
    return "null" if value is None else names.get(type(value), "text" if isinstance(value, str) else "binary data")


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "..."
