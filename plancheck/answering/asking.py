"""Asking the answer model: each distinct prompt once, what it already said not again."""

import hashlib
import json
import logging
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from plancheck.answering.confidence import choice_probabilities
from plancheck.answering.parsing import parse_letter
from plancheck.answering.ports import AnswerModel, Generated, Messages, Replies
from plancheck.answering.reasoning import after_reasoning
from plancheck.records import LETTERS, Failure, Letter

Mode = Literal["generate", "likelihood"]

LOG = logging.getLogger("plancheck.answer")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt to answer.

    Attributes:
        prompt_id: unique among the prompts of a call.
        group: prompts of one group, such as those of a question, are asked together, for they begin alike.
        messages: the chat.
        choices: their texts, A first.
    """

    prompt_id: str
    group: str
    messages: Messages
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of a prompt: a letter, or the failure that stands for it.

    ``failure`` is None or one of `plancheck.records.FAILURES`. ``probabilities`` of the choices, A first, are None
    when the model weighed nothing; that of a letter whose weight a server did not tell is None.
    """

    prompt_id: str
    letter: Letter | None
    failure: Failure | None
    probabilities: tuple[float | None, ...] | None
    prompt_tokens: int | None


@dataclass(frozen=True, slots=True)
class Asked:
    """Answers in the prompts' order, and how many prompts the model was asked (the others were remembered).

    ``usage`` is what the replies in use cost a server: see `plancheck.answering.serving.total`.
    """

    answers: tuple[Answered, ...]
    calls: int
    usage: Counter[str] = field(default_factory=Counter)


def ask(
    prompts: Sequence[Prompt],
    model: AnswerModel,
    replies: Replies,
    *,
    mode: Mode,
    pass_tokens: int,
    batch_size: int,
    max_new_tokens: int,
    identity: str,
    errors_are_rows: bool,
) -> Asked:
    """An answer to every prompt.

    The letter depends on the prompt alone. The last digits of the probabilities depend on the other prompts of its
    group, so these are part of the key: the same prompts give the same bytes, whatever was asked before. A group's
    replies are kept all at once, so a run that was stopped and goes on asks the groups that it would have asked.

    Args:
        prompts: distinct.
        replies: what was said before; each group's replies are kept as soon as they are there.
        mode: "likelihood" takes the choice with the largest mean log-likelihood a token (ties: the earlier letter);
            "generate" reads the letter from the greedy reply.
        pass_tokens: most tokens of prompts (and choices) that the model reads at once.
        batch_size: replies generated at once.
        max_new_tokens: most tokens of a generated reply.
        identity: names the model, its digest, number format and libraries: part of every key.
        errors_are_rows: whether a RuntimeError of the model (such as lack of memory) is raised, for the caller to try
            again, or becomes a failed answer. A group that fails is then asked prompt by prompt, and only those that
            fail alone are failed answers.
    """
    tokens = [model.tokens(prompt.messages) for prompt in prompts]
    choices = [[model.text_tokens(choice) for choice in prompt.choices] for prompt in prompts]
    reading: dict[str, int] = {"pass_tokens": pass_tokens}
    if mode == "generate":
        reading |= {"batch_size": batch_size, "max_new_tokens": max_new_tokens}
    settings = {"mode": mode, "identity": identity, **reading}
    needed = [
        len(ids) + (max_new_tokens if mode == "generate" else max(map(len, texts)))
        for ids, texts in zip(tokens, choices, strict=True)
    ]
    fitting = [index for index, total in enumerate(needed) if total <= model.max_tokens]
    alone = [
        reply_key(prompt=ids, choices=texts if mode == "likelihood" else len(texts), **settings)
        for ids, texts in zip(tokens, choices, strict=True)
    ]
    beside: dict[str, list[str]] = {}
    for index in fitting:
        beside.setdefault(prompts[index].group, []).append(alone[index])
    keys = [
        reply_key(prompt=key, group=sorted(beside.get(prompt.group, ())))
        for key, prompt in zip(alone, prompts, strict=True)
    ]
    known: dict[str, Mapping[str, Any]] = dict(replies.get(keys))
    missing = [index for index in fitting if keys[index] not in known]
    calls = 0
    groups: dict[str, list[int]] = {}
    for index in missing:
        groups.setdefault(prompts[index].group, []).append(index)
    waiting = deque(groups.values())
    while waiting:
        group = waiting.popleft()
        try:
            fresh = _call(model, mode, [tokens[i] for i in group], [choices[i] for i in group], reading)
        except RuntimeError as error:
            if not errors_are_rows:
                raise
            named = f"{type(error).__name__}: {error}"
            if len(group) > 1:
                LOG.warning("%d prompts failed together and are asked one by one: %s", len(group), named)
                waiting.extendleft([index] for index in reversed(group))
            else:
                LOG.warning("1 prompt failed: %s", named)
                known[keys[group[0]]] = {"failure": failure_of(error)}
            continue
        said = {keys[i]: reply for i, reply in zip(group, fresh, strict=True)}
        replies.put(said)
        known.update(said)
        calls += len(group)
    return Asked(
        tuple(
            read_reply(prompt, known.get(key, {"failure": "too_long"}), mode=mode, prompt_tokens=len(ids))
            for prompt, key, ids in zip(prompts, keys, tokens, strict=True)
        ),
        calls,
    )


def _call(
    model: AnswerModel,
    mode: Mode,
    prompts: list[list[int]],
    choices: list[list[list[int]]],
    reading: Mapping[str, int],
) -> list[dict[str, Any]]:
    if mode == "likelihood":
        return [{"log_likelihoods": values} for values in model.log_likelihoods(prompts, choices, **reading)]
    return [_as_reply(generated) for generated in model.generate(prompts, list(map(len, choices)), **reading)]


def _as_reply(generated: Generated) -> dict[str, Any]:
    return {
        "text": generated.text,
        "ends": list(generated.ends),
        "letters": [list(w) for w in generated.letter_logprobs],
    }


def read_reply(prompt: Prompt, reply: Mapping[str, Any], *, mode: Mode, prompt_tokens: int | None) -> Answered:
    """The answer that a kept reply gives.

    A letter's probabilities are those where it stands; without a letter they are those where the reply goes on after
    the model's reasoning, None when it does not.
    """
    prompt_id = prompt.prompt_id
    if "failure" in reply:
        return Answered(prompt_id, None, reply["failure"], None, prompt_tokens)
    if mode == "likelihood":
        values = reply["log_likelihoods"]
        letter = LETTERS[values.index(max(values))]
        return Answered(prompt_id, letter, None, choice_probabilities(values), prompt_tokens)
    start = after_reasoning(reply["text"])
    if start is None:
        return Answered(prompt_id, None, "cut_off", None, prompt_tokens)
    parsed = parse_letter(reply["text"], len(prompt.choices))
    if parsed is None:
        return Answered(prompt_id, None, "unparsable", _weighed_at(start, reply), prompt_tokens)
    letter, place = parsed
    return Answered(prompt_id, letter, None, _weighed_at(place, reply), prompt_tokens)


def _weighed_at(place: int, reply: Mapping[str, Any]) -> tuple[float | None, ...] | None:
    """How the letters were weighed for the token that holds a place; None when the reply ends there.

    An empty reply weighed them where it ended. A server may tell no weights.
    """
    steps = (index for index, end in enumerate(reply["ends"]) if end > place)
    step = next(steps, None if place else 0)
    return None if step is None or step >= len(reply["letters"]) else choice_probabilities(reply["letters"][step])


def failure_of(error: RuntimeError) -> Failure:
    """The failure that a model's error makes of an answer. Torch's lack of memory is known by name: no torch here."""
    return "out_of_memory" if type(error).__name__ == "OutOfMemoryError" else "error"


def reply_key(**parts: Any) -> str:
    """SHA-256 of everything that can change a reply; ``parts`` hold JSON values."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
