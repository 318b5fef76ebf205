"""docs/published-study.md, Replay: every published figure that follows from counts, computed again, row by row."""

from pathlib import Path

import numpy as np
import pytest

from plancheck.statistics.bootstrap import paired_bootstrap
from plancheck.statistics.power import examples_needed
from plancheck.statistics.proportions import wilson
from plancheck.statistics.signs import sign_test

PAGE = Path(__file__).parents[2] / "docs" / "published-study.md"
HEADER = "| figure | counts | published | plancheck | difference |"


def interval():
    """Of 12 wins, 20 losses and 120 ties, the seed of the published profile."""
    differences = np.repeat([1.0, -1.0, 0.0], [12, 20, 120])
    return paired_bootstrap(differences, generator=np.random.default_rng(20260225))


HELD_OUT = "12 wins, 20 losses, 120 ties"
RERANK = "68 wins, 59 losses of 503"
# Figure, counts, published as shown, decimals, computed.
ROWS = [
    ("hybrid_anchor: accuracy, %", "182 of 503 right", "36.18", 2, lambda: 100 * 182 / 503),
    ("hybrid_anchor: Wilson 95 %, low, %", "182 of 503 right", "32.10", 2,
     lambda: 100 * wilson(182, 503, confidence=0.95).low),
    ("hybrid_anchor: Wilson 95 %, high, %", "182 of 503 right", "40.47", 2,
     lambda: 100 * wilson(182, 503, confidence=0.95).high),
    ("sft+hybrid_anchor: accuracy, %", "181 of 503 right", "35.98", 2, lambda: 100 * 181 / 503),
    ("bm25: accuracy, %", "172 of 503 right", "34.19", 2, lambda: 100 * 172 / 503),
    ("held out, hybrid_anchor: accuracy, %", "64 of 152 right", "42.11", 2, lambda: 100 * 64 / 152),
    ("held out, sft+hybrid_anchor: accuracy, %", "56 of 152 right", "36.84", 2, lambda: 100 * 56 / 152),
    ("held out: sign test, p", HELD_OUT, "0.215", 3, lambda: sign_test(12, 20)),
    ("held out: bootstrap 95 %, low, points", HELD_OUT, "-12.5", 1, lambda: 100 * interval().low),
    ("held out: bootstrap 95 %, high, points", HELD_OUT, "2.0", 1, lambda: 100 * interval().high),
    ("planner against BM25: sign test, p", "37 wins, 56 losses", "0.061", 3, lambda: sign_test(37, 56)),
    ("6,000 characters, reranking: sign test, p", RERANK, "0.478", 3, lambda: sign_test(68, 59)),
    ("6,000 characters, reranking: difference, points", RERANK, "1.79", 2, lambda: 100 * (68 - 59) / 503),
    ("in-sample rule against the best single policy, points", "one more than 182 of 503 right", "0.20", 2,
     lambda: 100 * (183 - 182) / 503),
    ("questions that would tell 1.5 points", "127 of 503 differ", "8800", -2,
     lambda: examples_needed(0.015, 127 / 503)),
    ("questions that would tell 2 points", "127 of 503 differ", "4900", -2, lambda: examples_needed(0.02, 127 / 503)),
]  # fmt: skip


def line(figure, counts, published, decimals, computed):
    shown = max(decimals, 0)
    value = round(computed, decimals)
    apart = value - float(published)
    difference = "none" if abs(apart) < 10.0**-decimals / 2 else f"{apart:+.{shown}f}"
    return f"| {figure} | {counts} | {published} | {value:.{shown}f} | {difference} |"


def replay():
    """The table of the page."""
    return [HEADER, "|---|---|---|---|---|", *(line(*row[:4], row[4]()) for row in ROWS)]


def test_the_page_shows_just_what_is_computed():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = lines.index(HEADER)
    assert lines[start : start + len(ROWS) + 2] == replay()
    assert lines[start + len(ROWS) + 2] == ""


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_published_figure_differs_by_no_more_than_a_draw_of_resamples(row):
    figure, _, published, decimals, computed = row
    step = 100 / 152 if "bootstrap" in figure else 10.0**-decimals / 2 + 1e-9
    assert abs(computed() - float(published)) <= step
