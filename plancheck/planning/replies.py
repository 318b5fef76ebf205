"""Asking the planner: what it already said is not asked again."""

import logging
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
    """Replies in order, and how many of them the model was asked for (the others were remembered)."""

    replies: tuple[Reply, ...]
    calls: int


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


def sampled(planner: Planner, messages: Messages, *, question_id: str, settings: Mine) -> Said:
    """``settings.samples`` replies, numbered from 0, each with a seed of its own by question and number."""
    prompt = planner.model.tokens(messages, planner.reply_start)
    seeds = [seed_of(settings.seed, question_id, number) for number in range(settings.samples)]
    drawn = {"temperature": settings.temperature, "top_p": settings.top_p}
    keys = [
        reply_key(
            mode="sample", prompt=prompt, seed=seed, identity=planner.identity,
            max_new_tokens=planner.max_new_tokens, **drawn,
        )
        for seed in seeds
    ]  # fmt: skip
    seed_by_key = dict(zip(keys, seeds, strict=True))

    def call(missing: Sequence[str]) -> list[str]:
        return planner.model.sample(
            prompt, seeds=[seed_by_key[key] for key in missing], max_new_tokens=planner.max_new_tokens, **drawn
        )

    return _said(planner, keys, len(prompt), call)


def greedy(planner: Planner, messages: Messages) -> Said:
    """The likeliest reply."""
    prompt = planner.model.tokens(messages, planner.reply_start)
    key = reply_key(mode="plan", prompt=prompt, identity=planner.identity, max_new_tokens=planner.max_new_tokens)
    return _said(
        planner,
        [key],
        len(prompt),
        lambda _: [planner.model.greedy(prompt, max_new_tokens=planner.max_new_tokens)],
    )


def _said(
    planner: Planner, keys: Sequence[str], prompt_tokens: int, call: Callable[[Sequence[str]], list[str]]
) -> Said:
    if prompt_tokens + planner.max_new_tokens > planner.model.max_tokens:
        return Said((Reply(None, "too_long"),) * len(keys), 0)
    known = {key: str(reply["text"]) for key, reply in planner.replies.get(keys).items()}
    missing = [key for key in keys if key not in known]
    failure: Failure | None = None
    if missing:
        try:
            fresh = dict(zip(missing, call(missing), strict=True))
        except RuntimeError as error:
            if not planner.errors_are_rows:
                raise
            LOG.warning("%d plan(s) failed: %s: %s", len(missing), type(error).__name__, error)
            failure, fresh = failure_of(error), {}
        planner.replies.put({key: {"text": text} for key, text in fresh.items()})
        known.update(fresh)
    return Said(
        tuple(Reply(planner.reply_start + known[key]) if key in known else Reply(None, failure) for key in keys),
        0 if failure else len(missing),
    )
