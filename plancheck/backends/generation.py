"""Causal language models of Transformers as answer models."""

import functools
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, LogitsProcessor, LogitsProcessorList

from plancheck.answering.ports import Generated, Messages
from plancheck.backends.device import pick_device
from plancheck.errors import StudyError
from plancheck.records import LETTERS

_LOADING = threading.Lock()


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
    return CausalModel(model.to(device).eval(), tokenizer)


class CausalModel:
    """See `plancheck.answering.ports.AnswerModel`. Safe to call from several threads."""

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

    def tokens(self, messages: Messages) -> list[int]:
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
        return ids + self._encode(rest, control=True)

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
        """The keys and values of a prompt are computed once; one more pass scores all its choices on top of them.

        In that pass a prompt's choices stand one after the other, and a mask lets each see the prompt and itself alone.
        """
        ids, mask = self._left_padded(prompts)
        positions = None if mask is None else (mask.cumsum(dim=1) - 1).clamp(min=0)
        prefix = self._model(ids, attention_mask=mask, position_ids=positions, use_cache=True, logits_to_keep=1)
        first = torch.log_softmax(prefix.logits[:, -1].float(), dim=-1)
        lengths = [len(prompt) for prompt in prompts]
        later = self._later_tokens(choices, prefix.cache, lengths, width=ids.shape[1])
        return [
            [
                float(torch.stack([first[row, choice[0]], *later[row][index]]).double().mean())
                for index, choice in enumerate(group)
            ]
            for row, group in enumerate(choices)
        ]

    def _later_tokens(
        self, choices: Sequence[Sequence[Sequence[int]]], cache: Any, lengths: Sequence[int], *, width: int
    ) -> list[list[list[torch.Tensor]]]:
        """Log-probability of every token of every choice after its first, given the prompts' keys and values."""
        inputs = [[list(choice[:-1]) for choice in group] for group in choices]
        longest = max(sum(map(len, group)) for group in inputs)
        if longest == 0:
            return [[[] for _ in group] for group in choices]
        device = self._model.device
        ids = torch.full((len(choices), longest), self._pad, device=device)
        places = torch.zeros((len(choices), longest), dtype=torch.long, device=device)
        seen = torch.zeros((len(choices), 1, longest, width + longest), dtype=torch.bool, device=device)
        for row, group in enumerate(inputs):
            seen[row, :, :, width - lengths[row] : width] = True  # prompts are padded on the left
            start = 0
            for tokens in group:
                end = start + len(tokens)
                ids[row, start:end] = torch.tensor(tokens, dtype=torch.long, device=device)
                places[row, start:end] = lengths[row] + torch.arange(len(tokens), device=device)
                own = torch.ones((len(tokens), len(tokens)), dtype=torch.bool, device=device).tril()
                seen[row, 0, start:end, width + start : width + end] = own
                start = end
        logits = self._model(ids, cache=cache, attention_mask=seen, position_ids=places, use_cache=True).logits
        logprobs = torch.log_softmax(logits.float(), dim=-1)
        found: list[list[list[torch.Tensor]]] = []
        for row, scored in enumerate(choices):
            start = 0
            found.append([])
            for choice in scored:
                found[-1].append([logprobs[row, start + step, token] for step, token in enumerate(choice[1:])])
                start += len(choice) - 1
        return found

    @torch.inference_mode()
    def generate(self, prompts: Sequence[Sequence[int]], *, max_new_tokens: int) -> list[Generated]:
        ids, mask = self._left_padded(prompts)
        recorder = LetterRecorder(self._letter_ids())
        output = self._model.generate(
            ids,
            attention_mask=mask if mask is not None else torch.ones_like(ids),
            do_sample=False,
            temperature=None,
            top_p=None,
            top_k=None,
            max_new_tokens=max_new_tokens,
            pad_token_id=self._pad,
            eos_token_id=self._stop,
            logits_processor=LogitsProcessorList([recorder]),
        )
        rows = output[:, ids.shape[1] :].tolist()
        return [self._generated(row, [step[index] for step in recorder.steps]) for index, row in enumerate(rows)]

    def _generated(self, tokens: list[int], steps: list[tuple[float, float, float, float]]) -> Generated:
        count = next((index for index, token in enumerate(tokens) if token in self._stop), len(tokens))
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
