"""What decides a model's reply besides its prompt: part of every key of the generation cache."""

import importlib.metadata
import json


def identity(digest: str, *, dtype: str, device: str, adapter: str | None = None) -> str:
    """Weights, adapter, number format, device and libraries (PEFT only with an adapter) as canonical JSON.

    Args:
        digest: of the model's files.
        dtype: number format of the weights.
        device: kind of device, such as "cpu".
        adapter: digest of the adapter's files; None for the model alone.
    """
    parts = {
        "backend": f"transformers {importlib.metadata.version('transformers')}",
        "torch": importlib.metadata.version("torch"),
        "model": digest,
        "adapter": adapter,
        "dtype": dtype,
        "device": device,
    }
    if adapter is not None:
        parts["peft"] = importlib.metadata.version("peft")
    return json.dumps(parts, sort_keys=True)
