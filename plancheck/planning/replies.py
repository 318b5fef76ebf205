"""Asking the planner: what it already said is not asked again."""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from plancheck.answering.asking import failure_of, reply_key
from plancheck.answering.ports import Messages, Replies
from plancheck.params.planning import Mine
from plancheck.planning.ports import PlannerModel
from plancheck.planning.seeds import seed_of
from plancheck.records import Failure

LOG = logging.getLogger("plancheck.plan")


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply with what it was begun with, or why there is none."""

    text: str | None
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """Replies in order, and for each whether the model was asked for it and replied (or it was remembered)."""

    replies: tuple[Reply, ...]
    asked: tuple[bool, ...]

    @property
    def calls(self) -> int:
        """How many replies the model was asked for."""
        return sum(self.asked)


@dataclass(frozen=True, slots=True)
class Planner:
    """A model and how it is asked.

    Attributes:
        replies: what was said before; a question's replies are kept as soon as they are there.
        identity: names the model, its digest, its adapter, number format and libraries: part of every key.
        reply_start: what a reply is begun with.
        errors_are_rows: whether a RuntimeError of the model (such as lack of memory) becomes a failed reply or is
            raised, for the caller to try again.
    """

    model: PlannerModel
    replies: Replies
    identity: str
    reply_start: str
    max_new_tokens: int
    errors_are_rows: bool


@dataclass(frozen=True, slots=True)
class Chat:
    """What a planner is asked, and whether a reply, with what it was begun with, needs to go on no more."""

    messages: Messages
    complete: Callable[[str], bool]


def sampled(planner: Planner, chat: Chat, *, question_id: str, settings: Mine) -> Said:
    """``settings.samples`` replies, numbered from 0, each with a seed of its own by question and number."""
    prompt = planner.model.tokens(chat.messages, planner.reply_start)
    seeds = [seed_of(settings.seed, question_id, number) for number in range(settings.samples)]
    drawn = {"temperature": settings.temperature, "top_p": settings.top_p}
    keys = [
        reply_key(
            mode="sample", prompt=prompt, seed=seed, identity=planner.identity,
            max_new_tokens=planner.max_new_tokens, **drawn,
        )
        for seed in seeds
    ]  # fmt: skip
    complete = _complete(planner, chat)

    def call(missing: Sequence[int]) -> list[str]:
        return planner.model.sample(
            prompt,
            seeds=[seeds[index] for index in missing],
            max_new_tokens=planner.max_new_tokens,
            complete=complete,
            **drawn,
        )

    return _said(planner, keys, [len(prompt)] * len(keys), call)


def greedy(planner: Planner, chats: Sequence[Chat]) -> Said:
    """The likeliest reply to each chat."""
    prompts = [planner.model.tokens(chat.messages, planner.reply_start) for chat in chats]
    keys = [
        reply_key(mode="plan", prompt=prompt, identity=planner.identity, max_new_tokens=planner.max_new_tokens)
        for prompt in prompts
    ]

    def call(missing: Sequence[int]) -> list[str]:
        return planner.model.greedy(
            [prompts[index] for index in missing],
            max_new_tokens=planner.max_new_tokens,
            complete=[_complete(planner, chats[index]) for index in missing],
        )

    return _said(planner, keys, [len(prompt) for prompt in prompts], call)


def _complete(planner: Planner, chat: Chat) -> Callable[[str], bool]:
    return lambda text: chat.complete(planner.reply_start + text)


def _said(
    planner: Planner, keys: Sequence[str], prompt_tokens: Sequence[int], call: Callable[[Sequence[int]], list[str]]
) -> Said:
    known = {key: str(reply["text"]) for key, reply in planner.replies.get(keys).items()}
    failures: dict[int, Failure] = {}
    waiting: deque[list[int]] = deque()
    missing: list[int] = []
    for index, (key, tokens) in enumerate(zip(keys, prompt_tokens, strict=True)):
        if tokens + planner.max_new_tokens > planner.model.max_tokens:
            failures[index] = "too_long"
        elif key not in known:
            missing.append(index)
    if missing:
        waiting.append(missing)
    asked = [False] * len(keys)
    while waiting:
        group = waiting.popleft()
        try:
            fresh = {keys[index]: text for index, text in zip(group, call(group), strict=True)}
        except RuntimeError as error:
            if not planner.errors_are_rows:
                raise
            LOG.warning("%d plan(s) failed: %s: %s", len(group), type(error).__name__, error)
            if len(group) > 1:  # one may have failed them all
                waiting.extendleft([index] for index in reversed(group))
            else:
                failures[group[0]] = failure_of(error)
            continue
        planner.replies.put({key: {"text": text} for key, text in fresh.items()})
        known.update(fresh)
        for index in group:
            asked[index] = True
    return Said(
        tuple(
            Reply(None, failures[index]) if index in failures else Reply(planner.reply_start + known[key])
            for index, key in enumerate(keys)
        ),
        tuple(asked),
    )
