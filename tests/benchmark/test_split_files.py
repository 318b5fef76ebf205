"""Listed IDs in every form that they are read in, and what is refused."""

import csv
import io
import json
import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.benchmark.listings import SPLIT_NAMES
from plancheck.benchmark.split_files import read_listings, text_files
from plancheck.plumbing.errors import StudyError
from plancheck.records import SPLITS

IDS = {"train": ["q1", "q 2"], "dev": ["3"], "test": ["q4", "é,5"]}


def in_folder(path, ids):
    path.mkdir()
    for split, names in ids.items():
        (path / f"{split}.txt").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")


def as_lists(path, ids):
    path.write_text(json.dumps(ids), encoding="utf-8")


def as_names(path, ids):
    path.write_text(json.dumps({name: split for split, names in ids.items() for name in names}), encoding="utf-8")


def as_words(path, ids, between=" "):
    lines = [f"{name}{between}{split}\n" for split, names in ids.items() for name in names]
    path.write_text("".join(lines), encoding="utf-8", newline="")


def as_table(path, ids, delimiter=","):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter="\t" if path.suffix == ".tsv" else delimiter)
    writer.writerows([name, split] for split, names in ids.items() for name in names)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")


FORMS = {
    "a folder": ("ids", in_folder),
    "lists by split": ("ids.json", as_lists),
    "splits by ID": ("ids.JSON", as_names),
    "words": ("ids.txt", as_words),
    "words after a tab": ("ids.txt", lambda path, ids: as_words(path, ids, "\t")),
    "values": ("ids.txt", lambda path, ids: as_words(path, ids, ", ")),
    "CSV": ("ids.csv", as_table),
    "CSV with semicolons": ("ids.csv", lambda path, ids: as_table(path, ids, ";")),
    "TSV": ("ids.tsv", as_table),
}


def read(path):
    found = {split: [] for split in SPLITS}
    for listing in read_listings(path):
        found[listing.split].append(listing.question_id)
    return found


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_the_same(form, tmp_path):
    name, write = FORMS[form]
    write(tmp_path / name, IDS)
    assert read(tmp_path / name) == IDS


# One line of text; no white space at its ends, which text cannot tell from the line's own, and no byte order mark.
IDENTIFIERS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="\t", exclude_characters="\ufeff"),
    min_size=1,
    max_size=12,
).filter(lambda name: name == name.strip() and not name.endswith(","))


@given(
    split_of=st.dictionaries(IDENTIFIERS, st.sampled_from(SPLITS), min_size=1, max_size=12),
    form=st.sampled_from(sorted(FORMS)),
)
def test_any_split_written_in_any_form_reads_back_the_same(split_of, form, tmp_path_factory):
    ids = {split: [name for name, of in split_of.items() if of == split] for split in SPLITS}
    name, write = FORMS[form]
    path = tmp_path_factory.mktemp("split") / name
    write(path, ids)
    assert read(path) == ids


@pytest.mark.parametrize("said", [*SPLIT_NAMES, "Validation", " DEV ", "Ｔｅｓｔ"])
def test_a_split_is_known_by_its_usual_names_in_any_case(said, tmp_path):
    path = tmp_path / "ids.json"
    path.write_text(json.dumps({"q1": said}))
    (listing,) = read_listings(path)
    assert listing.split == SPLIT_NAMES[{"ｔｅｓｔ": "test"}.get(said.strip().lower(), said.strip().lower())]


def test_marks_line_ends_empty_lines_and_headings_say_nothing(tmp_path):
    text = "\ufeffquestion_id\tsplit\r\n\r\n  q 1\ttrain  \r\n\n#2\tdev\rx\ttest"
    for name in ("ids.tsv", "ids.txt"):
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
        assert read(tmp_path / name) == {"train": ["q 1"], "dev": ["#2"], "test": ["x"]}


def test_what_plancheck_itself_wrote_is_read_and_whole_numbers_are_ids(tmp_path):
    path = tmp_path / "splits.json"
    made = {"seed": 7, "source": None, "group_by": "none"}
    path.write_text(json.dumps({"train": [1, "q2"], "dev": [], "test": ["q3"], **made}))
    assert read(path) == {"train": ["1", "q2"], "dev": [], "test": ["q3"]}


FORMS_TOLD = "split.path must be a .json object"
REFUSED = {
    "no JSON": ("ids.json", "{", ["not usable as JSON"]),
    "a name twice": ("ids.json", '{"q1": "train", "q1": "test"}', ["several fields called q1"]),
    "a list": ("ids.json", '["q1"]', ["its JSON is no object"]),
    "a stranger among lists": (
        "ids.json",
        '{"train": ["a"], "extra": ["b"], "n": 3}',
        ["'extra': is no", "'n': holds"],
    ),
    "values that are no IDs": (
        "ids.json",
        '{"train": ["a", null, [], " "]}',
        ["train item 2: None", "item 3", "item 4"],
    ),
    "values that are no splits": (
        "ids.json",
        '{"a": "train", "b": 3, "c": "dve"}',
        ["- 'b': 3 is no split\n", "- 'c': 'dve' is no split\n", FORMS_TOLD],
    ),
    "two names of a split": ("ids.json", '{"dev": ["a"], "val": ["b"], "test": ["c"]}', ["dev: dev and val"]),
    "two names in rows": ("ids.txt", "a dev\nb valid\nc DEV\n", ["dev: dev and valid"]),
    "lines that name no split": (
        "ids.csv",
        "a,train\nb,dve\nc,tset\n",
        ["- line 2: 'dve' is no split\n", "- line 3: 'tset' is no split\n", FORMS_TOLD],
    ),
    "a line alone that names no split": ("ids.csv", "a,dve\n", ["line 1: 'dve' is no split"]),
    "a first line without its split": ("ids.csv", "a,\nb,train\nc,test\n", ["line 1: is no ID and a split"]),
    "a first line turned": ("ids.csv", "train,a\nb,train\nc,test\n", ["line 1: 'a' is no split"]),
    "a heading above bad lines": ("ids.csv", "id,subset\na,train\nb,tset\n", ["line 1: 'subset' is", "line 3: 'tset'"]),
    "semicolons and a bad line": ("ids.csv", "a,1;train\nb,2;tset\nc,3;dev\n", ["1 fault(s)", "line 2: 'tset' is"]),
    "semicolons and a quote without an end": ("ids.csv", '"a";train\n"b;dev\n', ["line 2: unexpected end of data"]),
    "lines of an ID": ("ids.txt", "a train\nb\nc,\n d test,\n", ["line 2: is no ID", "line 3: is no ID", "line 4: is"]),
    "more values than two": (
        "ids.csv",
        "a,train\nb,c,test\nd,e,f,dev\n",
        ["line 2: has 3 values, but 2 are wanted: quote an ID that holds the delimiter", "line 3: has 4 values, but 2"],
    ),
    "more values than two by tabs": ("ids.tsv", "a\ttrain\nb\tc\ttest\n", ["line 2: has 3 values, but 2 are wanted"]),
    "a quote without an end": ("ids.csv", 'a,train\n"b,test\n', ["unexpected end of data"]),
    "nothing": ("ids.txt", "\n\n", ["lists no question"]),
    "empty lists": ("ids.json", '{"train": [], "test": []}', ["lists no question"]),
    "another name": ("ids.yaml", "train: [a]", ["no list of splits by its name", "train.txt, dev.txt and test.txt"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_list_of_splits_is_refused_with_all_its_faults(case, tmp_path):
    name, text, expected = REFUSED[case]
    (tmp_path / name).write_text(text)
    with pytest.raises(StudyError) as caught:
        read_listings(tmp_path / name)
    assert str(tmp_path / name) in str(caught.value)
    assert all(part in str(caught.value) for part in expected), str(caught.value)
    assert str(caught.value).count("validation") <= 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ids.csv", "id,subset\nq 1,train\nq2,dev\n"),
        ("ids.csv", "id;subset\nq 1;train\nq2;dev\n"),
        ("ids.csv", ",0\nq 1,train\nq2,dev\n"),
        ("ids.tsv", "id\tsubset\nq 1\ttrain\nq2\tdev\n"),
        ("ids.txt", "id subset\nq 1 train\nq2 dev\n"),
    ],
)
def test_a_first_line_that_names_no_split_above_lines_that_do_is_a_heading_and_is_told(
    name, text, tmp_path, caplog, monkeypatch
):
    monkeypatch.setattr(logging.getLogger("plancheck"), "propagate", True)
    caplog.set_level(logging.INFO, logger="plancheck.split")
    (tmp_path / name).write_text(text)
    assert read(tmp_path / name) == {"train": ["q 1"], "dev": ["q2"], "test": []}
    heading = "id, subset" if text.startswith("id") else ", 0"
    assert set(caplog.messages) == {f"{tmp_path / name}: line 1 is taken as a heading: {heading}"}


@pytest.mark.parametrize("heading", ["", "split,question_id\n", "subset,id\n"])
@pytest.mark.parametrize(("name", "between"), [("ids.csv", ","), ("ids.csv", ";"), ("ids.tsv", "\t"), ("ids.txt", " ")])
def test_columns_the_wrong_way_round_are_told_once(name, between, heading, tmp_path):
    text = f"{heading}train,q1\ndev,q2\ntest,q3\n"
    (tmp_path / name).write_text(text.replace(",", between))
    with pytest.raises(StudyError, match=r"every line has a split's name first\. .* an ID first, then its split\.$"):
        read_listings(tmp_path / name)


def test_commas_are_taken_where_they_fit_whatever_semicolons_the_ids_hold(tmp_path):
    (tmp_path / "ids.csv").write_text("a;b,train\nc;train,dev\n")
    assert read(tmp_path / "ids.csv") == {"train": ["a;b"], "dev": ["c;train"], "test": []}


def test_a_folder_says_which_of_its_texts_are_of_no_split(tmp_path):
    in_folder(tmp_path / "ids", {"train": ["a"], "valid": ["b"], "test": ["c"]})
    assert read(tmp_path / "ids") == {"train": ["a"], "dev": ["b"], "test": ["c"]}
    (tmp_path / "ids" / "readme.txt").touch()
    with pytest.raises(StudyError, match=r"text files of no split:\n  - readme\.txt\n"):
        read_listings(tmp_path / "ids")


def test_a_folders_texts_are_known_in_any_case_and_hidden_files_left_alone(tmp_path):
    in_folder(tmp_path / "ids", {"TEST": ["c"]})
    (tmp_path / "ids" / "Train.TXT").write_text("a\n")
    for hidden in (".notes.txt", "._Train.TXT", ".txt"):
        (tmp_path / "ids" / hidden).write_text("x\n")
    assert read(tmp_path / "ids") == {"train": ["a"], "dev": [], "test": ["c"]}
    assert [file.name for file in text_files(tmp_path / "ids")] == ["TEST.txt", "Train.TXT"]
    (tmp_path / "ids" / "NOTES.TXT").touch()
    with pytest.raises(StudyError, match=r"text files of no split:\n  - NOTES\.TXT\n"):
        read_listings(tmp_path / "ids")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_three_ways_and_in_no_other(end, tmp_path):
    ids = {"train": ["q1", "q\u2028\x0b2"], "dev": ["q3"], "test": ["q4"]}
    in_folder(tmp_path / "ids", {})
    for split, names in ids.items():
        (tmp_path / "ids" / f"{split}.txt").write_text(end.join(names) + end, encoding="utf-8", newline="")
    lines = [f"{name},{split}" for split, names in ids.items() for name in names]
    for name in ("ids.txt", "ids.csv"):
        (tmp_path / name).write_text(end.join(lines), encoding="utf-8", newline="")
    assert [read(tmp_path / name) for name in ("ids", "ids.txt", "ids.csv")] == [ids] * 3


@pytest.mark.parametrize("name", ["ids", "ids.txt", "ids.yaml", "file/ids.txt"])
def test_a_path_that_is_not_there_is_told_before_its_name_is_judged(name, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(
        StudyError, match=r": no such file or folder\. Set split\.path to one that lists question IDs\.$"
    ):
        read_listings(tmp_path / name)


def test_a_path_that_cannot_be_looked_at_is_told(tmp_path):
    with pytest.raises(StudyError, match=r"cannot be read \(File name too long\)"):
        read_listings(tmp_path / ("x" * 1000))


ENCODED = {"utf-16": "UTF-16", "utf-16-le": "UTF-16LE", "utf-16-be": "UTF-16BE", "utf-32": "UTF-32"}


@pytest.mark.parametrize("encoding", ENCODED)
@pytest.mark.parametrize("name", ["ids.txt", "ids.csv", "ids.json", "ids/train.txt"])
def test_another_encoding_is_named(name, encoding, tmp_path):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes('{"é1": "train"}'.encode(encoding))
    with pytest.raises(StudyError) as caught:
        read_listings(tmp_path / Path(name).parts[0])
    assert str(caught.value).startswith(
        f"{path}: is {ENCODED[encoding]} text, but must be UTF-8. Convert it: iconv -f "
    )


def test_bytes_of_no_text_are_told_and_a_nul_in_an_id_is_one(tmp_path):
    path = tmp_path / "ids.txt"
    path.write_bytes(b"q\xe9 train\n")
    with pytest.raises(StudyError, match="invalid UTF-8 at byte 1"):
        read_listings(path)
    path.write_bytes(b"q\x001 train\nq2 test\n")
    assert read(path) == {"train": ["q\x001"], "dev": [], "test": ["q2"]}


FORGED = "q\x1b[2J\nerror: forged\r\x00\u202e\u2028" + "x" * 100_000
FORGING = {
    "an ID of no split": ("ids.json", json.dumps({FORGED: "tset"})),
    "no name of a split": ("ids.json", json.dumps({"q1": FORGED})),
    "a list of no split": ("ids.json", json.dumps({"train": ["a"], FORGED: ["b"]})),
    "no list": ("ids.json", json.dumps({"train": ["a"], FORGED: 3})),
    "no ID": ("ids.json", json.dumps({"train": [[FORGED]]})),
    "a place": ("ids.json", json.dumps({f"train\n{' ' * 100_000}": [None]})),
    "two names of a split": ("ids.json", json.dumps({"dev": ["a"], f"val\n{' ' * 100_000}": ["b"]})),
    "a name twice": ("ids.json", f'{{{json.dumps(FORGED)}: "dev", {json.dumps(FORGED)}: "dev"}}'),
    "a value": ("ids.csv", f'q1,"{FORGED}"\n'),
    "two names in rows": ("ids.csv", f'q1,dev\nq2,"VAL\n{" " * 100_000}\u200b"\n'),
}


@pytest.mark.parametrize("case", FORGING)
def test_what_a_file_holds_forges_no_line_of_a_message_and_floods_none(case, tmp_path):
    name, text = FORGING[case]
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    with pytest.raises(StudyError) as caught:
        read_listings(tmp_path / name)
    said = str(caught.value).replace(str(tmp_path), "")
    assert all(line.isprintable() for line in said.split("\n")), said
    assert len(said.split("\n")) <= 4 and len(said) < 800


def test_names_of_files_and_headings_forge_no_line(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("plancheck"), "propagate", True)
    caplog.set_level(logging.INFO, logger="plancheck.split")
    in_folder(tmp_path / "ids", {"\x1b[2J\nx": ["a"]})
    with pytest.raises(StudyError, match=r"\n  - '\\x1b\[2J\\nx\.txt'\nKeep"):
        read_listings(tmp_path / "ids")
    (tmp_path / "ids.csv").write_text('"id\n\x1b",subset\nq1,train\n')
    read_listings(tmp_path / "ids.csv")
    assert set(caplog.messages) == {f"{tmp_path / 'ids.csv'}: line 1 is taken as a heading: 'id\\n\\x1b', subset"}
