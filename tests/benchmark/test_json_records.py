import gc
import gzip
import io
import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.benchmark.json_records import json_records
from plancheck.benchmark.questions import read_benchmark
from plancheck.params.formats import FORMATS
from plancheck.plumbing.errors import StudyError

PATH = Path("questions.json")
texts = st.text(st.sampled_from('ab"\\{}[],:\n\u2028é\U0001f600 '), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(texts.map("x".__add__), values, max_size=4)


def records(text: str | bytes):
    content = text if isinstance(text, bytes) else text.encode()
    return [(record.place, record.value) for record in json_records(PATH, io.BufferedReader(io.BytesIO(content)), ())]


@given(st.lists(values), st.sampled_from([None, 0, 3]), st.booleans(), st.sampled_from(["", "\ufeff", " \n"]))
def test_the_elements_of_an_array_are_those_that_json_reads(made, indent, ascii_only, before):
    text = before + json.dumps(made, indent=indent, ensure_ascii=ascii_only)
    assert records(text) == [(f"record {number}", value) for number, value in enumerate(made, start=1)]


@given(st.lists(objects, min_size=2), st.booleans(), st.sampled_from(["\n", "\r\n", "\n \n\n"]))
def test_each_line_is_a_record_wherever_else_lines_could_end(made, ascii_only, end):
    text = "".join(json.dumps(value, ensure_ascii=ascii_only) + end for value in made)
    assert [value for _, value in records(text)] == made


@given(st.text(st.sampled_from('[]{},:"\\1 \nx\U0001f600'), max_size=14).map("[".__add__))
def test_what_json_refuses_is_refused_and_nothing_else(text):
    try:
        expected = json.loads(text)
    except json.JSONDecodeError:
        with pytest.raises(StudyError, match=r"not valid JSON at line \d+, column \d+"):
            records(text)
    else:
        assert [value for _, value in records(text)] == expected


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[{"a": 1},\n {"é": x}]', "line 2, column 8"),
        ('[{"a": 1},\n {"b": 2}', "line 2, column 10"),
        ('[{"a": "\U0001f600"} {}]', "line 1, column 13"),
        ("[1, 2]\n\n x", "line 3, column 2"),
        ("[1}", "line 1, column 3"),
        ("[1,]", "line 1, column 4"),
        ('["a', "line 1, column 2"),
    ],
)
def test_the_place_of_a_fault_is_counted_in_characters(text, place):
    with pytest.raises(StudyError, match=place):
        records(text)


def test_the_bytes_of_a_fault_in_utf8_are_counted_from_the_files_start():
    for content in (b'\xef\xbb\xbf{"a": 1}\n{"b": "\xff"}\n', b'\xef\xbb\xbf[{"a": 1},{"b":"\xff"}]'):
        with pytest.raises(StudyError, match=f"at byte {content.index(0xFF)} "):
            records(content)


def record(number, chars):
    text = f"Text {number} \U0001f600 ".ljust(chars, "x")
    return {"_id": f"q{number}", "question": "Which?", "answer": "A", "context": text} | {
        f"choice_{letter}": letter for letter in "ABCD"
    }


def peak_bytes(path):
    gc.collect()
    tracemalloc.start()
    try:
        benchmark = read_benchmark(path, FORMATS["longbench_v2"].columns)
        assert len(benchmark.contexts) == len(benchmark.questions)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


CHARS, HELD = 300_000, 4 * 300_000  # an emoji makes each character of a Python string 4 bytes


@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("number", [1, 12])
def test_lines_need_three_times_their_largest_record_and_what_is_kept(tmp_path, number, compress):
    path = tmp_path / "questions"
    content = "".join(json.dumps(record(n, CHARS), ensure_ascii=False) + "\n" for n in range(number)).encode()
    path.write_bytes(compress(content))
    assert peak_bytes(path) < len(content) + 3 * HELD + 200_000


def test_an_array_needs_its_own_size_besides(tmp_path):
    path = tmp_path / "questions"
    path.write_text(json.dumps([record(n, CHARS) for n in range(12)], ensure_ascii=False))
    assert peak_bytes(path) < 2 * path.stat().st_size + 3 * HELD + 200_000
