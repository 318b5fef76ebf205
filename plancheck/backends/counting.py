"""Tokens of texts and chats, counted with a model's tokenizer alone: PyTorch, which takes seconds to load, is not."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer

Counter = Callable[[Sequence[str]], list[int]]
MARK = "\u2063"


def token_counter(folder: Path) -> Counter | None:
    """What counts the tokens of texts, special tokens not counted; None where the folder has no tokenizer.json."""
    file = folder / "tokenizer.json"
    if not file.is_file():
        return None
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda texts: [
        len(found.ids) for found in tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
    ]


def chat_tokens(folder: Path, count: Counter) -> int | None:
    """Tokens that the chat template puts around one message of the user's; None where it has none that can be read."""
    config = _json(folder / "tokenizer_config.json")
    file = folder / "chat_template.jinja"
    source = file.read_text(encoding="utf-8") if file.is_file() else config.get("chat_template")
    if not isinstance(source, str):
        return None
    names = ("bos_token", "eos_token", "unk_token", "pad_token")
    special = {name: value for name in names if isinstance(value := config.get(name), str)}
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    try:
        template = environment.from_string(source)
        chat = [{"role": "user", "content": MARK}]
        text = template.render(messages=chat, add_generation_prompt=True, **special)
    except TemplateError:
        return None
    return sum(count(text.split(MARK)))


def _json(file: Path) -> dict[str, Any]:
    if not file.is_file():
        return {}
    value = json.loads(file.read_text(encoding="utf-8"))
    return value if isinstance(value, dict) else {}
