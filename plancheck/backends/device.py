"""Where a model runs."""

import torch

from plancheck.plumbing.errors import StudyError


def pick_device(name: str) -> str:
    """The device that ``name`` stands for: ``auto`` is the first of cuda, mps and cpu that this machine has.

    Raises:
        StudyError: the named device is not there.
    """
    cuda, mps = torch.cuda.is_available(), torch.backends.mps.is_available()
    if name == "auto":
        return "cuda" if cuda else "mps" if mps else "cpu"
    kind, _, index = name.partition(":")
    there = {"cpu": True, "mps": mps, "cuda": cuda and int(index or 0) < torch.cuda.device_count()}
    if not there[kind]:
        raise StudyError(
            f"device: {name} is not available here (torch {torch.__version__}). "
            "Set device to auto or cpu, or install a build of torch for it."
        )
    return name


def calculates_in_bfloat16(device: str) -> bool:
    """Whether a device has bfloat16 arithmetic of its own; every CPU counts, fast or slow."""
    if device.startswith("cuda"):
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return device == "cpu"


def one_thread() -> None:
    """Let torch use one thread for calls from this thread: for workers that run models side by side."""
    torch.set_num_threads(1)
