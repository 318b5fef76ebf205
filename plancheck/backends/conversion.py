"""A quantised GGUF file turned, once, into a plain Transformers folder (bfloat16 safetensors)."""

from pathlib import Path
from typing import Any

import torch
from gguf import GGUFReader
from tokenizers import pre_tokenizers
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig, PreTrainedModel

from plancheck.plumbing.errors import StudyError

# Transformers reads a GGUF's vocabulary but not how it splits text before the merges, and would take GPT-2's way for
# any. SmolLM splits off each digit first; other ways are not known here, and a guess would feed a model wrong tokens.
SPLITTING = {
    "smollm": lambda: pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
}


def convert_gguf(source: Path, target: Path) -> None:
    """Write the model of a GGUF file to the folder ``target``: weights in bfloat16, tokenizer, chat template.

    Raises:
        StudyError: the file is no readable GGUF model, or its tokenizer is of a kind that is not known here.
    """
    try:
        header = GGUFReader(source)
    except ValueError as error:
        raise StudyError(f"{source}: not a GGUF file ({error}). Run `make env` to install it again.") from error
    splitting = field(header, "tokenizer.ggml.pre")
    if splitting not in SPLITTING:
        raise StudyError(
            f"{source}: its tokenizer splits text as {splitting!r}, known are {sorted(SPLITTING)}. "
            "Use the model's safetensors folder (source: hub or path) instead."
        )
    tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name, local_files_only=True)
    tokenizer.backend_tokenizer.pre_tokenizer = SPLITTING[splitting]()
    tokenizer.model_max_length = int(field(header, f"{field(header, 'general.architecture')}.context_length"))
    model = AutoModelForCausalLM.from_pretrained(
        source.parent, gguf_file=source.name, local_files_only=True, dtype=torch.float32
    )
    model.bfloat16()
    unmark_quantised(model)
    model.generation_config = GenerationConfig(  # type: ignore[no-untyped-call]
        bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id
    )
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)


def field(header: Any, name: str) -> Any:
    """A value of a GGUF's header, or None."""
    found = header.get_field(name)
    return None if found is None else found.contents()


def unmark_quantised(model: PreTrainedModel) -> None:
    """Drop the marks that make save_pretrained refuse a model whose weights are plain numbers again."""
    for owner, name in (
        (model.config, "quantization_config"),
        (model, "hf_quantizer"),
        (model, "quantization_method"),
    ):
        if hasattr(owner, name):
            delattr(owner, name)
    setattr(model, "is_quantized", False)  # noqa: B010 - mypy takes any attribute of a module for a tensor
