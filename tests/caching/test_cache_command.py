"""`plancheck cache` on real files, from the command line's side."""

import json
import sqlite3
import time
import tracemalloc
from pathlib import Path

import pytest
from typer.testing import CliRunner

from plancheck import cli
from plancheck.backends.cache import GenerationCache
from plancheck.backends.cache_file import checksum, connect
from plancheck.caching.pruning import bytes_of
from plancheck.caching.transfer import Problems, rows_of
from plancheck.plumbing.errors import StudyError

CACHE = Path(".plancheck/generations.sqlite")
DAY = 86_400
SCORED = {"log_likelihoods": [-1.5, -0.1], "usage": {"prompt_tokens": 3, "reply_tokens": None, "requests": 1}}
SAID = {"text": "B", "ends": [1], "letters": [[-0.5, None]]}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLANCHECK_CACHE", raising=False)
    return tmp_path


def key(number):
    return f"{number:064x}"


def fill(replies=None, *, stage="answer", model="tiny 1", path=CACHE):
    with GenerationCache(path) as cache:
        cache.of(stage, model).put(replies or {key(1): SCORED, key(2): SAID})


def aged(days, *, where="1"):
    with sqlite3.connect(CACHE) as connection:
        connection.execute(f"UPDATE replies SET made = made - ?1, used = used - ?1 WHERE {where}", (days * DAY,))
    connection.close()


def cache(*arguments):
    ended = CliRunner().invoke(cli.app, ["cache", *map(str, arguments)])
    if ended.exception is not None and not isinstance(ended.exception, SystemExit):
        raise ended.exception
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def known(path=CACHE):
    connection = connect(path)
    rows = connection.execute("SELECT key, reply FROM replies ORDER BY key").fetchall()
    connection.close()
    return {name: json.loads(reply) for name, reply in rows}


def test_info_says_how_much_there_is_by_stage_and_model():
    fill()
    fill({key(number): SAID for number in range(10, 13)}, stage="mine", model="other 2")
    aged(3, where="stage = 'mine'")
    found = json.loads(cache("info", "--json"))
    days = [time.strftime("%Y-%m-%d", time.gmtime(time.time() - age * DAY)) for age in (0, 3)]
    assert found["replies"] == 5
    assert found["size_bytes"] >= CACHE.stat().st_size
    assert [
        tuple(part[name] for name in ("stage", "model", "replies", "newest", "last_used")) for part in found["parts"]
    ] == [
        ("answer", "tiny 1", 2, days[0], days[0]),
        ("mine", "other 2", 3, days[1], days[1]),
    ]
    lines = cache("info").splitlines()
    assert lines[0].startswith(".plancheck/generations.sqlite: 5 replies, ")
    assert lines[3].split()[:4] == ["mine", "other", "2", "3"]


@pytest.mark.parametrize("command", [["info"], ["verify"], ["prune", "--days", "1"], ["export", "x"]])
def test_without_a_cache_every_command_but_import_says_so_and_makes_none(command):
    with pytest.raises(StudyError, match=r"generations\.sqlite: no such file"):
        cache(*command)
    assert not CACHE.parent.exists()


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (["--days", "5"], [1, 3, 4]),
        (["--days", "0"], []),
        (["--stage", "mine"], [1, 2]),
        (["--model", "tiny"], [4]),
        (["--stage", "mine", "--model", "other"], [1, 2, 3]),
        (["--stage", "answer", "--days", "5"], [1, 3, 4]),
        (["--size", "1 GB"], [1, 2, 3, 4]),
        (["--size", "0"], []),
        (["--size", "0", "--stage", "mine"], [1, 2]),
    ],
)
def test_prune_removes_what_all_conditions_name(options, kept):
    fill({key(1): SAID, key(2): SAID})
    fill({key(3): SAID}, stage="mine")
    fill({key(4): SAID}, stage="mine", model="other 2")
    aged(9, where=f"key = '{key(2)}'")
    said = cache("prune", *options)
    assert list(known()) == [key(number) for number in kept]
    assert f"{4 - len(kept)} replies removed, {len(kept)} kept" in said


def test_a_bound_of_the_size_holds_and_the_replies_used_last_stay():
    fill({key(number): {"text": "x" * (number % 300)} for number in range(2_000)})
    aged(2)
    used = [key(number) for number in range(0, 2_000, 9)]
    with GenerationCache() as own:
        own.get(used)
    cache("prune", "--size", "200KB")
    assert 100_000 < CACHE.stat().st_size <= 200_000
    assert set(used) <= set(known())


def test_a_clock_that_was_set_back_makes_nothing_older():
    fill()
    now = time.time()
    with pytest.MonkeyPatch.context() as patch, GenerationCache() as own:
        patch.setattr("plancheck.backends.cache.time.time", lambda: now - 1_000 * DAY)
        assert len(own.get([key(1), key(2)])) == 2
        own.put({key(3): SAID})
    cache("prune", "--days", "30")
    assert list(known()) == [key(1), key(2)]


@pytest.mark.parametrize("size", ["much", "-1", "5 TB", "1e3"])
def test_a_size_that_is_none_is_refused(size):
    with pytest.raises(StudyError, match="--size"):
        bytes_of(size)


def test_prune_without_a_condition_removes_nothing():
    fill()
    with pytest.raises(StudyError, match="--size, --days, --stage or --model"):
        cache("prune")
    assert len(known()) == 2


def test_verify_names_damaged_replies_which_the_next_run_does_not_know():
    fill()
    assert "2 replies, all of them sound" in cache("verify")
    with sqlite3.connect(CACHE) as connection:
        connection.execute("UPDATE replies SET reply = replace(reply, '-1.5', '-1.6')")
    connection.close()
    with pytest.raises(
        StudyError, match=rf"1 of 2 replies .*\n  - {key(1)} \(stage answer, model tiny 1\)\nThe next run"
    ):
        cache("verify")
    with GenerationCache() as own:
        assert list(own.get([key(1), key(2)])) == [key(2)]
    assert "1 replies, all of them sound" in cache("verify")


def test_verify_finds_a_damaged_page_and_changes_nothing():
    fill({key(number): SAID for number in range(500)})
    content = bytearray(CACHE.read_bytes())
    content[4096 * 9 : 4096 * 10] = b"\xff" * 4096
    CACHE.write_bytes(content)
    with pytest.raises(StudyError, match=r"is damaged .*The next run puts what can be read of it into a new file"):
        cache("verify")
    assert CACHE.read_bytes() == content


def test_what_is_exported_is_imported_elsewhere_and_exported_in_the_same_bytes(monkeypatch):
    fill()
    fill({key(3): {"text": 'é "\n\ud800'}}, stage="plan", model="tiny 1 + planner")
    cache("export", "first.jsonl")
    monkeypatch.setenv("PLANCHECK_CACHE", "elsewhere.sqlite")
    assert "3 replies added, 0 were known" in cache("import", "first.jsonl")
    assert "0 replies added, 3 were known" in cache("import", "first.jsonl")
    cache("export", "second.jsonl")
    assert known(Path("elsewhere.sqlite")) == known()
    assert Path("second.jsonl").read_bytes() == Path("first.jsonl").read_bytes()
    cache("export", "-", "--stage", "plan")
    with pytest.raises(StudyError, match="--force"):
        cache("export", "second.jsonl")


def test_a_damaged_reply_is_not_exported_and_an_imported_one_takes_its_place():
    fill()
    cache("export", "whole.jsonl")
    whole = known()
    with sqlite3.connect(CACHE) as connection:
        connection.execute("UPDATE replies SET reply = '{}' WHERE key = ?", (key(1),))
    connection.close()
    cache("export", "sound.jsonl")
    assert [name in Path("sound.jsonl").read_text() for name in (key(1), key(2))] == [False, True]
    cache("import", "whole.jsonl")
    assert known() == whole


@pytest.mark.parametrize(
    ("rule", "text"), [(None, "B"), ("refuse", "B"), ("keep", "B"), ("replace", "C")], ids=lambda value: str(value)
)
def test_another_reply_to_the_same_question_is_told_and_refused_or_kept_by_rule(rule, text):
    fill({key(1): SAID, key(3): SAID})
    fill({key(1): {"text": "C"}, key(2): SAID, key(3): SAID}, path=Path("other.sqlite"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLANCHECK_CACHE", "other.sqlite")
        cache("export", "other.jsonl")
    options = ["--on-conflict", rule] if rule else []
    if rule in (None, "refuse"):
        with pytest.raises(StudyError, match=rf"1 replies are other .*\n  - {key(1)} \(answer, tiny 1\)") as told:
            cache("import", "other.jsonl", *options)
        assert "Nothing was imported" in str(told.value)
        assert list(known()) == [key(1), key(3)]
    else:
        assert f"1 replies added, 2 were known, 1 of them other than the one here: {rule}" in cache(
            "import", "other.jsonl", *options
        )
        assert list(known()) == [key(1), key(2), key(3)]
    assert known()[key(1)]["text"] == text


def line(number=7, **changes):
    reply = changes.get("reply", SAID)
    row = {"key": key(number), "reply": reply, "stage": "", "model": "", "made": 1, "used": 2}
    text = json.dumps(reply, sort_keys=True)
    return json.dumps(row | {"checksum": checksum(row["key"], text)} | changes)


HEAD = '{"format": "plancheck generations", "version": 1}'
END = '{"replies": 1}'
HOSTILE = {
    "nothing": ("", "its first line is not"),
    "another file": ('{"question_id": "q1"}\n', "its first line is not"),
    "a newer version": (f"{HEAD.replace('1}', '2}')}\n{line()}\n{END}\n", "its first line is not"),
    "a pickle": (b"\x80\x04K\x01.", "its first line is not"),
    "cut inside a line": (f"{HEAD}\n{line()[:50]}", "line 2: is cut off"),
    "cut between lines": (f"{HEAD}\n{line()}\n", "line 2: is not the last that was written"),
    "a line left out": (f"{HEAD}\n{line(1)}\n{line(2)}\n" + '{"replies": 3}\n', "says 3 replies, and 2 came before"),
    "more after the end": (f"{HEAD}\n{line()}\n{END}\n{line(8)}\n", "line 4: comes after the last"),
    "wrong JSON": (f"{HEAD}\n{{broken\n{END}\n", "line 2: is no JSON object"),
    "a name twice": (f'{HEAD}\n{line()[:-1]}, "key": "{key(8)}"}}\n{END}\n', "line 2: is no JSON object"),
    "nested deep": (f"{HEAD}\n{'[' * 100_000}\n{END}\n", "line 2: is no JSON object"),
    "bytes that are no text": (HEAD.encode() + b"\n\xff\xfe\n" + END.encode() + b"\n", "line 2: is no JSON object"),
    "a key that is none": (f"{HEAD}\n{line(key='../../etc')}\n{END}\n", "line 2: key must be 64 hex digits"),
    "a missing name": (f'{HEAD}\n{{"key": "{key(7)}"}}\n{END}\n', "line 2: must hold checksum, key"),
    "keys that do not ascend": (
        f"{HEAD}\n{line(8)}\n{line(7)}\n" + '{"replies": 2}\n',
        "line 3: its key does not come",
    ),
    "a key twice": (f"{HEAD}\n{line()}\n{line()}\n" + '{"replies": 2}\n', "line 3: its key does not come"),
    "another checksum": (f"{HEAD}\n{line(checksum='0' * 16)}\n{END}\n", "line 2: is not what was exported"),
    "a reply of another form": (f"{HEAD}\n{line(reply={'text': 5})}\n{END}\n", r"line 2: reply\.text"),
    "a reply without content": (f"{HEAD}\n{line(reply={})}\n{END}\n", r"line 2: reply\.text"),
    "scores that are texts": (f"{HEAD}\n{line(reply={'log_likelihoods': ['0']})}\n{END}\n", "log_likelihoods"),
    "a time that is none": (f"{HEAD}\n{line(used=2**80)}\n{END}\n", "line 2: made and used"),
    "a label that is none": (f"{HEAD}\n{line(model='x' * 2_000)}\n{END}\n", "line 2: stage and model"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_was_not_exported_so_is_refused_and_nothing_is_imported(name):
    content, message = HOSTILE[name]
    fill({key(1): SCORED})
    Path("bad.jsonl").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(StudyError, match=message) as told:
        cache("import", "bad.jsonl")
    assert str(told.value).startswith("bad.jsonl: ")
    assert known() == {key(1): SCORED}


def test_all_that_is_wrong_is_told_at_once():
    Path("bad.jsonl").write_text("\n".join([HEAD, *(["{}"] * 30), '{"replies": 30}', ""]))
    with pytest.raises(StudyError, match=r"(?s)line 2: must hold.*line 21: must hold.*and 10 more \(30 in all\)"):
        cache("import", "bad.jsonl")


@pytest.mark.parametrize("name", ["gone", "."])
def test_a_file_that_cannot_be_read_is_told(name):
    with pytest.raises(StudyError, match=r"cannot be read|no regular file"):
        cache("import", name)


def test_a_line_without_end_is_read_no_further(monkeypatch):
    monkeypatch.setattr("plancheck.caching.transfer.MAX_LINE_BYTES", 1_000)
    Path("bad.jsonl").write_text(f"{HEAD}\n{'x' * 5_000_000}")
    with pytest.raises(StudyError, match="line 2: is cut off, or longer than 1,000 bytes"):
        cache("import", "bad.jsonl")


def test_lines_are_held_one_at_a_time():
    def traced(count):
        with Path("many.jsonl").open("w") as file:
            file.writelines(
                f"{text}\n" for text in (HEAD, *map(line, range(1, count + 1)), json.dumps({"replies": count}))
            )
        problems = Problems()
        tracemalloc.start()
        assert sum(1 for _ in rows_of(Path("many.jsonl"), problems)) == count
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert problems.count == 0
        return peak

    traced(10)  # what is made once
    assert traced(3_000) < traced(300) + 50_000
