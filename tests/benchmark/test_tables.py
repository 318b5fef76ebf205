import pyarrow.parquet as pq
import pytest

from plancheck.benchmark.tables import each_context, read_contexts, read_questions, write_contexts, write_questions
from plancheck.plumbing.errors import StudyError
from plancheck.records import Benchmark, Question, Span


def question(name, evidence):
    return Question(name, "d", "s", "hard", "short", "?", ("1", "2", "3", "4"), "C", "a" * 64, evidence)


BENCHMARK = Benchmark(
    questions=(
        question("z", None),
        question("a", ()),
        question("m", (Span(3, 9), Span(0, 1))),
    ),
    contexts={"c" * 64: "third \U0001f58b", "a" * 64: "first\0", "b" * 64: "second"},
)


def test_questions_come_back_as_they_were(tmp_path):
    write_questions(BENCHMARK, tmp_path / "q.parquet")
    assert read_questions(tmp_path / "q.parquet") == BENCHMARK.questions


@pytest.mark.parametrize("ids", [None, ["b" * 64], ["c" * 64, "a" * 64, "a" * 64], []])
def test_the_contexts_asked_for_come_back_by_id(tmp_path, ids):
    write_contexts(BENCHMARK, tmp_path / "c.parquet")
    wanted = BENCHMARK.contexts if ids is None else ids
    found = read_contexts(ids, tmp_path / "c.parquet")
    assert list(found.items()) == [(name, BENCHMARK.contexts[name]) for name in sorted(set(wanted))]


def test_each_context_can_be_read_without_the_others(tmp_path):
    write_contexts(BENCHMARK, tmp_path / "c.parquet")
    assert pq.ParquetFile(tmp_path / "c.parquet").num_row_groups == len(BENCHMARK.contexts)
    assert pq.read_table(tmp_path / "c.parquet")["chars"].to_pylist() == [6, 6, 7]


def test_a_context_that_is_not_there_is_named(tmp_path):
    write_contexts(BENCHMARK, tmp_path / "c.parquet")
    with pytest.raises(StudyError, match=r"c\.parquet: lacks 1 context\(s\), the first is dddd.*dvc repro"):
        read_contexts(["a" * 64, "d" * 64], tmp_path / "c.parquet")
    with pytest.raises(StudyError, match=r"c\.parquet: lacks 1 context\(s\), the first is dddd.*dvc repro"):
        list(each_context(["a" * 64, "d" * 64], tmp_path / "c.parquet"))


@pytest.mark.parametrize("row_group_size", [1, 2, 10])
def test_contexts_come_one_by_one_in_the_order_asked_for(tmp_path, row_group_size):
    path, ids = tmp_path / "c.parquet", ["c" * 64, "a" * 64, "b" * 64, "a" * 64]
    write_contexts(BENCHMARK, path)
    pq.write_table(pq.read_table(path), path, row_group_size=row_group_size)
    assert list(each_context(ids, path)) == [BENCHMARK.contexts[name] for name in ids]
    assert list(each_context([], path)) == []


def test_a_context_that_is_damaged_is_told(tmp_path):
    path = tmp_path / "c.parquet"
    write_contexts(Benchmark((), {letter * 64: letter * 999 for letter in "abc"}), path)
    content = bytearray(path.read_bytes())
    start = pq.ParquetFile(path).metadata.row_group(1).column(2).data_page_offset
    content[start : start + 40] = b"\xff" * 40
    path.write_bytes(content)
    texts = each_context(["a" * 64, "b" * 64], path)
    assert next(texts) == "a" * 999
    with pytest.raises(StudyError, match="not a readable Parquet file"):
        next(texts)
