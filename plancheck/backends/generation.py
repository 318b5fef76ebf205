"""Causal language models of Transformers as answer models and planners."""

import functools
import gc
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from plancheck.answering.ports import Generated
from plancheck.answering.reasoning import marks_reasoning
from plancheck.backends.chat_tokens import ChatTokens
from plancheck.backends.decoding import Ended
from plancheck.backends.device import pick_device
from plancheck.backends.greedy import Greedy, greedy
from plancheck.backends.sampling import sample
from plancheck.backends.tree_reading import log_likelihoods
from plancheck.plumbing.errors import StudyError
from plancheck.records import LETTERS

_LOADING = threading.Lock()

# More than what is computed beside a prompt moves a difference of log-probabilities: benchmarks/README.md.
CLOSE: Final[Mapping[torch.dtype, float]] = {torch.float32: 0.001, torch.float16: 0.05, torch.bfloat16: 0.25}


def load_causal_model(path: Path, *, device: str, dtype: str) -> "CausalModel":
    """The model in a local folder, loaded once a process.

    Args:
        path: Transformers folder with safetensors weights, a tokenizer and a chat template.
        device: "auto", "cpu", "mps", "cuda" or "cuda:N".
        dtype: "float32", "bfloat16" or "float16".

    Raises:
        StudyError: the folder lacks a chat template, or its weights do not fill the architecture.
    """
    with _LOADING:
        return _load(path, pick_device(device), dtype)


@functools.lru_cache(maxsize=2)
def _load(path: Path, device: str, dtype: str) -> "CausalModel":
    model, tokenizer = read_causal_model(path, device=device, dtype=dtype)
    return CausalModel(model.eval(), tokenizer)


def forget_models() -> None:
    """Let go of the models that are loaded; their memory is free once nobody uses them."""
    with _LOADING:
        _load.cache_clear()
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def read_causal_model(path: Path, *, device: str, dtype: str) -> tuple[Any, Any]:
    """A model and a tokenizer of the caller's own, as Transformers gives them; see `load_causal_model`."""
    tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True)
    if not tokenizer.chat_template:
        raise StudyError(f"{path}: its tokenizer has no chat template. Use an instruction-tuned model.")
    loaded: Any = AutoModelForCausalLM.from_pretrained(
        path,
        dtype=getattr(torch, dtype),
        local_files_only=True,
        use_safetensors=True,
        attn_implementation="sdpa",
        output_loading_info=True,
    )
    model, info = loaded
    if info["missing_keys"]:
        missing = sorted(info["missing_keys"])
        raise StudyError(f"{path}: weights lack {len(missing)} tensors, such as {missing[0]}. Fetch the model anew.")
    return model.to(device), tokenizer


class CausalModel(ChatTokens):
    """See AnswerModel and PlannerModel in the ports of answering and planning. Safe to call from several threads."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        super().__init__(tokenizer)
        self._model = model
        stop = model.generation_config.eos_token_id
        ends = stop if isinstance(stop, list) else [stop]
        self._stop = {token for token in [*ends, tokenizer.eos_token_id] if token is not None}
        self._reasons = marks_reasoning(tokenizer.chat_template)
        self._close = CLOSE[model.dtype]

    @property
    def max_tokens(self) -> int:
        return int(self._model.config.get_text_config().max_position_embeddings)

    @property
    def device(self) -> str:
        return str(self._model.device.type)

    def log_likelihoods(
        self, prompts: Sequence[Sequence[int]], choices: Sequence[Sequence[Sequence[int]]], *, pass_tokens: int
    ) -> list[list[float]]:
        """See AnswerModel. Shared beginnings of the prompts, and of choices, are computed once.

        What is computed at once moves a value in its last digits. So a prompt whose two likeliest choices are closer
        than that could move them is scored once more by itself: the likeliest depends on the prompt alone.
        """
        found = self._scored(prompts, choices, pass_tokens)
        if len(prompts) > 1:
            for index, values in enumerate(found):
                if len(values) > 1 and lead(values) < self._close:
                    found[index] = self._scored([prompts[index]], [choices[index]], pass_tokens)[0]
        return found

    def generate(
        self,
        prompts: Sequence[Sequence[int]],
        choices: Sequence[int],
        *,
        max_new_tokens: int,
        pass_tokens: int,
        batch_size: int,
    ) -> list[Generated]:
        letters = self._letter_ids(max(choices, default=0))
        replies = self._likeliest(
            prompts,
            [self._stops] * len(prompts),
            letters=letters,
            max_new_tokens=max_new_tokens,
            pass_tokens=pass_tokens,
            batch_size=batch_size,
        )
        return [self._generated(reply, count) for reply, count in zip(replies, choices, strict=True)]

    def greedy(
        self, prompts: Sequence[Sequence[int]], *, max_new_tokens: int, complete: Sequence[Callable[[str], bool]]
    ) -> list[str]:
        replies = self._likeliest(
            prompts,
            [self._ended(one) for one in complete],
            letters=[],
            max_new_tokens=max_new_tokens,
            pass_tokens=max(map(len, prompts), default=1),
            batch_size=max(len(prompts), 1),
        )
        return [self._text(reply.tokens) for reply in replies]

    def sample(
        self,
        prompt: Sequence[int],
        *,
        seeds: Sequence[int],
        temperature: float,
        top_p: float,
        max_new_tokens: int,
        complete: Callable[[str], bool],
    ) -> list[str]:
        """See `plancheck.backends.sampling.sample`; the prompt's keys and values are computed once."""
        rows = sample(
            self._model,
            prompt,
            seeds=seeds,
            temperature=temperature,
            top_p=top_p,
            max_new_tokens=max_new_tokens,
            ended=self._ended(complete),
        )
        return [self._text(row) for row in rows]

    def _scored(
        self, prompts: Sequence[Sequence[int]], choices: Sequence[Sequence[Sequence[int]]], pass_tokens: int
    ) -> list[list[float]]:
        sequences = [prompt for prompt, group in zip(prompts, choices, strict=True) for _ in group]
        ends = [choice for group in choices for choice in group]
        values = iter(log_likelihoods(self._model, sequences, ends, size=pass_tokens))
        return [list(islice(values, len(group))) for group in choices]

    def _likeliest(self, prompts: Sequence[Sequence[int]], ended: Sequence[Ended], **settings: Any) -> list[Greedy]:
        """The greedy replies; one in which a token won by too little is made once more by itself."""
        found = greedy(self._model, prompts, ended=ended, **settings)
        if len(prompts) > 1:
            for index, reply in enumerate(found):
                if reply.lead < self._close:
                    found[index] = greedy(self._model, [prompts[index]], ended=[ended[index]], **settings)[0]
        return found

    def _stops(self, tokens: list[int]) -> bool:
        return tokens[-1] in self._stop

    def _ended(self, complete: Callable[[str], bool]) -> Ended:
        """Whether a reply is over or complete. What a model that may reason first has said is never complete."""
        if self._reasons:
            return self._stops
        return lambda tokens: self._stops(tokens) or complete(self._text(tokens))

    def _length(self, tokens: Sequence[int]) -> int:
        """Tokens before the first stop token."""
        return next((index for index, token in enumerate(tokens) if token in self._stop), len(tokens))

    def _text(self, tokens: Sequence[int]) -> str:
        with self._tokenizing:
            text: str = self._tokenizer.decode(tokens[: self._length(tokens)], skip_special_tokens=True)
        return text

    def _generated(self, reply: Greedy, letters: int) -> Generated:
        tokens = reply.tokens
        count = self._length(tokens)
        with self._tokenizing:
            texts = [self._tokenizer.decode(tokens[: end + 1], skip_special_tokens=True) for end in range(count)]
        # The step that ends the reply is kept too: it is where an empty reply weighed its letters.
        weighed = [tuple(weights[:letters]) for weights in reply.letters[: max(count, 1)]]
        ends = [len(text) for text in texts] or [0]
        return Generated(texts[-1] if texts else "", tuple(ends), tuple(weighed))

    def _letter_ids(self, count: int) -> list[list[int]]:
        found: list[list[int]] = []
        for letter in LETTERS[:count]:
            forms = [self._encode(form, control=False) for form in (letter, f" {letter}")]
            found.append(sorted({form[0] for form in forms if len(form) == 1}))
        if not all(found):
            raise StudyError(
                f"the model's tokenizer has no single token for a letter A to {LETTERS[count - 1]}; use "
                "answer.mode=likelihood."
            )
        return found


def lead(values: Sequence[float]) -> float:
    """By how much the largest of at least two values exceeds the next."""
    first, second = sorted(values, reverse=True)[:2]
    return first - second
