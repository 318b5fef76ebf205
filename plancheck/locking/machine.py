"""What of the machine and its environment can move a number's last digits."""

import os
import platform
import re
from pathlib import Path
from typing import Any, Final

CPU: Final = Path("/proc/cpuinfo")
NVIDIA: Final = Path("/proc/driver/nvidia")
KERNELS: Final = re.compile(r"avx\w*|amx\w*|fma|f16c|asimd\w*|sve\w*|bf16|i8mm")  # flags that libraries choose by
# Read by OpenMP, MKL, OpenBLAS, oneDNN, PyTorch, CUDA and Python before a program can set them.
SWITCHES: Final = (
    "ATEN_CPU_CAPABILITY",
    "CUBLAS_WORKSPACE_CONFIG",
    "CUDA_VISIBLE_DEVICES",
    "MKL_CBWR",
    "MKL_NUM_THREADS",
    "NVIDIA_TF32_OVERRIDE",
    "OMP_NUM_THREADS",
    "ONEDNN_DEFAULT_FPMATH_MODE",
    "ONEDNN_MAX_CPU_ISA",
    "OPENBLAS_NUM_THREADS",
    "PYTHONHASHSEED",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
)


def machine(cpu: Path = CPU, nvidia: Path = NVIDIA) -> dict[str, Any]:
    """System, architecture, processor, the instructions that number libraries choose kernels by, and NVIDIA GPUs with
    their driver. How many cores there are is left out: results do not depend on it.
    """
    fields = cpu_fields(cpu)
    flags = (fields.get("flags") or fields.get("Features") or "").split()
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": fields.get("model name") or platform.processor() or "unknown",
        "instructions": " ".join(sorted(flag for flag in flags if KERNELS.fullmatch(flag))),
        "gpus": gpus(nvidia),
        "gpu_driver": gpu_driver(nvidia),
    }


def cpu_fields(path: Path) -> dict[str, str]:
    """What Linux says of the first core; nothing elsewhere."""
    try:
        first = path.read_text(encoding="utf-8").split("\n\n")[0]
    except (OSError, UnicodeDecodeError):
        return {}
    pairs = (line.partition(":") for line in first.splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}


def gpus(folder: Path) -> list[str]:
    """The models of the GPUs that NVIDIA's driver has, sorted."""
    found = []
    for path in sorted(folder.glob("gpus/*/information")):
        named = re.search(r"^Model:\s*(.+?)\s*$", path.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
        found.append(named[1] if named else "unknown")
    return sorted(found)


def gpu_driver(folder: Path) -> str | None:
    """The version of NVIDIA's driver."""
    try:
        found = re.search(r"\d+\.\d+(\.\d+)?", (folder / "version").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
    return found[0] if found else None


def switches() -> dict[str, str | None]:
    """The environment's variables that decide threads, kernels and number formats; null where one is not set."""
    return {name: os.environ.get(name) for name in SWITCHES}
