"""Chats as the tokens that a model reads."""

import threading
from typing import Any

from plancheck.answering.ports import Messages
from plancheck.plumbing.errors import StudyError


class ChatTokens:
    """A tokenizer of Transformers with a chat template. Safe to call from several threads."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._tokenizing = threading.Lock()  # a fast tokenizer's options are state that calls change

    def tokens(self, messages: Messages, reply_start: str = "") -> list[int]:
        marks = [f"\u2063{index}\u2063" for index in range(len(messages))]
        marked = [{**message, "content": mark} for message, mark in zip(messages, marks, strict=True)]
        rest = self._tokenizer.apply_chat_template(marked, tokenize=False, add_generation_prompt=True)
        ids: list[int] = []
        for message, mark in zip(messages, marks, strict=True):
            template, found, rest = rest.partition(mark)
            if not found:
                raise StudyError(
                    f"the model's chat template leaves out a {message['role']} message; use another model."
                )
            ids += self._encode(template, control=True) + self._encode(message["content"], control=False)
        return ids + self._encode(rest, control=True) + self._encode(reply_start, control=False)

    def text_tokens(self, text: str) -> list[int]:
        return self._encode(text, control=False)

    def _encode(self, text: str, *, control: bool) -> list[int]:
        with self._tokenizing:
            encoded = self._tokenizer(
                text,
                add_special_tokens=False,
                split_special_tokens=not control,
                return_attention_mask=False,
                verbose=False,
            )
        return list(encoded["input_ids"])
