"""The benchmark as the pipeline's two tables, and back."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import DATA, among, damaged, read_table, write_table
from plancheck.records import CONTEXTS, QUESTIONS, Benchmark, Question, Span

QUESTIONS_FILE = DATA / "questions.parquet"
CONTEXTS_FILE = DATA / "contexts.parquet"


def write_questions(benchmark: Benchmark, path: Path = QUESTIONS_FILE) -> None:
    """Write the questions in the benchmark's order."""
    write_table(path, [question_row(question) for question in benchmark.questions], QUESTIONS)


def write_contexts(benchmark: Benchmark, path: Path = CONTEXTS_FILE) -> None:
    """Write the contexts by ID, each in a Parquet row group of its own, so that one can be read without the others."""
    texts = ((context_id, benchmark.contexts[context_id]) for context_id in sorted(benchmark.contexts))
    rows = (
        {
            "context_id": context_id,
            "chars": len(text),
            "text": text,
            "documents": span_rows(benchmark.documents.get(context_id)),
        }
        for context_id, text in texts
    )
    write_table(path, rows, CONTEXTS, row_group_size=1)


def read_questions(path: Path = QUESTIONS_FILE) -> tuple[Question, ...]:
    """The questions in the benchmark's order.

    Raises:
        StudyError: the file is missing or damaged.
    """
    return tuple(to_question(row) for row in read_table(path).to_pylist())


def read_contexts(ids: Collection[str] | None = None, path: Path = CONTEXTS_FILE) -> dict[str, str]:
    """Text by context ID, ordered by ID, of the contexts asked for; None asks for all of them.

    Raises:
        StudyError: the file is missing or damaged, or lacks a context.
    """
    filters = None if ids is None else among("context_id", ids)
    table = read_table(path, columns=["context_id", "text"], filters=filters)
    texts = dict(zip(table["context_id"].to_pylist(), table["text"].to_pylist(), strict=True))
    lacking = sorted(set(ids or ()) - set(texts))
    if lacking:
        raise StudyError(f"{path}: lacks {len(lacking)} context(s), the first is {lacking[0]}. Run `dvc repro`.")
    return texts


def read_documents(path: Path = CONTEXTS_FILE) -> dict[str, tuple[Span, ...]]:
    """The documents of each context that came as a list of them, by context ID.

    Raises:
        StudyError: the file is missing or damaged.
    """
    rows = read_table(path, columns=["context_id", "documents"]).to_pylist()
    return {row["context_id"]: spans for row in rows if (spans := to_spans(row["documents"])) is not None}


def read_chars(path: Path = CONTEXTS_FILE) -> dict[str, int]:
    """Length by context ID, in characters.

    Raises:
        StudyError: the file is missing or damaged.
    """
    table = read_table(path, columns=["context_id", "chars"])
    return dict(zip(table["context_id"].to_pylist(), table["chars"].to_pylist(), strict=True))


def each_context(ids: Sequence[str], path: Path = CONTEXTS_FILE) -> Iterator[str]:
    """The texts of these contexts one after the other, in the order given; an ID may come again.

    One text is held at a time, and the file is opened once: looking up every context by itself takes time that grows
    with the square of their number.

    Raises:
        StudyError: the file is missing or damaged, or lacks a context.
    """
    table = read_table(path, columns=["context_id"])
    lacking = sorted(set(ids) - set(table["context_id"].to_pylist()))
    if lacking:
        raise StudyError(f"{path}: lacks {len(lacking)} context(s), the first is {lacking[0]}. Run `dvc repro`.")
    with pq.ParquetFile(path) as file:
        groups = [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]
        places = [(number, row) for number, rows in enumerate(groups) for row in range(rows)]
        place = dict(zip(table["context_id"].to_pylist(), places, strict=True))
        for context_id in ids:
            number, row = place[context_id]
            try:
                texts = file.read_row_group(number, columns=["text"])
            except (pa.ArrowInvalid, OSError) as error:
                raise damaged(path, error) from error
            yield str(texts["text"][row].as_py())


def question_row(question: Question) -> dict[str, Any]:
    return {
        "question_id": question.question_id,
        "domain": question.domain,
        "sub_domain": question.sub_domain,
        "difficulty": question.difficulty,
        "length": question.length,
        "question": question.question,
        "choices": question.choices,
        "answer": question.answer,
        "context_id": question.context_id,
        "context_group": question.context_group,
        "evidence": span_rows(question.evidence),
    }


def span_rows(spans: Sequence[Span] | None) -> list[dict[str, int]] | None:
    return None if spans is None else [{"start": span.start, "end": span.end} for span in spans]


def to_spans(rows: Sequence[dict[str, int]] | None) -> tuple[Span, ...] | None:
    return None if rows is None else tuple(Span(**row) for row in rows)


def to_question(row: dict[str, Any]) -> Question:
    return Question(**row | {"choices": tuple(row["choices"]), "evidence": to_spans(row["evidence"])})
