"""What do benchmark, split, atoms and BM25 cost on 480 real contexts' worth of text? Measured at four shares of it.

Lays real contexts end to end until they make 265 million characters, as 480 questions of LongBench-v2 have, cuts them
into contexts of unequal length, and runs the stages with the published windows. No model is needed and no text is
printed or kept. Writes benchmarks/sample.csv and benchmarks/sample_exponents.csv.

    python benchmarks/sample.py [DATA]
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
from dvc.utils.hydra import compose_and_dump
from measuring import cost_of, growth

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data" / "longbench_v2_sample.json"
OUTPUT = Path(__file__).with_name("sample.csv")
EXPONENTS = Path(__file__).with_name("sample_exponents.csv")
CONTEXTS, CHARACTERS = 480, 265_000_000
MEDIAN = 369_293  # of the lengths of real contexts; their mean is CHARACTERS / CONTEXTS
EIGHTHS = (1, 2, 4, 8)
STAGES = {
    **{stage: ["-m", "plancheck", stage] for stage in ("benchmark", "split", "atoms")},
    "bm25": [str(Path(__file__).resolve()), "--rank"],
}
MEASURES = ("cpu_seconds", "seconds", "peak_mb")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", default=DATA, help="a JSON array in LongBench-v2's format")
    parser.add_argument("--eighths", type=int, nargs="+", default=list(EIGHTHS), help="shares (default: %(default)s)")
    parser.add_argument("--rank", action="store_true", help="only rank the atoms of the folder that this runs in")
    options = parser.parse_args()
    if options.rank:
        rank()
        return
    if not options.data.exists():
        sys.exit(f"{options.data} is not here, so nothing was measured. Name a file in LongBench-v2's format.")
    records = json.loads(options.data.read_text(encoding="utf-8"))
    table = pd.DataFrame([row for eighths in sorted(options.eighths) for row in measured(records, eighths)])
    table["machine"] = f"{platform.machine()}, {os.cpu_count()} cores"
    table.to_csv(OUTPUT, index=False, lineterminator="\n")
    exponents(table).to_csv(EXPONENTS, index=False, lineterminator="\n")
    print(table.to_string(index=False), exponents(table).to_string(index=False), sep="\n\n")


def measured(records: Sequence[dict[str, Any]], eighths: int) -> Iterator[dict[str, object]]:
    """A row of what each stage cost on this many eighths of the contexts."""
    count = CONTEXTS * eighths // 8
    lengths = lengths_of(count, CHARACTERS * eighths // 8)
    with tempfile.TemporaryDirectory(prefix="sample-") as scratch:
        folder = Path(scratch)
        conf = str(ROOT / "conf")
        changes = ["profile=smollm2", "benchmark.path=questions.jsonl"]
        compose_and_dump(folder / "params.yaml", conf, None, "config", conf, changes)
        with (folder / "questions.jsonl").open("w", encoding="utf-8") as file:
            for record in extended(records, lengths):
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
        for stage, command in STAGES.items():
            cost = cost_of([sys.executable, *command], folder, {"PYTHONPATH": str(ROOT)})
            known = {"stage": stage, "eighths": eighths, "contexts": count, "characters": sum(lengths)}
            yield {**known, **asdict(cost)}


def lengths_of(count: int, characters: int) -> list[int]:
    """Lengths that sum to about ``characters``, long first: a log-normal's, with the real ones' mean over median."""
    spread = np.sqrt(2 * np.log(CHARACTERS / CONTEXTS / MEDIAN))
    places = (np.arange(count, 0, -1) - 0.5) / count
    lengths = np.exp(spread * np.array([NormalDist().inv_cdf(place) for place in places]))
    return [int(length) for length in np.maximum(1, lengths * characters / lengths.sum())]


def extended(records: Sequence[dict[str, Any]], lengths: Sequence[int]) -> Iterator[dict[str, Any]]:
    """A question of each length, the records in turn, with a stretch of all contexts, laid end to end in a ring."""
    text = "\n\n".join(record["context"] for record in records)
    start = 0
    for number, length in enumerate(lengths):
        stretch = text[start : start + length]
        while len(stretch) < length:
            stretch += text[: length - len(stretch)]
        start = (start + length) % len(text)
        yield {**records[number % len(records)], "_id": f"{number:04}", "context": stretch}


def rank() -> None:
    """BM25 of every atom for every question, as stage retrieve does it, shard by shard; nothing is written."""
    from flows.retrieve import CONTEXTS_A_SHARD
    from plancheck.benchmark.tables import each_context, read_questions
    from plancheck.params.study import read_params
    from plancheck.retrieval.lexical import LexicalIndex
    from plancheck.retrieval.query import query_text
    from plancheck.retrieval.ranking import by_score
    from plancheck.retrieval.words import words
    from plancheck.tables import read_atoms

    variant = read_params().rankings["bm25"].variant
    asking = defaultdict(list)
    for question in read_questions():
        asking[question.context_id].append(question)
    names = sorted(asking)
    for start in range(0, len(names), CONTEXTS_A_SHARD):
        shard = names[start : start + CONTEXTS_A_SHARD]
        atoms = read_atoms(shard)
        for context_id, context in zip(shard, each_context(shard), strict=True):
            texts = [context[atom.start : atom.end] for atom in atoms[context_id]]
            index = LexicalIndex([words(text) for text in texts], variant=variant)
            for question in asking[context_id]:
                by_score(index.scores(words(query_text(question))))


def exponents(table: pd.DataFrame) -> pd.DataFrame:
    """A row a stage and measure: how it grows with the characters, see ``measuring.growth``."""
    rows = []
    for stage, own in table[table["outcome"] == "done"].groupby("stage", sort=False):
        for measure in MEASURES:
            found = growth(own["characters"].tolist(), own[measure].tolist())
            rows.append({"stage": stage, "measure": measure, "largest": own[measure].iloc[-1], **found})
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main()
