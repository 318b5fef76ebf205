"""Which variant of BM25 ranks evidence best, and from how few atoms on does it matter? The controlled benchmark says.

Prints a table and writes it to benchmarks/lexical.csv. Same seeds, same file.

    python benchmarks/lexical.py
"""

import argparse
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from plancheck.atoms import cut
from plancheck.benchmark.controlled import generate, read_lexicon
from plancheck.params.benchmark import Controlled
from plancheck.records import Atom, Benchmark, Span
from plancheck.retrieval.lexical import VARIANTS, LexicalIndex
from plancheck.retrieval.query import query_text
from plancheck.retrieval.ranking import by_score
from plancheck.retrieval.words import words

OUTPUT = Path(__file__).with_name("lexical.csv")
LEXICON = Path(__file__).parents[1] / "plancheck" / "benchmark" / "lexicon.yaml"
# The demo's benchmark, with more questions.
SETTINGS = Controlled(
    questions=60, context_chars=10_000, lexical_gap=0.3, two_hops=0.2, near_misses=3, shared_contexts=0.2
)
ATOMS = (2, 3, 5, 14, 50)
OVERLAP = 1 / 8  # of a window, as published
SHOWN = 1 / 5  # of the atoms, rounded up: about the largest budget's share of a context in the demo
PUBLISHED = "okapi"
MEASURES = ("evidence in the first atom", "evidence in the first fifth")
SEEDS = 20
CONFIDENCE = 0.95


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=20261201)
    first = parser.parse_args().seed
    table = summary([measured(seed) for seed in range(first, first + SEEDS)])
    table.to_csv(OUTPUT, index=False, lineterminator="\n")
    print(table.to_string(index=False))


def summary(runs: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Mean over seeds by atoms, variant and measure, and its difference to the published variant, with t intervals."""
    cells = pd.concat([run.stack() for run in runs], axis=1)
    rows = []
    for (atoms, variant, measure), values in cells.iterrows():
        differences = values - cells.loc[(atoms, PUBLISHED, measure)]
        row: dict[str, object] = {"atoms": atoms, "variant": variant, "measure": measure}
        for name, of in (("share", values), ("difference", differences)):
            half = stats.t.ppf((1 + CONFIDENCE) / 2, len(runs) - 1) * stats.sem(of)
            row |= {name: of.mean(), f"{name}_low": of.mean() - half, f"{name}_high": of.mean() + half}
        rows.append(row | {"questions": SETTINGS.questions * len(runs)})
    return pd.DataFrame(rows).round(4)


def measured(seed: int) -> pd.DataFrame:
    """The measures of one seed's questions, the mean by atoms and variant."""
    benchmark = generate(SETTINGS, read_lexicon(LEXICON), seed=seed)
    rows = pd.DataFrame([row for atoms in ATOMS for row in ranked(benchmark, atoms)])
    return rows.groupby(["atoms", "variant"], sort=False)[list(MEASURES)].mean().rename_axis(columns="measure")


def ranked(benchmark: Benchmark, count: int) -> Iterator[dict[str, object]]:
    """A row a question and variant: whether the first atom holds evidence, and how much of it the first fifth holds."""
    for context_id, context in benchmark.contexts.items():
        atoms = cut_into(count, context_id, context)
        atom_words = [words(context[atom.start : atom.end]) for atom in atoms]
        indexes = {name: LexicalIndex(atom_words, variant=name) for name in VARIANTS}
        for question in benchmark.questions:
            if question.context_id != context_id or not question.evidence:
                continue
            asked = words(query_text(question))
            for name, index in indexes.items():
                order = by_score(index.scores(asked))
                shown = [atoms[position] for position in order[: math.ceil(SHOWN * count)]]
                first = max(covered(span, shown[:1]) for span in question.evidence)
                recall = np.mean([covered(span, shown) for span in question.evidence])
                # Half of a sentence: windows cut some, and their overlap holds a few of its characters twice.
                yield {"atoms": count, "variant": name, MEASURES[0]: first >= 0.5, MEASURES[1]: recall}


def covered(span: Span, atoms: Sequence[Atom]) -> float:
    """The share of the span's characters that are in one or more of the atoms."""
    held = {char for atom in atoms for char in range(max(atom.start, span.start), min(atom.end, span.end))}
    return len(held) / (span.end - span.start)


def cut_into(count: int, context_id: str, context: str) -> tuple[Atom, ...]:
    """The atoms of a context in the shortest windows that make no more than ``count`` of them."""
    window = math.ceil(len(context) / (1 + (count - 1) * (1 - OVERLAP)))
    while True:
        atoms = cut(context_id, context, window_chars=window, overlap_chars=int(OVERLAP * window))
        if len(atoms) <= count:
            return atoms
        window += 1


if __name__ == "__main__":
    main()
