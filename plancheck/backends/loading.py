"""Refuse a model folder whose weights do not fill the architecture: the rest would be random."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plancheck.plumbing.errors import StudyError


def check_weights(architecture: Any, path: Path, *, unused: Sequence[str] = ()) -> Any:
    """The configuration of the model in ``path``, every weight of which is in its files.

    Args:
        architecture: an Auto class of Transformers.
        path: a local folder.
        unused: beginnings of the names of weights that are not used and may be missing.

    Raises:
        StudyError: the folder cannot be loaded so, or weights are missing or of another shape.
    """
    try:
        model, info = architecture.from_pretrained(
            path, output_loading_info=True, local_files_only=True, trust_remote_code=False, use_safetensors=True
        )
    except (ImportError, KeyError, OSError, RuntimeError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise StudyError(
            f"{path}: not a model that can be loaded ({reason}). Choose another model in conf/."
        ) from error
    missing = sorted(name for name in info["missing_keys"] if not name.startswith(tuple(unused)))
    misfits = sorted(str(item[0]) for item in info.get("mismatched_keys", ()))
    if missing or misfits:
        raise StudyError(
            f"{path}: its files lack weights that a {type(model).__name__} needs "
            f"({', '.join([*missing, *misfits][:5])}), which would be random. Choose another in conf/."
        )
    return model.config
