"""What a gate reads: the parameters and the tables of the stages before it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from plancheck.answering.rightness import right_letters
from plancheck.params.study import Params
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.files import DATA, read_json, read_table
from plancheck.records import CONTEXTS, LETTERS, SPLITS, Letter
from validation.frames import counted, masked

SPLITS_FILE = DATA / "splits.json"
LEAKAGE_FILE = Path("reports/leakage.json")
MADE = ("seed", "source", "group_by")  # how data/splits.json says that it was made
FITTED = ("train", "dev")  # the splits whose rewarded plans become rows of data/sft


@dataclass(frozen=True, slots=True)
class Inputs:
    """Tables by their name in ``plancheck.records.TABLES``; the others are empty for a gate without them.

    ``rows`` are the objects of data/sft/train.jsonl and dev.jsonl, by split; ``leakage`` is reports/leakage.json.
    """

    params: Params
    tables: Mapping[str, pa.Table]
    splits: Mapping[str, Any] = field(default_factory=dict)
    rows: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    leakage: Mapping[str, Any] = field(default_factory=dict)


def table_file(name: str) -> Path:
    return DATA / f"{name}.parquet"


def rows_file(split: str) -> Path:
    return DATA / "sft" / f"{split}.jsonl"


def read_inputs(params: Params, names: Sequence[str], *, splits: bool, rows: bool, leakage: bool) -> Inputs:
    """The named tables of the working folder, of contexts all but the texts.

    Raises:
        StudyError: a file is missing, unreadable, or (splits.json, *.jsonl) of another form.
    """
    return Inputs(
        params,
        {name: read_named(name) for name in names},
        read_splits() if splits else {},
        {split: read_rows(split) for split in FITTED} if rows else {},
        read_leakage() if leakage else {},
    )


def read_leakage(path: Path = LEAKAGE_FILE) -> dict[str, Any]:
    """What the leakage audit found.

    Raises:
        StudyError: the file is missing or of another form.
    """
    value = read_json(path)
    forms = {"learned": list, "contexts": dict, "questions": dict}
    if not isinstance(value, dict) or not all(isinstance(value.get(name), form) for name, form in forms.items()):
        raise StudyError(f"{path}: not what stage leakage writes. Run `dvc repro -f leakage`.")
    return value


def read_named(name: str) -> pa.Table:
    """The table of that name; of contexts all but the texts."""
    only = [column for column in CONTEXTS.names if column != "text"] if name == "contexts" else None
    return read_table(table_file(name), columns=only)


def read_rows(split: str) -> list[dict[str, Any]]:
    """The training rows of a split, as ``read_objects`` reads them."""
    return read_objects(rows_file(split))


def read_objects(path: Path) -> list[dict[str, Any]]:
    """The JSON objects of a file, one a line; none for an empty file.

    Raises:
        StudyError: the file is missing, or a line is no JSON object.
    """
    remedy = "Run `dvc repro -f rows`."
    try:
        lines = path.read_text(encoding="utf-8").split("\n")  # splitlines would cut at separators inside a text
    except FileNotFoundError as error:
        raise StudyError(f"{path}: no such file. Run `dvc repro` (or `make demo`) to make it.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"{path}: not readable ({error}). {remedy}") from error
    objects, problems = [], []
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            problems.append(f"line {number}: not JSON ({error.msg})")
            continue
        if isinstance(value, dict):
            objects.append(value)
        else:
            problems.append(f"line {number}: not an object")
    if problems:
        raise all_problems(f"{path}: not one JSON object a line:", problems, remedy=remedy)
    return objects


def read_splits(path: Path = SPLITS_FILE) -> dict[str, Any]:
    """The lists of question IDs of each split, and how they were made."""
    value = read_json(path)
    problems = ["not an object"] if not isinstance(value, dict) else []
    if not problems:
        for split in SPLITS:
            ids = value.get(split)
            if not isinstance(ids, list) or not all(isinstance(item, str) for item in ids):
                problems.append(f"{split}: must be a list of question IDs")
        problems += [f"{name}: missing" for name in MADE if name not in value]
    if problems:
        raise all_problems(f"{path}: not a split of the questions:", problems, remedy="Run `dvc repro -f split`.")
    return dict(value)


def question_frame(inputs: Inputs) -> pd.DataFrame:
    """Question, context and its group, domain, gold letter and number of choices, in the benchmark's order.

    The number is 0 where a choice is no text.
    """
    columns = ["question_id", "context_id", "context_group", "domain", "answer", "choices"]
    frame = inputs.tables["questions"].select(columns).to_pandas()
    counts = [len(texts_of(choices)) for choices in frame["choices"]]
    return frame.assign(answer=masked(frame["answer"], LETTERS), choices=counts)


def texts_of(choices: Sequence[str | None] | None) -> tuple[str, ...]:
    """A row's choices; none where one is no text."""
    texts = tuple(text for text in choices if text is not None) if choices is not None else ()
    return texts if choices is not None and len(texts) == len(choices) else ()


def letters_of(choices: int) -> tuple[Letter, ...]:
    """The letters of so many choices."""
    return LETTERS[:choices]


def lettered(inputs: Inputs, frame: pd.DataFrame) -> pd.Series:
    """Whether each row's letter is that of a choice of its question; false without a letter.

    ``frame`` has columns question_id and letter.
    """
    questions = question_frame(inputs).drop_duplicates("question_id").set_index("question_id")["choices"]
    counts = counted(frame["question_id"], questions)
    found = [letter in letters_of(count) for letter, count in zip(frame["letter"], counts, strict=True)]
    return pd.Series(found, index=frame.index, dtype=bool)


def right_rows(inputs: Inputs, frame: pd.DataFrame, gold: pd.Series) -> pd.Series:
    """Whether each row's letter is right, were the row's ``gold`` the gold letter; false without a question or letter.

    ``frame`` has columns question_id and letter; ``gold`` has its rows.
    """
    table = inputs.tables["questions"].select(["question_id", "choices"]).to_pandas().drop_duplicates("question_id")
    choices = dict(zip(table["question_id"], map(texts_of, table["choices"]), strict=True))
    rows = zip(frame["question_id"], frame["letter"], gold, strict=True)
    right = [
        truth in letters_of(len(choices.get(name, ()))) and letter in right_letters(choices[name], truth)
        for name, letter, truth in rows
    ]
    return pd.Series(right, index=frame.index, dtype=bool)


def condition_keys(inputs: Inputs) -> tuple[list[str], list[int]]:
    """Policies and budgets whose every pair is a condition."""
    return [*inputs.params.pack.policies, *inputs.params.contexts], list(inputs.params.pack.budgets_chars)
