"""Where a reply goes on after the reasoning that a model writes out before it answers."""

from typing import Final

import regex

# How models mark their reasoning: its begin and its end, as patterns.
_MARKS: Final = (
    (r"<(?:seed:)?(?:think|thinking|thought|reasoning|scratchpad)>",
     r"</(?:seed:)?(?:think|thinking|thought|reasoning|scratchpad)>"),
    ("◁think▷", "◁/think▷"),
    (r"\[THINK\]", r"\[/THINK\]"),
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    (r"<\|channel\|>(?:analysis|commentary)", r"<\|channel\|>final<\|message\|>"),
    # The same as a tokenizer gives it that leaves control tokens out.
    (r"\Aanalysis(?=\p{Lu})", "assistantfinal"),
    (r"\AHere(?:'s| is) my thought process:", r"Here(?:'s| is) my response:"),
)  # fmt: skip
_MARK = regex.compile(
    f"(?P<begin>{'|'.join(begin for begin, _ in _MARKS)})|(?P<end>{'|'.join(end for _, end in _MARKS)})"
)


def after_reasoning(reply: str) -> int | None:
    """Where the reply goes on after its reasoning: 0 where it has none, None where it ends inside it.

    The last mark decides. An end without a begin counts, for some prompts end with the begin.
    """
    place: int | None = 0
    for mark in _MARK.finditer(reply):
        place = None if mark["begin"] is not None else mark.end()
    return place


def marks_reasoning(template: str) -> bool:
    """Whether a chat template knows reasoning, so that a reply to it may begin with some, marked or not."""
    return _MARK.search(template) is not None
