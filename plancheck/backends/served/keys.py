"""Keys of servers: from the environment, and written nowhere."""

import os

from plancheck.params.models import ServedModel
from plancheck.plumbing.errors import StudyError


def key_of(spec: ServedModel) -> str | None:
    """The server's key, from the environment alone; None where none is named.

    Raises:
        StudyError: the named variable is not set.
    """
    if spec.key_variable is None:
        return None
    key = os.environ.get(spec.key_variable, "").strip()
    if not key:
        raise StudyError(
            f"{spec.base_url}: the environment variable {spec.key_variable}, which is to hold its key, is not set. "
            f"Run `export {spec.key_variable}=...` first."
        )
    return key
