"""Domains by name: which of the benchmark's are asked for, whatever their case, blanks and Unicode form."""

from collections.abc import Iterable

from plancheck.matching import match_key


def asked_for(present: Iterable[str], asked: Iterable[str]) -> set[str]:
    """The domains present that are asked for: the same text but for case, white space and Unicode form."""
    keys = {match_key(name) for name in asked}
    return {name for name in present if match_key(name) in keys}


def unlike(present: Iterable[str], asked: Iterable[str]) -> tuple[list[str], list[str]]:
    """Domains asked for that are present in another spelling only, and those that are not present; in their order."""
    names = set(present)
    keys = {match_key(name) for name in names}
    others = [name for name in asked if name not in names]
    return [name for name in others if match_key(name) in keys], [
        name for name in others if match_key(name) not in keys
    ]
