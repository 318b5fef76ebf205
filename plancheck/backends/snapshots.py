"""Models of the Hugging Face hub at an immutable commit."""

from pathlib import Path

import httpx
from huggingface_hub import snapshot_download
from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, RevisionResolutionError

from plancheck.backends.folders import WANTED, check_complete
from plancheck.params.models import HubModel
from plancheck.plumbing.errors import StudyError


def download_model(spec: HubModel) -> Path:
    """The folder in the hub's own cache with the wanted files of ``spec``; what is there already is not fetched again.

    Raises:
        StudyError: the hub cannot be reached, does not have it, or it has no safetensors weights.
    """
    name = f"models: {spec.repo} at {spec.revision}"
    try:
        folder = Path(snapshot_download(spec.repo, revision=spec.revision, allow_patterns=list(WANTED)))
    except (EntryNotFoundError, HfHubHTTPError, httpx.HTTPError, OSError, RevisionResolutionError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise StudyError(
            f"{name}: cannot be downloaded ({reason}). Check the network, the name and the commit "
            "(and HF_TOKEN for a gated model), or use source: path with a folder you have, or a profile with wheels."
        ) from error
    try:
        check_complete(folder)
    except StudyError as error:
        raise StudyError(f"{name}: {error}") from error
    return folder
