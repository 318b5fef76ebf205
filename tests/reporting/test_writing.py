import pandas as pd
import pytest

from plancheck.reporting.table import Column, Table
from plancheck.reporting.writing import latex_safe, write_table

TABLE = Table(
    name="small",
    title="Accuracy",
    notes="In %.",
    empty="nothing was asked",
    columns=(
        Column("policy", "policy"),
        Column("n", "n", "count"),
        Column("accuracy", "accuracy", "percent"),
        Column("difference", "difference", "points", interval=("low", "high")),
        Column("p", "p", "p"),
        Column("rank", "rank", "number"),
        Column("page", "page", printed=False),
        Column("sentence"),
    ),
)
ROWS = pd.DataFrame(
    {
        "policy": ["sft+hybrid_anchor", "a|b"],
        "n": pd.array([1503, None], dtype="Int64"),
        "accuracy": [0.36184, 1 / 3],
        "difference": [0.0179, None],
        "low": [-0.1251, None],
        "high": [0.0, None],
        "p": [0.00099, None],
        "rank": [4.5, None],
        "page": ["a", "b"],
        "sentence": ["c", "d"],
    }
)
MARKDOWN = r"""Accuracy. In %.

| policy | n | accuracy | difference | p | rank |
| --- | ---: | ---: | ---: | ---: | ---: |
| sft+hybrid_anchor | 1,503 | 36.2 | +1.8 [-12.5, 0.0] | <0.001 | 4.5 |
| a\|b |  | 33.3 |  |  |  |
"""
LATEX = r"""\begin{longtable}{lrrrrr}
\caption{Accuracy. In \%.}\label{tab:small}\\
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
sft+hybrid\_anchor & 1,503 & 36.2 & +1.8 [-12.5, 0.0] & \textless{}0.001 & 4.5 \\
a\textbar{}b &  & 33.3 &  &  &  \\
\end{longtable}
"""


def test_a_table_is_written_as_csv_in_full_and_as_markdown_and_latex_rounded(tmp_path):
    write_table(tmp_path, TABLE, ROWS)
    assert (tmp_path / "small.md").read_text() == MARKDOWN
    assert (tmp_path / "small.tex").read_text() == LATEX
    assert pd.read_csv(tmp_path / "small.csv")["accuracy"].tolist() == [0.36184, 1 / 3]
    assert list(pd.read_csv(tmp_path / "small.csv")) == TABLE.names


def test_a_table_without_rows_keeps_its_header(tmp_path):
    write_table(tmp_path, TABLE, ROWS.iloc[:0])
    assert (tmp_path / "small.md").read_text().count("\n") == 4
    assert r"\end{longtable}" in (tmp_path / "small.tex").read_text()


def test_what_latex_would_read_as_markup_is_escaped():
    assert latex_safe(r"a_b & 5% #1 {x} ~ ^ \ $") == (
        r"a\_b \& 5\% \#1 \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{} \$"
    )


def test_rows_with_other_columns_than_declared_are_not_written(tmp_path):
    for wrong in (ROWS.drop(columns="p"), ROWS.assign(more=1), ROWS[ROWS.columns[::-1]]):
        with pytest.raises(ValueError, match="table small declares the columns"):
            write_table(tmp_path, TABLE, wrong)
    assert not list(tmp_path.iterdir())
