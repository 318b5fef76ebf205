"""BM25 by variant: atoms are as many as stated, evidence is measured in characters, and the file has every cell."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from plancheck.benchmark.controlled import generate, read_lexicon
from plancheck.records import Atom, Span
from plancheck.retrieval.lexical import VARIANTS

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
lexical = SimpleNamespace(**runpy.run_path(str(BENCHMARKS / "lexical.py")))


@pytest.mark.parametrize("count", lexical.ATOMS)
@pytest.mark.parametrize("chars", [6_000, 9_999, 16_001])
def test_a_context_has_as_many_atoms_as_stated(count, chars):
    atoms = lexical.cut_into(count, "0" * 64, "x" * chars)
    assert len(atoms) == count
    assert atoms[-1].end == chars


@pytest.mark.parametrize(
    ("atoms", "expected"),
    [([], 0.0), ([(0, 15)], 0.5), ([(0, 15), (13, 18)], 0.8), ([(0, 40)], 1.0), ([(20, 40)], 0.0)],
)
def test_evidence_is_covered_by_characters(atoms, expected):
    held = [Atom(f"a{number}", "c", start, end, 0) for number, (start, end) in enumerate(atoms)]
    assert lexical.covered(Span(10, 20), held) == pytest.approx(expected)


def test_every_question_is_measured_by_every_variant_and_alike_each_time():
    settings = lexical.SETTINGS.model_copy(update={"questions": 4, "context_chars": 6_000})
    benchmark = generate(settings, read_lexicon(lexical.LEXICON), seed=5)
    rows = list(lexical.ranked(benchmark, 3))
    assert rows == list(lexical.ranked(benchmark, 3))
    assert [row["variant"] for row in rows] == list(VARIANTS) * 4
    assert all(0 <= row[lexical.MEASURES[1]] <= 1 for row in rows)


def test_the_mean_over_seeds_has_the_t_interval_of_scipy():
    index = pd.MultiIndex.from_product([[2], ["okapi", "plus"]], names=["atoms", "variant"])
    runs = [
        pd.DataFrame({lexical.MEASURES[0]: [share, share + 0.2]}, index=index).rename_axis(columns="measure")
        for share in (0.1, 0.2, 0.3)
    ]
    table = lexical.summary(runs).set_index("variant")
    assert table.loc["okapi", ["share", "share_low", "share_high"]].tolist() == pytest.approx(
        [0.2, 0.2 - 4.3027 * 0.1 / np.sqrt(3), 0.2 + 4.3027 * 0.1 / np.sqrt(3)], abs=1e-4
    )
    assert table.loc["plus", ["difference", "difference_low", "difference_high"]].tolist() == pytest.approx([0.2] * 3)


def test_the_file_has_every_cell():
    table = pd.read_csv(BENCHMARKS / "lexical.csv")
    cells = table[["atoms", "variant", "measure"]].apply(tuple, axis=1).tolist()
    assert cells == [(n, name, what) for n in lexical.ATOMS for name in VARIANTS for what in lexical.MEASURES]
    assert set(table["questions"]) == {lexical.SEEDS * lexical.SETTINGS.questions}
    assert table["share"].between(table["share_low"], table["share_high"]).all()
    assert table["share"].between(0, 1).all()
