"""Model folders in Transformers' format: which files are taken from one, and what makes one complete."""

import json
import shutil
from pathlib import Path

from plancheck.plumbing.errors import StudyError

ADAPTER_CONFIG, ADAPTER_WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
# Weights as safetensors only: formats that unpickle run code, and other frameworks' weights are dead weight.
WANTED = ("*.safetensors", "*.json", "*.txt", "*.jinja", "*.model")

TOKENIZER = (
    "tokenizer*.json", "special_tokens_map.json", "added_tokens.json", "vocab.*", "merges.txt", "*.jinja",
    "tokenizer.model", "config.json",
)  # fmt: skip


def tokenizer_files(folder: Path) -> list[str]:
    """The files of a folder that make a tokenizer, sorted; empty when there is none."""
    names = sorted({path.name for pattern in TOKENIZER for path in folder.glob(pattern) if path.is_file()})
    return names if {"tokenizer.json", "tokenizer_config.json"} & set(names) else []


def model_files(folder: Path) -> list[str]:
    """The wanted files of a model folder as relative paths, sorted; hidden files and folders are not wanted.

    Raises:
        StudyError: the folder is missing, has no config.json, no safetensors weights, or not all of their shards.
    """
    check_complete(folder)
    names = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(
        name.as_posix()
        for name in names
        if not any(part.startswith(".") for part in name.parts) and any(name.match(pattern) for pattern in WANTED)
    )


def copy_model(source: Path, target: Path) -> None:
    """Copy the wanted files of ``source`` to the same relative paths."""
    for name in model_files(source):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / name)


def check_complete(folder: Path) -> None:
    """Refuse a folder that is no whole model, nor a LoRA adapter in PEFT's format.

    Raises:
        StudyError: the folder is missing, has no config.json, no safetensors weights, or not all of their shards.
    """
    if not folder.is_dir():
        raise StudyError(f"{folder}: no such folder. Mend the model's path in conf/.")
    if (folder / ADAPTER_CONFIG).is_file() and (folder / ADAPTER_WEIGHTS).is_file():
        return
    if not (folder / "config.json").is_file():
        raise StudyError(
            f"{folder}: no config.json, so no Transformers model. Name a folder that save_pretrained made."
        )
    if not any(folder.glob("*.safetensors")):
        raise StudyError(
            f"{folder}: no *.safetensors weights; other formats are not read, for they can run code. "
            "Choose a revision with safetensors, or convert the model with save_pretrained and use source: path."
        )
    index = folder / "model.safetensors.index.json"
    shards = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()) if index.is_file() else set()
    missing = sorted(shard for shard in shards if not (folder / shard).is_file())
    if missing:
        raise StudyError(f"{folder}: {', '.join(missing)} missing. Fetch the model again, whole.")
