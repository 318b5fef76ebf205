import pandas as pd
import pytest

from plancheck.reporting import views
from plancheck.reporting.wording import number, p_text, signed_points
from plancheck.reporting.writing import (
    View,
    decimal,
    interval,
    latex_safe,
    p_value,
    percent,
    text,
    whole,
    write_table_files,
)

VIEW = View(
    "Accuracy in %.",
    (
        text("policy", "policy"),
        whole("n", "n"),
        percent("accuracy", "accuracy"),
        interval("difference", "difference", "low", "high", signed=True),
        p_value("p", "p"),
        decimal("rank", "rank", 2),
    ),
)
TABLE = pd.DataFrame(
    {
        "policy": ["sft+hybrid_anchor", "a|b"],
        "n": pd.array([1503, None], dtype="Int64"),
        "accuracy": [0.36184, 1 / 3],
        "difference": [0.0179, None],
        "low": [-0.1251, None],
        "high": [0.0, None],
        "p": [0.00099, None],
        "rank": [4.5, None],
    }
)
MARKDOWN = r"""Accuracy in %.

| policy | n | accuracy | difference | p | rank |
| --- | ---: | ---: | ---: | ---: | ---: |
| sft+hybrid_anchor | 1,503 | 36.2 | +1.8 [-12.5, 0.0] | <0.001 | 4.50 |
| a\|b |  | 33.3 |  |  |  |
"""
LATEX = r"""\begin{longtable}{lrrrrr}
\caption{Accuracy in \%.}\label{tab:small}\\
\toprule
policy & n & accuracy & difference & p & rank \\
\midrule
\endfirsthead
\toprule
policy & n & accuracy & difference & p & rank \\
\midrule
\endhead
\bottomrule
\endfoot
sft+hybrid\_anchor & 1,503 & 36.2 & +1.8 [-12.5, 0.0] & \textless{}0.001 & 4.50 \\
a\textbar{}b &  & 33.3 &  &  &  \\
\end{longtable}
"""


def test_a_table_is_written_as_csv_in_full_and_as_markdown_and_latex_rounded(tmp_path):
    write_table_files(tmp_path, "small", TABLE, VIEW)
    assert (tmp_path / "small.md").read_text() == MARKDOWN
    assert (tmp_path / "small.tex").read_text() == LATEX
    assert pd.read_csv(tmp_path / "small.csv")["accuracy"].tolist() == [0.36184, 1 / 3]


def test_a_table_without_rows_keeps_its_header(tmp_path):
    write_table_files(tmp_path, "small", TABLE.iloc[:0], VIEW)
    assert (tmp_path / "small.md").read_text().count("\n") == 4
    assert r"\end{longtable}" in (tmp_path / "small.tex").read_text()


@pytest.mark.parametrize(
    ("p", "expected"), [(0.0009, "<0.001"), (0.001, "0.001"), (0.0605, "0.060"), (1.0, "1.000"), (None, "")]
)
def test_p_has_three_digits(p, expected):
    assert p_text(p) == expected


@pytest.mark.parametrize(
    ("difference", "expected"), [(0.0004, "0.0"), (-0.0004, "0.0"), (0.0179, "+1.8"), (-0.125, "-12.5")]
)
def test_a_difference_has_a_sign_unless_it_shows_as_zero(difference, expected):
    assert signed_points(difference) == expected


def test_a_number_that_shows_as_zero_has_no_sign():
    assert (number(-0.0001, 2), number(-1234.5, 1)) == ("0.00", "-1,234.5")


def test_what_latex_would_read_as_markup_is_escaped():
    assert latex_safe(r"a_b & 5% #1 {x} ~ ^ \ $") == (
        r"a\_b \& 5\% \#1 \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{} \$"
    )


@pytest.mark.parametrize("name", views.VIEWS)
def test_every_table_has_a_caption_that_ends_in_a_full_stop(name):
    assert views.VIEWS[name].caption.endswith(".")
