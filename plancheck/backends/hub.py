"""Files of the Hugging Face hub, at an immutable commit and with a checked digest."""

import hashlib
from pathlib import Path

from plancheck.plumbing.errors import StudyError


def download_dataset_file(repo: str, revision: str, file: str, sha256: str) -> Path:
    """The file in the hub's cache on this machine, downloaded when it is not there yet.

    Args:
        repo: dataset repository, "owner/name".
        revision: commit hash, 40 hexadecimal digits.
        file: path in the repository.
        sha256: expected digest of the file, 64 hexadecimal digits.

    Raises:
        StudyError: the hub cannot be reached or has no such file, or the file has another digest.
    """
    import httpx
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError

    url = f"https://huggingface.co/datasets/{repo}/resolve/{revision}/{file}"
    try:
        path = Path(hf_hub_download(repo, file, repo_type="dataset", revision=revision))
    except (HfHubHTTPError, EntryNotFoundError, httpx.HTTPError, OSError) as error:
        reason = str(error).strip().split("\n")[0].rstrip(".") or type(error).__name__
        raise StudyError(
            f"{file} of dataset {repo} at {revision} could not be fetched ({reason}). Check the pin and the network, "
            f"or fetch {url} on a machine that reaches it and set benchmark.path to that file."
        ) from error
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    if digest != sha256:
        raise StudyError(
            f"{path}: sha256 is {digest}, but the pin says {sha256}. Delete that file and run again; "
            f"if it stays so, the pin does not belong to {url}."
        )
    return path
