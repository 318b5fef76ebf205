"""Reading the CSVs of reports/tables back, as they were written."""

import csv
import io
from pathlib import Path
from typing import Final

import pandas as pd

from plancheck.plumbing.errors import StudyError
from plancheck.reporting.table import Table

REMEDY: Final = "Run `dvc repro -f analyze`."


def read_report(path: Path, declared: Table) -> pd.DataFrame:
    """A table of stage analyze. Only an empty field is a missing value.

    CSV has no types, and a policy may be called nan, null, 1 or true: what is declared as text is read as text. Numbers
    are read to their last digit; whole ones stay whole (Int64) where some are missing.

    Args:
        path: the CSV.
        declared: the columns it must have; others are let through.

    Raises:
        StudyError: the file is missing, is no CSV, is cut short, lacks a column, or has words where numbers belong.
    """
    words = declared.words
    try:
        text = path.read_text(encoding="utf-8")
        table = pd.read_csv(
            path, dtype=dict.fromkeys(words, str), keep_default_na=False, na_values=[""], float_precision="round_trip"
        )
        kinds = pd.read_csv(path, keep_default_na=False, na_values=[""], dtype_backend="numpy_nullable").dtypes
    except FileNotFoundError as error:
        raise StudyError(f"{path}: no such file. {REMEDY}") from error
    except (ValueError, OSError) as error:
        raise StudyError(f"{path}: not readable as CSV ({error}). {REMEDY}") from error
    if lacking := [name for name in declared.names if name not in table.columns]:
        raise StudyError(f"{path}: lacks the column(s) {', '.join(lacking)}. {REMEDY}")
    if not text.endswith("\n") or len({len(row) for row in csv.reader(io.StringIO(text, newline=""))}) > 1:
        raise StudyError(f"{path}: is cut short, or has rows of unequal length. {REMEDY}")
    numbers = [name for name in table.columns if name not in words]
    if len(table) and (
        worded := [str(name) for name in numbers if not pd.api.types.is_numeric_dtype(table.dtypes[name])]
    ):
        raise StudyError(f"{path}: holds words where numbers belong, in {', '.join(worded)}. {REMEDY}")
    gaps = [name for name in numbers if kinds[name] == "Int64" and table[name].hasnans and table[name].any()]
    return table.astype(dict.fromkeys(gaps, "Int64"))
