"""What do the bootstrap, `plancheck compare` and BM25 cost beside the plainest way to do the same? Measured.

Three ratios, both sides of each measured in turn in one run and in CPU seconds, since other work on the machine
stretches the clock's: 10,000 resamples of 503 pairs, against scipy.stats.bootstrap; `plancheck compare` of two CSV
files of a million rows, against reading them with PyArrow; cutting and ranking contexts, against finding their words
once. Prints a table and writes it to benchmarks/computing.csv.

    python benchmarks/computing.py [DATA]
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from measuring import cost_of
from scipy.stats import bootstrap

from plancheck.params.retrieval import Atoms
from plancheck.retrieval.lexical import LexicalIndex
from plancheck.retrieval.ranking import by_score
from plancheck.retrieval.words import words
from plancheck.stages.atoms import atoms_of, documents_of
from plancheck.statistics.bootstrap import paired_bootstrap

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data" / "longbench_v2_sample.json"
OUTPUT = Path(__file__).with_name("computing.csv")
PAIRS, RESAMPLES, COMPARISONS = 503, 10_000, 100
ROWS = 1_000_000
VARIANT = "okapi"
READ = "import sys, pyarrow.csv as csv; [csv.read_csv(path) for path in sys.argv[1:]]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", default=DATA, help="a JSON array in LongBench-v2's format")
    parser.add_argument("--comparisons", type=int, default=COMPARISONS)
    parser.add_argument("--rows", type=int, default=ROWS)
    options = parser.parse_args()
    if not options.data.exists():
        sys.exit(f"{options.data} is not here, so nothing was measured. Name a file in LongBench-v2's format.")
    records = json.loads(options.data.read_text(encoding="utf-8"))
    rows = [*resampled(options.comparisons), *compared(options.rows), *ranked(records)]
    table = pd.DataFrame(rows)
    table["machine"] = f"{platform.machine()}, {os.cpu_count()} cores"
    table["command"] = " ".join(["python benchmarks/computing.py", *sys.argv[1:]])
    table.to_csv(OUTPUT, index=False, lineterminator="\n")
    print(table.to_string(index=False))


def resampled(comparisons: int) -> Iterator[dict[str, object]]:
    """Our bootstrap and SciPy's of the same differences, and the largest difference of a limit in questions."""
    ways = {
        "plancheck": lambda values, seed: paired_bootstrap(
            values, generator=np.random.default_rng(seed), resamples=RESAMPLES
        ),
        "scipy.stats.bootstrap": lambda values, seed: (
            bootstrap(
                (values,), np.mean, n_resamples=RESAMPLES, method="percentile", rng=np.random.default_rng(seed)
            ).confidence_interval
        ),
    }
    spent, apart = dict.fromkeys(ways, 0.0), 0.0
    for seed in range(comparisons):
        values = np.random.default_rng(seed).choice([1.0, -1.0, 0.0], PAIRS, p=[0.12, 0.1, 0.78])
        limits = {}
        for name, way in ways.items():
            start = time.process_time()
            limits[name] = way(values, seed)
            spent[name] += time.process_time() - start
        ours, theirs = limits.values()
        apart = max(apart, abs(ours.low - theirs.low), abs(ours.high - theirs.high))
    task = f"{RESAMPLES:,} resamples of {PAIRS} pairs, {comparisons} comparisons"
    yield row(task, "plancheck", spent["plancheck"], spent["scipy.stats.bootstrap"], apart=round(apart * PAIRS, 2))
    yield row(task, "scipy.stats.bootstrap", spent["scipy.stats.bootstrap"], spent["scipy.stats.bootstrap"])


def compared(rows: int) -> Iterator[dict[str, object]]:
    """`plancheck compare` and PyArrow's reading of the same two files, in processes of their own."""
    with tempfile.TemporaryDirectory(prefix="computing-") as scratch:
        paths = [written(Path(scratch) / f"{arm}.csv", rows, seed) for seed, arm in enumerate("ab")]
        ways = {"plancheck compare": ["-m", "plancheck", "compare"], "pyarrow.csv.read_csv": ["-c", READ]}
        costs = {
            name: cost_of([sys.executable, *way, *map(str, paths)], Path(scratch), {"PYTHONPATH": str(ROOT)})
            for name, way in ways.items()
        }
    base = costs["pyarrow.csv.read_csv"].cpu_seconds
    for name, cost in costs.items():
        yield row(f"two files of {rows:,} rows", name, cost.cpu_seconds, base, peak_mb=cost.peak_mb)


def written(path: Path, rows: int, seed: int) -> Path:
    """A CSV file of question IDs in random order and scores of 0 and 1."""
    generator = np.random.default_rng(seed)
    ids, scores = generator.permutation(rows), generator.integers(0, 2, rows)
    pd.DataFrame({"question_id": [f"q{number:07}" for number in ids], "correct": scores}).to_csv(path, index=False)
    return path


def ranked(records: Sequence[dict[str, Any]]) -> Iterator[dict[str, object]]:
    """Cutting and BM25 of every atom with the published windows, and the words of each whole context."""
    settings = Atoms.model_validate(yaml.safe_load((ROOT / "conf" / "config.yaml").read_text())["atoms"])
    domains = settings.multi_document.domains
    spent = {"words of whole contexts": 0.0, "atoms and BM25": 0.0}
    for record in records:
        text, several = record["context"], record["domain"] in domains

        def ranks(text: str = text, several: bool = several, query: str = record["question"]) -> None:
            found = documents_of(text, settings, multi_document=several, given=None)
            atoms = atoms_of("0" * 64, found, settings, multi_document=several, chunks=None)
            index = LexicalIndex([words(text[atom.start : atom.end]) for atom in atoms], variant=VARIANT)
            by_score(index.scores(words(query)))

        spent["words of whole contexts"] += cpu_seconds(lambda text=text: words(text))
        spent["atoms and BM25"] += cpu_seconds(ranks)
    task = f"{len(records)} contexts, {sum(len(record['context']) for record in records):,} characters"
    for name, seconds in spent.items():
        yield row(task, name, seconds, spent["words of whole contexts"])


def cpu_seconds(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


def row(
    task: str, way: str, cpu: float, base: float, *, peak_mb: float | None = None, apart: float | None = None
) -> dict[str, object]:
    """``ratio``: CPU seconds by those of the plainest way. ``apart``: questions by which a limit differs at most."""
    ratio = round(cpu / base, 3) if base else None
    return {"task": task, "way": way, "cpu_seconds": round(cpu, 3), "ratio": ratio, "peak_mb": peak_mb, "apart": apart}


if __name__ == "__main__":
    main()
