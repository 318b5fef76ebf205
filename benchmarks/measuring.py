"""What a command costs, and how a cost grows with the size of its task. For the scripts beside it."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize_scalar, nnls

STEEPEST = 4.0
# A measure that grew by less than this over all sizes is told from noise by no fit.
GROWN = 1.15
LINEAR = 1.15

# A process inherits the peak memory of the one that starts it, so a small one stands between: this.
LAUNCHER = """
import json, os, subprocess, sys, time
started = time.monotonic()
process = subprocess.Popen(sys.argv[2:])
_, status, used = os.wait4(process.pid, 0)
with open(sys.argv[1], "w") as file:
    json.dump([time.monotonic() - started, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024], file)
os._exit(os.waitstatus_to_exitcode(status) & 255)
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took.

    Attributes:
        seconds: of the wall.
        cpu_seconds: of the process and all processes that it waited for.
        peak_mb: MiB of the largest of these processes.
        outcome: "done", or the status it ended with and the last line it wrote to stderr.
    """

    seconds: float
    cpu_seconds: float
    peak_mb: float
    outcome: str


def cost_of(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Cost:
    """Run a command in a folder, with these variables beside the present ones; Linux only."""
    with tempfile.TemporaryDirectory() as scratch:
        told = Path(scratch) / "cost.json"
        ended = subprocess.run(
            [sys.executable, "-S", "-E", "-c", LAUNCHER, str(told), *command],
            cwd=folder, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            errors="replace",
        )  # fmt: skip
        seconds, cpu_seconds, peak_mb = json.loads(told.read_text())
    last = (ended.stderr.strip().splitlines() or [""])[-1]
    outcome = "done" if ended.returncode == 0 else f"status {ended.returncode}: {last[:200]}"
    return Cost(round(seconds, 2), round(cpu_seconds, 2), round(peak_mb, 1), outcome)


def growth(sizes: Sequence[float], costs: Sequence[float]) -> dict[str, object]:
    """The fit of ``cost = constant + factor * size ** exponent``, with neither below 0, by least relative error.

    ``exponent`` is None where there is nothing to fit it to: fewer than three sizes, or costs that grew by less than
    15 % from the smallest to the largest size. ``grows`` says so in a word: "unknown", "flat", "at most linear"
    (exponent up to 1.15) or "worse than linear".

    Raises:
        ValueError: sizes do not rise or are not above 0, or a cost is not above 0.
    """
    if list(sizes) != sorted(set(sizes)) or min([*sizes, *costs], default=1) <= 0:
        raise ValueError(f"sizes must rise and, like costs, be above 0, got {list(sizes)} and {list(costs)}")
    if len(sizes) < 3:
        return {"constant": None, "exponent": None, "grows": "unknown"}
    if costs[-1] < GROWN * costs[0]:
        return {"constant": round(float(np.mean(costs)), 2), "exponent": None, "grows": "flat"}
    measured = np.asarray(costs, dtype=float)
    scaled = np.asarray(sizes, dtype=float) / sizes[-1]

    def fit(exponent: float) -> tuple[np.ndarray, float]:
        terms = np.column_stack([np.ones_like(scaled), scaled**exponent])
        found: tuple[np.ndarray, float] = nnls(terms / measured[:, None], np.ones_like(measured))
        return found

    grid = np.linspace(0.05, STEEPEST, 80)
    near = grid[np.argmin([fit(exponent)[1] for exponent in grid])]
    exponent = minimize_scalar(lambda at: fit(at)[1], bounds=(near - 0.05, near + 0.05), method="bounded").x
    return {
        "constant": round(float(fit(exponent)[0][0]), 2),
        "exponent": round(float(exponent), 2),
        "grows": "at most linear" if exponent <= LINEAR else "worse than linear",
    }
