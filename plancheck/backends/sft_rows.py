"""Rows of data/sft/*.jsonl as the tokens a planner is trained on: those it would read, and the reply it should give."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plancheck.backends.generation import CausalModel
from plancheck.plumbing.errors import StudyError, all_problems

TRAIN_ROWS, DEV_ROWS = Path("data/sft/train.jsonl"), Path("data/sft/dev.jsonl")

IGNORED = -100  # the label that the loss leaves out


@dataclass(frozen=True, slots=True)
class SftRow:
    """A question's prompt (messages of role and content), and its rewarded plan as a reply and as atom IDs."""

    question_id: str
    prompt: tuple[dict[str, str], ...]
    reply: str
    atom_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TokenRow:
    """Tokens of a row, of which those from ``start`` on are supervised: the reply and what closes its turn."""

    question_id: str
    tokens: tuple[int, ...]
    start: int

    @property
    def supervised(self) -> int:
        return len(self.tokens) - self.start

    @property
    def labels(self) -> list[int]:
        return [IGNORED] * self.start + list(self.tokens[self.start :])


def read_sft_rows(path: Path) -> list[SftRow]:
    """The rows of a file in its order; none for an empty file.

    Raises:
        StudyError: the file is missing, or lines of it are not such rows.
    """
    try:
        # Not splitlines: JSON may hold other line separators inside its strings.
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except FileNotFoundError as error:
        raise StudyError(f"{path}: no such file. Run `dvc repro rows` to make it.") from error
    except UnicodeDecodeError as error:
        raise StudyError(f"{path}: not UTF-8 ({error}). Delete it and run `dvc repro rows`.") from error
    rows, problems = [], []
    for number, line in enumerate(lines if lines != [""] else [], start=1):
        try:
            value = json.loads(line)
            (completion,) = value["completion"]
            prompt = tuple({"role": message["role"], "content": message["content"]} for message in value["prompt"])
            rows.append(SftRow(value["question_id"], prompt, completion["content"], tuple(value["atom_ids"])))
        except (KeyError, TypeError, ValueError) as error:
            problems.append(f"line {number}: {type(error).__name__} {error}")
    if problems:
        raise all_problems(
            f"{path}: {len(problems)} line(s) are no prompt-completion rows:", problems,
            remedy="Delete it and run `dvc repro rows`.",
        )  # fmt: skip
    return rows


def tokenised(
    rows: Sequence[SftRow], causal: CausalModel, tokenizer: Any, *, max_tokens: int, name: str
) -> list[TokenRow]:
    """Rows as tokens, exactly as the planner meets them when it plans: prompt, then what it writes.

    TRL would tokenise prompt and reply in one string, where tokens may merge across the border and control tokens
    inside a context act as control tokens. Neither happens at inference, so it must not happen here.

    Args:
        rows: to tokenise, in this order.
        causal: the model's own way from messages to tokens.
        tokenizer: of the same model.
        max_tokens: most tokens of a row, which is cut nowhere.
        name: how messages call the rows' file.

    Raises:
        StudyError: rows are longer than ``max_tokens``, or hold nothing to learn; or the chat
            template shows a prompt otherwise when a reply follows.
    """
    found, problems = [], []
    for row in rows:
        if not row.reply:
            problems.append(f"{row.question_id}: its reply is empty")
            continue
        prompt = causal.tokens(list(row.prompt))
        reply = [*causal.text_tokens(row.reply), *control_tokens(closing_text(row, tokenizer), tokenizer)]
        if len(prompt) + len(reply) > max_tokens:
            supervised = max(max_tokens - len(prompt), 0)
            problems.append(
                f"{row.question_id}: {len(prompt) + len(reply)} tokens, of which the first {max_tokens} would hold "
                f"{supervised} of {len(reply)} supervised ones"
            )
            continue
        found.append(TokenRow(row.question_id, (*prompt, *reply), len(prompt)))
    if problems:
        raise all_problems(
            f"{name}: {len(problems)} row(s) cannot be learned from:",
            problems,
            remedy="Show the planner less (planner.snippet_chars, retrieve.pool.size), or raise train.max_tokens up to "
            "the model's positions.",
        )
    return found


def closing_text(row: SftRow, tokenizer: Any) -> str:
    """What the chat template puts after a reply.

    Raises:
        StudyError: with a reply the template renders the prompt otherwise than without, so that the planner would be
            trained on another prompt than it sees when it plans.
    """
    mark = "\u2063reply\u2063"
    prompt = list(row.prompt)
    opened = tokenizer.apply_chat_template(prompt, tokenize=False, add_generation_prompt=True)
    whole = tokenizer.apply_chat_template([*prompt, {"role": "assistant", "content": mark}], tokenize=False)
    if not whole.startswith(opened + mark):
        raise StudyError(
            "models.planner: its chat template renders a prompt otherwise when a reply follows, so training and "
            "planning would differ. Use another model, or one with a plainer template."
        )
    return str(whole[len(opened + mark) :])


def control_tokens(text: str, tokenizer: Any) -> list[int]:
    """Tokens of text from the template itself, control tokens included."""
    return list(tokenizer(text, add_special_tokens=False, return_attention_mask=False)["input_ids"])
