"""Nothing about a study leaves the machine: the telemetry of every library is off. Nor do libraries draw in logs."""

import os
import sys

QUIET = {
    "DO_NOT_TRACK": "1",
    "DVC_NO_ANALYTICS": "1",
    "GX_ANALYTICS_ENABLED": "false",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_VERBOSITY": "error",
}


def switch_off_telemetry() -> None:
    """Set the environment that switches telemetry off, and progress bars outside a terminal, unless the user set it.

    Entry points call it before they import anything heavy: the libraries read it when they are imported.
    """
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    if not sys.stderr.isatty():
        os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")  # Transformers' bars follow it too
        os.environ.setdefault("TQDM_DISABLE", "1")
