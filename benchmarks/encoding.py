"""How fast is stage retrieve beside sentence-transformers' default `encode`, and do the ranks agree? Measured.

Encodes the atoms of real contexts by each reading in turn, all in one run, on one thread each. Prints a table and
writes it to benchmarks/encoding.csv.

    python benchmarks/encoding.py FILE ENCODER [CONTEXTS]

FILE is in LongBench-v2's format, ENCODER the folder of a sentence encoder.
"""

import json
import platform
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from scipy.stats import kendalltau
from sentence_transformers import SentenceTransformer
from threadpoolctl import threadpool_limits

from plancheck.atoms import cut
from plancheck.backends.device import one_thread
from plancheck.backends.encoding import load_encoder

OUTPUT = Path(__file__).with_name("encoding.csv")
WINDOWS = {"real, 8,000 characters": (8000, 1000), "demo's, 800 characters": (800, 100)}
MOST_ATOMS = 16  # of a context
ROUNDS = 2
TOP = 10


def main(file: Path, folder: Path, contexts: int) -> None:
    one_thread()
    items = json.loads(file.read_text(encoding="utf-8"))[:contexts]
    with threadpool_limits(limits=1):
        rows = [row for name, sizes in WINDOWS.items() for row in measured(name, items, folder, *sizes)]
    table = pd.DataFrame(rows).assign(
        machine=f"{platform.machine()}, torch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}",
        command=f"python benchmarks/encoding.py {file.name} ENCODER {contexts}",
    )
    table.to_csv(OUTPUT, index=False, lineterminator="\n")
    print(table.to_string(index=False))


def measured(
    name: str, items: list[dict[str, str]], folder: Path, window: int, overlap: int
) -> list[dict[str, object]]:
    """A row a reading: CPU seconds are the least of the rounds, in which the readings take turns."""
    texts = [
        [
            item["context"][atom.start : atom.end]
            for atom in cut("c", item["context"], window_chars=window, overlap_chars=overlap)
        ][:MOST_ATOMS]
        for item in items
    ]
    queries = [item["question"] for item in items]
    encoders = readings(folder)
    found = {reading: [encode([query])[0] for query in queries] for reading, encode in encoders.items()}
    vectors: dict[str, list[np.ndarray]] = {}
    seconds: dict[str, float] = {}
    for _ in range(ROUNDS):
        for reading, encode in encoders.items():
            started = time.process_time()
            vectors[reading] = [encode(group) for group in texts]
            seconds[reading] = min(seconds.get(reading, np.inf), time.process_time() - started)
    default = next(iter(vectors))
    count = sum(map(len, texts))
    return [
        {
            "atoms": name,
            "number": count,
            "reading": reading,
            "atoms/CPU second": round(count / seconds[reading], 1),
            "ratio": round(seconds[default] / seconds[reading], 2),
            **agreement(scores(found[default], vectors[default]), scores(found[reading], vectors[reading])),
            "peak MiB so far": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }
        for reading in vectors
    ]


def readings(folder: Path) -> dict[str, Callable[[list[str]], np.ndarray]]:
    """What is compared, the default first."""
    reference = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    encoder = load_encoder(folder, device="cpu", dtype="float32")

    def counted(texts: list[str]) -> np.ndarray:
        encoder.token_counts(texts)
        return encoder.encode(texts, batch_size=32)

    return {
        "sentence-transformers' default": lambda texts: reference.encode(
            texts, normalize_embeddings=True, show_progress_bar=False
        ),
        "plancheck": lambda texts: encoder.encode(texts, batch_size=32),
        "plancheck, whole atoms counted": counted,
        "plancheck, one text at a time": lambda texts: encoder.encode(texts, batch_size=1),
    }


def scores(queries: list[np.ndarray], vectors: list[np.ndarray]) -> list[np.ndarray]:
    return [np.round(group @ query, 6) for query, group in zip(queries, vectors, strict=True)]


def agreement(expected: list[np.ndarray], given: list[np.ndarray]) -> dict[str, float]:
    """Least Kendall tau and least share of the first atoms in common, over the contexts."""
    pairs = list(zip(expected, given, strict=True))

    def top(values: np.ndarray) -> set[int]:
        return set(np.argsort(-values, kind="stable")[:TOP].tolist())

    return {
        "least tau": round(min(float(kendalltau(a, b).statistic) for a, b in pairs), 4),
        f"least overlap of the first {TOP}": min(len(top(a) & top(b)) / min(TOP, len(a)) for a, b in pairs),
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 4)
