"""The files of tests/cases that concern reading, and more inputs of each kind."""

import bz2
import gzip
import json
import logging
import lzma
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from plancheck.benchmark.questions import read_benchmark
from plancheck.params.formats import FORMATS, Columns
from plancheck.plumbing.errors import StudyError

LISTED = Columns(question_id="id")
PLAIN = FORMATS["longbench_v2"].columns


def record(name="q1", **changes):
    choices = {f"choice_{letter}": f"answer {letter}" for letter in "ABCD"}
    return {"_id": name, "question": "Which?", **choices, "answer": "A", "context": f"Text of {name}."} | changes


def listed(name, answer, choices=("red", "green", "blue", "white")):
    return {"id": name, "question": "Which?", "choices": choices, "answer": answer, "context": "Text."}


def read(path, content, columns=PLAIN, answer_index=None):
    path = path / "questions"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return read_benchmark(path, columns, answer_index)


def message(path, content, columns=PLAIN, answer_index=None):
    with pytest.raises(StudyError) as caught:
        read(path, content, columns, answer_index)
    return str(caught.value)


def parquet(*columns):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays([values for _, values in columns], [name for name, _ in columns]), sink)
    return sink.getvalue().to_pybytes()


REFUSED = {
    "answer_twice_in_an_object.json": ["record 1: an object has several fields called answer", "10 record(s)"],
    "two_answer_columns.parquet": ["several columns called answer", "Keep one"],
    "gzipped_twice.json.gz": ["gzipped twice", "gunzip"],
    "length_as_a_number.json": ["length must be text, got a number", "benchmark.columns.length: null"],
    "utf16_without_mark.json": ["is UTF-16LE text", "iconv -f UTF-16LE -t UTF-8"],
    "choices_as_a_list.json": [
        "no record has _id, choice_A, choice_B.",
        "fields are id, question, choices, answer",
        "benchmark.columns={question_id: FIELD, choices: FIELD}",
    ],
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_case_is_refused_for_what_it_is(cases, name):
    with pytest.raises(StudyError) as caught:
        read_benchmark(cases / name, PLAIN)
    assert [part for part in REFUSED[name] if part not in str(caught.value)] == []


def test_five_choices_are_read(cases):
    questions = read_benchmark(cases / "five_choices_answers_a_to_d.json", PLAIN).questions
    assert {len(question.choices) for question in questions} == {5}
    assert len(questions) == 6


def test_choices_as_a_list_with_answers_from_0(cases):
    questions = read_benchmark(cases / "choices_as_a_list.json", LISTED, 0).questions
    records = json.loads((cases / "choices_as_a_list.json").read_text())
    assert [(q.question_id, list(q.choices), "ABCD".index(q.answer)) for q in questions] == [
        (str(item["id"]), item["choices"], item["answer"]) for item in records
    ]


def test_records_in_a_data_field_are_read_and_told(cases, caplog):
    with caplog.at_level(logging.WARNING, logger="plancheck.benchmark"):
        assert len(read_benchmark(cases / "records_in_a_data_field.json", PLAIN).questions) == 10
    assert "the records are in field data" in caplog.text


def test_nan_is_absent(cases):
    assert {question.domain for question in read_benchmark(cases / "nan_domain.json", PLAIN).questions} == {"all"}


def test_an_optional_field_can_be_left_out(cases):
    questions = read_benchmark(cases / "length_as_a_number.json", PLAIN.model_copy(update={"length": None})).questions
    assert {question.length for question in questions} == {""}
    assert len(questions) == 10


@pytest.mark.parametrize("name", ["Choice_e", "choiceE", "E", "option_e", "Option 5", "choice_5", "(E)"])
def test_a_field_that_looks_like_a_fifth_choice_is_refused_by_name(tmp_path, name):
    assert f"{name} looks like a further choice" in message(tmp_path, [record(**{name: "5"})])
    assert f"{name} looks like a further choice" in message(
        tmp_path, parquet(*((key, [value]) for key, value in record(**{name: "5"}).items()))
    )
    for empty in (None, "", " ", float("nan")):
        assert len(read(tmp_path, [record(**{name: empty})]).questions) == 1


@pytest.mark.parametrize(
    ("names", "fifth", "other"),
    [
        (["ending0", "ending1", "ending2", "ending3"], "ending4", "ending10"),
        (["opa", "opb", "opc", "opd"], "ope", "opening"),
        (["answer_1_text", "answer_2_text", "answer_3_text", "answer_4_text"], "answer_5_text", "answer_text"),
        (["a", "b", "c", "d"], "e", "f"),
        (["x1", "x2", "x3", "x4"], "x5", "x6"),
    ],
)
def test_a_fifth_field_is_known_by_the_names_of_the_four(tmp_path, names, fifth, other):
    made = record()
    for letter, name in zip("ABCD", names, strict=True):
        made[name] = made.pop(f"choice_{letter}")
    columns = PLAIN.model_copy(update={"choices": tuple(names)})
    assert f"{fifth} looks like" in message(tmp_path, [made | {fifth: "more"}], columns)
    assert len(read(tmp_path, [made | {other: "more"}], columns).questions) == 1


def test_a_list_of_five_beside_the_four_fields_is_refused(tmp_path):
    assert "options looks like a further choice" in message(tmp_path, [record(options=list("12345"))])
    columns = [(key, [value]) for key, value in record(Options=list("12345")).items()]
    assert "Options looks like a further choice" in message(tmp_path, parquet(*columns))
    assert len(read(tmp_path, [record(options=list("1234"))]).questions) == 1


def test_fields_that_are_used_are_no_further_choices(tmp_path):
    made = record()
    made["E"] = made.pop("choice_D")
    columns = PLAIN.model_copy(update={"choices": ("choice_A", "choice_B", "choice_C", "E")})
    assert read(tmp_path, [made], columns).questions[0].choices[3] == "answer D"


TWO = [record("q1"), record("q2")]
BY_COLUMN = {name: {str(place): item[name] for place, item in enumerate(TWO)} for name in TWO[0]}
WRAPPED = {
    "pandas by column": (BY_COLUMN, ["column by column", "orient='records'"]),
    "lists by column": ({name: [item[name] for item in TWO] for name in TWO[0]}, ["column by column"]),
    "pandas split": (
        {"columns": list(TWO[0]), "index": [0, 1], "data": [list(item.values()) for item in TWO]},
        ["fields hold the records or parts of them", "orient='records'"],
    ),
    "pandas by index": ({"0": TWO[0], "1": TWO[1]}, ["fields hold the records or parts of them"]),
    "several splits": ({"train": TWO, "test": TWO}, ["records in fields train, test", "a file of its own"]),
}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("name", WRAPPED)
def test_a_table_that_is_one_object_is_named(tmp_path, name, indent):
    value, expected = WRAPPED[name]
    told = message(tmp_path, json.dumps(value, indent=indent).encode())
    assert [part for part in expected if part not in told] == []


@pytest.mark.parametrize("indent", [None, 1])
def test_one_field_with_records_is_read_and_what_stands_beside_it_is_told(tmp_path, indent, caplog):
    content = json.dumps({"version": "1.0", "rows": TWO}, indent=indent).encode()
    with caplog.at_level(logging.WARNING, logger="plancheck.benchmark"):
        assert [question.question_id for question in read(tmp_path, content).questions] == ["q1", "q2"]
    assert "field rows; not read: version" in caplog.text
    assert "rows, record 2 (_id 'q1')" in message(tmp_path, {"rows": [TWO[0], TWO[0]]})


@pytest.mark.parametrize("indent", [None, 1])
def test_a_file_of_one_record_is_no_wrapping(tmp_path, indent, caplog):
    content = json.dumps(record(notes=[{"by": "x"}]), indent=indent).encode()
    assert len(read(tmp_path, content).questions) == 1
    assert not caplog.records


def zipped(content):
    import io

    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("questions.json", content)
    return made.getvalue()


PACKED = {
    "zip": (zipped, "a zip archive"),
    "bzip2": (bz2.compress, "compressed with bzip2"),
    "xz": (lzma.compress, "compressed with xz"),
    "zstd": (lambda content: pa.compress(content, codec="zstd", asbytes=True), "compressed with zstd"),
    "gzip": (gzip.compress, "gzipped twice"),
}


@pytest.mark.parametrize("name", PACKED)
def test_another_compression_is_named_also_inside_gzip(tmp_path, name):
    pack, expected = PACKED[name]
    content = pack(json.dumps(TWO).encode())
    assert expected in message(tmp_path, gzip.compress(content))
    if name != "gzip":
        assert expected in message(tmp_path, content)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("first", ["", "\n "])
def test_another_unicode_encoding_is_named_with_and_without_a_mark(tmp_path, encoding, first):
    told = message(tmp_path, (first + json.dumps(TWO)).encode(encoding))
    assert f"is {encoding.upper().replace('-LE', 'LE').replace('-BE', 'BE')} text" in told


def test_a_field_twice_is_refused_in_lines_and_inside_fields_too(tmp_path):
    good = json.dumps(record()).encode()
    twice = good.replace(b'"answer": "A"', b'"answer": "A", "answer": "B"')
    assert "line 2: an object has several fields called answer" in message(tmp_path, good + b"\n" + twice)
    assert "several fields called a, b" in message(
        tmp_path, b"[" + good[:-1] + b', "extra": {"a": 1, "b": 1, "a": 2, "b": 2}}]'
    )
    assert "several fields called answer" in message(tmp_path, b'{"rows": [' + twice + b"]}")


def test_nan_is_absent_in_parquet_and_of_a_needed_field(tmp_path):
    columns = [(key, [value]) for key, value in record().items()]
    assert read(tmp_path, parquet(*columns, ("domain", [float("nan")]))).questions[0].domain == "all"
    assert "has no answer" in message(tmp_path, b"[" + json.dumps(record(answer=float("nan"))).encode() + b"]")


def test_a_parquet_time_zone_that_nobody_knows_is_damage(tmp_path):
    times = pa.array([1], pa.timestamp("s", tz="Nowhere/X"))
    pq.write_table(pa.table({"_id": ["q1"], "length": times}), tmp_path / "q.parquet")
    with pytest.raises(StudyError, match="damaged Parquet data"):
        read_benchmark(tmp_path / "q.parquet", PLAIN)


@pytest.mark.parametrize("field", ["domain", "length"])
def test_an_optional_field_cannot_be_the_gold_answer(cases, field):
    columns = PLAIN.model_copy(update={field: "answer"})
    with pytest.raises(StudyError, match="answer named for two fields"):
        read_benchmark(cases / "gold_text_stands_twice.json", columns)
