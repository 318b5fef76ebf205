"""Causal language models of Transformers as answer models and planners."""

import functools
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, LogitsProcessor, LogitsProcessorList

from plancheck.answering.ports import Generated, Messages
from plancheck.backends.device import pick_device
from plancheck.backends.sampling import sample
from plancheck.errors import StudyError
from plancheck.records import LETTERS

_LOADING = threading.Lock()

TAIL_TOKENS = 512


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


class CausalModel:
    """See AnswerModel and PlannerModel in the ports of answering and planning. Safe to call from several threads."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._tokenizing = threading.Lock()  # a fast tokenizer's options are state that calls change
        self._pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
        stop = model.generation_config.eos_token_id
        ends = stop if isinstance(stop, list) else [stop]
        self._stop = sorted({token for token in [*ends, tokenizer.eos_token_id] if token is not None})

    @property
    def max_tokens(self) -> int:
        return int(self._model.config.get_text_config().max_position_embeddings)

    @property
    def device(self) -> str:
        return str(self._model.device.type)

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

    @torch.inference_mode()
    def log_likelihoods(
        self, prompts: Sequence[Sequence[int]], choices: Sequence[Sequence[Sequence[int]]]
    ) -> list[list[float]]:
        """One pass scores all choices of a prompt: they stand one after the other, each sees the prompt and itself.

        All but the last TAIL_TOKENS of a longer prompt are computed in a pass of their own before: the mask of that one
        is plainly causal, which attention computes in half the time.
        """
        head = max(0, min(map(len, prompts)) - TAIL_TOKENS)
        cache = None
        if head:
            heads = torch.tensor([list(prompt[:head]) for prompt in prompts], device=self._model.device)
            cache = self._model(heads, use_cache=True, logits_to_keep=1).cache
        rows = [Branches(list(prompt[head:]), group) for prompt, group in zip(prompts, choices, strict=True)]
        width = max(len(row.tokens) for row in rows)
        ids = torch.tensor([row.tokens + [self._pad] * (width - len(row.tokens)) for row in rows])
        places = torch.tensor([row.places + [0] * (width - len(row.tokens)) for row in rows]) + head
        seen = torch.stack([row.seen(width) for row in rows])[:, None]
        seen = torch.cat([torch.ones((*seen.shape[:3], head), dtype=torch.bool), seen], dim=-1)
        needed = sorted({place for row in rows for places in row.predictors for place in places})
        device = self._model.device
        logits = self._model(
            ids.to(device),
            cache=cache,
            attention_mask=seen.to(device),
            position_ids=places.to(device),
            use_cache=cache is not None,
            logits_to_keep=torch.tensor(needed, device=device),
        ).logits
        logprobs = torch.log_softmax(logits.float(), dim=-1)
        at = {place: index for index, place in enumerate(needed)}
        return [
            [
                float(
                    torch.stack(
                        [logprobs[number, at[place], token] for place, token in zip(places, choice, strict=True)]
                    )
                    .double()
                    .mean()
                )
                for places, choice in zip(row.predictors, group, strict=True)
            ]
            for number, (row, group) in enumerate(zip(rows, choices, strict=True))
        ]

    @torch.inference_mode()
    def generate(self, prompts: Sequence[Sequence[int]], *, max_new_tokens: int) -> list[Generated]:
        recorder = LetterRecorder(self._letter_ids())
        rows = self._likeliest(prompts, max_new_tokens, LogitsProcessorList([recorder]))
        return [self._generated(row, [step[index] for step in recorder.steps]) for index, row in enumerate(rows)]

    @torch.inference_mode()
    def greedy(self, prompt: Sequence[int], *, max_new_tokens: int) -> str:
        return self._text(self._likeliest([prompt], max_new_tokens, LogitsProcessorList())[0])

    def sample(
        self, prompt: Sequence[int], *, seeds: Sequence[int], temperature: float, top_p: float, max_new_tokens: int
    ) -> list[str]:
        """See `plancheck.backends.sampling.sample`; the prompt's keys and values are computed once."""
        rows = sample(
            self._model,
            prompt,
            seeds=seeds,
            temperature=temperature,
            top_p=top_p,
            max_new_tokens=max_new_tokens,
            stop=self._stop,
        )
        return [self._text(row) for row in rows]

    def _likeliest(
        self, prompts: Sequence[Sequence[int]], max_new_tokens: int, processors: LogitsProcessorList
    ) -> list[list[int]]:
        """The new tokens of each prompt, padded after a stop token."""
        ids, mask = self._left_padded(prompts)
        output = self._model.generate(
            ids,
            attention_mask=mask if mask is not None else torch.ones_like(ids),
            do_sample=False,
            repetition_penalty=1.0,  # a model's own settings may punish the numbers that the prompt names
            temperature=None,
            top_p=None,
            top_k=None,
            max_new_tokens=max_new_tokens,
            pad_token_id=self._pad,
            eos_token_id=self._stop,
            logits_processor=processors,
        )
        rows: list[list[int]] = output[:, ids.shape[1] :].tolist()
        return rows

    def _length(self, tokens: Sequence[int]) -> int:
        """Tokens before the first stop token."""
        return next((index for index, token in enumerate(tokens) if token in self._stop), len(tokens))

    def _text(self, tokens: Sequence[int]) -> str:
        with self._tokenizing:
            text: str = self._tokenizer.decode(tokens[: self._length(tokens)], skip_special_tokens=True)
        return text

    def _generated(self, tokens: list[int], steps: list[tuple[float, float, float, float]]) -> Generated:
        count = self._length(tokens)
        with self._tokenizing:
            texts = [self._tokenizer.decode(tokens[: end + 1], skip_special_tokens=True) for end in range(count)]
        # The step that ends the reply is kept too: it is where an empty reply weighed its letters.
        weighed = steps[: max(count, 1)]
        ends = [len(text) for text in texts] or [0]
        return Generated(texts[-1] if texts else "", tuple(ends), tuple(weighed))

    def _letter_ids(self) -> list[list[int]]:
        found: list[list[int]] = []
        for letter in LETTERS:
            forms = [self._encode(form, control=False) for form in (letter, f" {letter}")]
            found.append(sorted({form[0] for form in forms if len(form) == 1}))
        if not all(found):
            raise StudyError(
                "the model's tokenizer has no single token for a letter A to D; use answer.mode=likelihood."
            )
        return found

    def _left_padded(self, prompts: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor | None]:
        width = max(len(prompt) for prompt in prompts)
        padded = [[self._pad] * (width - len(prompt)) + list(prompt) for prompt in prompts]
        ids = torch.tensor(padded, device=self._model.device)
        if all(len(prompt) == width for prompt in prompts):
            return ids, None
        mask = [[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts]
        return ids, torch.tensor(mask, device=self._model.device)


class Branches:
    """A prompt followed by its choices, each a branch of its own.

    Attributes:
        tokens: the prompt's, then each choice's but its last, which predicts nothing.
        places: the position of each token: every branch goes on where the prompt ends.
        predictors: for each choice, the indices in ``tokens`` that predict its tokens.
    """

    def __init__(self, prompt: list[int], choices: Sequence[Sequence[int]]) -> None:
        self.tokens = list(prompt)
        self.places = list(range(len(prompt)))
        self.predictors: list[list[int]] = []
        self._prompt = len(prompt)
        self._spans: list[tuple[int, int]] = []
        for choice in choices:
            start = len(self.tokens)
            self.tokens += choice[:-1]
            self.places += range(self._prompt, self._prompt + len(choice) - 1)
            self.predictors.append([self._prompt - 1, *range(start, len(self.tokens))])
            self._spans.append((start, len(self.tokens)))

    def seen(self, width: int) -> torch.Tensor:
        """What each token sees, shape (width, width), bool; padding sees the first token, for it must see something."""
        seen = torch.zeros((width, width), dtype=torch.bool)
        seen[: self._prompt, : self._prompt] = torch.ones((self._prompt, self._prompt), dtype=torch.bool).tril()
        for start, end in self._spans:
            seen[start:end, : self._prompt] = True
            seen[start:end, start:end] = torch.ones((end - start, end - start), dtype=torch.bool).tril()
        seen[len(self.tokens) :, 0] = True
        return seen


class LetterRecorder(LogitsProcessor):
    """Notes, at each step, the log-probability of each letter; changes no score."""

    def __init__(self, letter_ids: list[list[int]]) -> None:
        self._letter_ids = letter_ids
        self.steps: list[list[tuple[float, float, float, float]]] = []

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        logprobs = torch.log_softmax(scores.float(), dim=-1)
        letters = torch.stack([logprobs[:, ids].logsumexp(dim=-1) for ids in self._letter_ids], dim=1)
        self.steps.append([(a, b, c, d) for a, b, c, d in letters.double().cpu().tolist()])
        return scores
