"""What the release was made with: the one file that differs between two machines."""

import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any


def environment(requirements: Path) -> dict[str, Any]:
    """Python, system, processor, and the version of each package that requirements.lock names ("" where missing).

    It names no machine, person or time.
    """
    lines = requirements.read_text(encoding="utf-8").splitlines()
    names = sorted(line.partition("==")[0].strip() for line in lines if "==" in line and not line.startswith("#"))
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": platform.system(),
        "machine": platform.machine(),
        "processor": processor(),
        "cpus": os.cpu_count(),
        "packages": {name: version(name) for name in names},
    }


def version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def processor(path: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's model as Linux names it, else as Python does; may be empty."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor()
