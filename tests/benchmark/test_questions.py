import gzip
import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from plancheck.benchmark.questions import read_benchmark
from plancheck.params.formats import FORMATS
from plancheck.plumbing.errors import StudyError

SAMPLE = Path(__file__).parents[3] / "shared" / "data" / "longbench_v2_sample.json"


def record(name: str = "q1", **changes):
    made = {
        "_id": name,
        "domain": "Single-Document QA",
        "sub_domain": "Legal",
        "difficulty": "hard",
        "length": "short",
        "question": "Who signed?",
        "choice_A": "Ann",
        "choice_B": "Bea",
        "choice_C": "Cy",
        "choice_D": "Dee",
        "answer": "B",
        "context": "Bea signed\u2028the deed \U0001f58b.",
    }
    return made | changes


TWO = [record("q1"), record("q2", context="Another text.", answer="D")]


def as_array(records):
    return json.dumps(records, indent=1).encode()


def as_lines(records):
    return "\n".join(json.dumps(item, ensure_ascii=False) for item in records).encode() + b"\n\n"


def as_parquet(records):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist([item | {"unused": 1} for item in records]), sink)
    return sink.getvalue().to_pybytes()


COLUMNS = FORMATS["longbench_v2"].columns


def read(folder: Path, content: bytes, name: str = "questions.data", **columns):
    path = folder / name
    path.write_bytes(content)
    return read_benchmark(path, COLUMNS.model_copy(update=columns))


@pytest.mark.parametrize("write", [as_array, as_lines, as_parquet])
@pytest.mark.parametrize("wrap", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_every_file_kind_holds_the_same_questions_whatever_its_name(tmp_path, write, wrap):
    benchmark = read(tmp_path, wrap(write(TWO)), name="questions.txt")
    first, second = benchmark.questions
    assert (first.question_id, first.domain, first.sub_domain) == ("q1", "Single-Document QA", "Legal")
    assert (first.difficulty, first.length, first.question) == ("hard", "short", "Who signed?")
    assert (first.choices, first.answer, first.evidence) == (("Ann", "Bea", "Cy", "Dee"), "B", None)
    assert (second.question_id, second.answer) == ("q2", "D")
    assert benchmark.contexts == {hashlib.sha256(item["context"].encode()).hexdigest(): item["context"] for item in TWO}


def test_a_byte_order_mark_is_no_part_of_the_data(tmp_path):
    assert len(read(tmp_path, b"\xef\xbb\xbf" + as_array(TWO)).questions) == 2


def test_a_shared_context_is_kept_once(tmp_path):
    benchmark = read(tmp_path, as_array([record("q1"), record("q2")]))
    assert len(benchmark.contexts) == 1
    assert len({question.context_id for question in benchmark.questions}) == 1


def test_texts_are_kept_to_the_character(tmp_path):
    odd = "  tabs\tand\r\nNUL\0 and e\u0301  "
    benchmark = read(tmp_path, as_array([record(context=odd, question=odd, choice_A=odd, choice_B=odd)]))
    assert list(benchmark.contexts.values()) == [odd]
    assert benchmark.questions[0].question == odd
    assert benchmark.questions[0].choices[:2] == (odd, odd)


def test_whole_number_ids_become_decimal_text(tmp_path):
    assert [q.question_id for q in read(tmp_path, as_array([record(7), record(-1)])).questions] == ["7", "-1"]


def test_other_field_names_are_mapped(tmp_path):
    made = record()
    made["uid"], made["passage"] = made.pop("_id"), made.pop("context")
    benchmark = read(tmp_path, as_array([made]), question_id="uid", context="passage")
    assert benchmark.questions[0].question_id == "q1"


@pytest.mark.parametrize("absent", [None, "left out"])
def test_absent_optional_fields_read_as_empty_and_one_domain(tmp_path, absent):
    made = record()
    for field in ("domain", "sub_domain", "difficulty", "length"):
        made[field] = None
        if absent:
            del made[field]
    question = read(tmp_path, as_array([made])).questions[0]
    assert (question.domain, question.sub_domain, question.difficulty, question.length) == ("all", "", "", "")


def test_a_misspelt_optional_column_is_not_taken_for_an_absent_one(tmp_path):
    with pytest.raises(StudyError, match="no record has levle"):
        read(tmp_path, as_array(TWO), difficulty="levle")


def test_a_domain_in_some_records_only_is_a_mistake(tmp_path):
    with pytest.raises(StudyError, match=r"record 2 .*has no domain") as caught:
        read(tmp_path, as_array([record("q1"), record("q2", domain=None)]))
    assert "record 1" not in str(caught.value)


def test_one_name_for_two_fields_is_refused(tmp_path):
    with pytest.raises(StudyError, match=r"benchmark\.columns: choice_A named for two fields"):
        read(tmp_path, as_array(TWO), choices=("choice_A", "choice_A"))


def test_all_bad_records_are_listed_at_once_up_to_twenty(tmp_path):
    with pytest.raises(StudyError) as caught:
        read(tmp_path, as_array([record(f"q{n}", answer="E") for n in range(30)]))
    lines = str(caught.value).splitlines()
    assert "30 problem(s) in 30 record(s)" in lines[0]
    assert (
        lines[1] == "  - record 1 (_id 'q0'): answer must mean one choice: its letter A to D or its exact text, got 'E'"
    )
    assert lines[21] == "  ... and 10 more (30 in all)"
    assert len(lines) == 23


def test_a_message_does_not_print_a_long_value(tmp_path):
    with pytest.raises(StudyError) as caught:
        read(tmp_path, as_array([record(answer="long " * 10_000)]))
    assert len(str(caught.value)) < 600


@pytest.mark.skipif(not SAMPLE.exists(), reason="the sample of real questions is not on this machine")
def test_the_real_sample_reads_whole():
    benchmark = read_benchmark(SAMPLE, COLUMNS)
    assert len(benchmark.questions) == 120
    assert len({question.domain for question in benchmark.questions}) == 6
    assert min(map(len, benchmark.contexts.values())) == 48_765
