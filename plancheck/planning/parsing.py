"""Reading a plan from the planner's reply."""

import re

# What models write for several numbers in one bracket: [2, 5], [2 and 5], [Passage 2]. The bracket may lack its end:
# a begun reply goes on as a list that the limit of new tokens can cut.
_LIST = re.compile(r"\[(?:[0-9]+|passages?|and|[\s,;&#-])+\]?", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]+")


def parse_plan(reply: str, *, candidates: int, max_atoms: int) -> tuple[int, ...]:
    """The candidates that a reply names in brackets.

    Args:
        reply: the whole reply, with what it was begun with.
        candidates: how many there are; they are numbered from 1.
        max_atoms: most atoms of a plan; those named after it are left out.

    Returns:
        Distinct numbers in order of first mention, unknown ones left out; empty when none is named. A range [2-4]
        names its ends. A number at the very end of a reply whose bracket is open may have lost digits: it is left out.
    """
    named: dict[int, None] = {}
    for bracket in _LIST.finditer(reply):
        for number in _NUMBER.finditer(bracket.group()):
            if bracket.start() + number.end() == len(reply):
                continue
            if len(number.group()) <= len(str(candidates)) and 1 <= int(number.group()) <= candidates:
                named.setdefault(int(number.group()))
    return tuple(named)[:max_atoms]
