"""The generation cache: what it keeps, and what becomes of damage."""

import logging
import sqlite3
import subprocess
import sys
import threading
import time

import pytest

from plancheck.backends.cache import GenerationCache
from plancheck.plumbing.errors import StudyError


@pytest.fixture
def path(tmp_path):
    return tmp_path / "c.sqlite"


def changed(path, statement, *values):
    with sqlite3.connect(path) as connection:
        connection.execute(statement, values)
    connection.close()


def key(number):
    return f"{number:064x}"


def filled(path, count=400):
    with GenerationCache(path) as cache:
        cache.put({key(number): {"text": f"reply {number}"} for number in range(count)})
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def test_replies_come_back_from_a_later_cache_on_the_same_file(path):
    with GenerationCache(path) as cache:
        cache.put({"a": {"text": "é"}, "b": {"x": [0.1, -2.5]}})
    with GenerationCache(path) as cache:
        assert cache.get(["a", "b", "c"]) == {"a": {"text": "é"}, "b": {"x": [0.1, -2.5]}}
        assert len(cache) == 2


def test_the_first_reply_of_a_key_stays(path):
    with GenerationCache(path) as cache:
        cache.put({"a": {"n": 1}})
        cache.put({"a": {"n": 2}})
        assert cache.get(["a"]) == {"a": {"n": 1}}


def test_the_variable_names_another_file(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLANCHECK_CACHE", "elsewhere/c.sqlite")
    with GenerationCache() as cache:
        cache.put({"a": {"n": 1}})
    assert (tmp_path / "elsewhere/c.sqlite").is_file()
    assert not (tmp_path / ".plancheck").exists()


def test_many_threads_can_write_at_once(path):
    def write(number):
        with GenerationCache(path) as cache:
            for item in range(20):
                cache.put({f"{number}-{item}": {"n": item}})

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

    with GenerationCache(path) as cache:
        assert len(cache) == 80


WRITING = """
import sys
from pathlib import Path
from plancheck.backends.cache import GenerationCache
with GenerationCache(Path(sys.argv[1])) as cache:
    for item in range(100):
        cache.put({f"both-{item}": {"by": sys.argv[2]}, f"{sys.argv[2]}-{item}": {"n": item}})
        found = cache.get([f"both-{other}" for other in range(item + 1)])
        assert len(found) == item + 1
"""


def test_two_processes_at_once_lose_nothing_and_see_one_reply_a_key(path):
    writers = [subprocess.Popen([sys.executable, "-c", WRITING, str(path), name]) for name in ("one", "two")]
    assert [writer.wait() for writer in writers] == [0, 0]

    with GenerationCache(path) as cache:
        assert len(cache) == 300
        assert {reply["by"] for reply in cache.get([f"both-{item}" for item in range(100)]).values()} <= {"one", "two"}


def test_replies_put_before_kill_9_are_there_afterwards(path):
    code = (
        "import os, signal, sys; from pathlib import Path; from plancheck.backends.cache import GenerationCache;"
        "cache = GenerationCache(Path(sys.argv[1])); cache.put({'a': {'n': 1}}); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=False)

    with GenerationCache(path) as cache:
        assert cache.get(["a"]) == {"a": {"n": 1}}


def test_replies_of_an_older_cache_are_known(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL)")
        connection.execute("""INSERT INTO replies VALUES ('a', '{"n": 1}'), ('b', x'80044b012e')""")  # a pickle
    connection.close()

    with GenerationCache(path) as cache:
        assert cache.get(["a", "b"]) == {"a": {"n": 1}}
    with GenerationCache(path) as cache:
        assert len(cache) == 1


def test_a_cache_of_a_newer_version_is_refused(path):
    filled(path, 1)
    changed(path, "PRAGMA user_version = 99")
    with pytest.raises(StudyError, match=r"c\.sqlite: was made by a newer plancheck"):
        GenerationCache(path)


@pytest.mark.parametrize(
    "damage",
    [b"\x80\x04K\x01.", '{"text": "reply 8"}', '{"text": "repl', "5"],
    ids=["a pickle", "another reply", "half a reply", "no object"],
)
def test_a_damaged_reply_is_unknown_and_the_next_one_takes_its_place(path, damage, caplog):
    filled(path, 9)
    changed(path, "UPDATE replies SET reply = ? WHERE key = ?", damage, key(7))
    with GenerationCache(path) as cache, caplog.at_level(logging.WARNING):
        found = cache.get([key(number) for number in range(9)])
        assert set(found) == {key(number) for number in range(9)} - {key(7)}
        cache.put({key(7): {"text": "again"}})
        assert cache.get([key(7)]) == {key(7): {"text": "again"}}
    assert "1 replies are damaged and are asked again" in caplog.text


def overwritten(path, at):
    with path.open("r+b") as file:
        file.seek(at)
        file.write(b"\xff" * 4096)


DAMAGES = {  # what is done to a file of 400 replies, and how many of them survive at least
    "no database": (lambda path: path.write_bytes(b"no database" * 1000), 0),
    "its head": (lambda path: overwritten(path, 0), 0),
    "a page in the middle": (lambda path: overwritten(path, path.stat().st_size // 8192 * 4096), 300),
    "cut in half": (lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 8192 * 4096]), 50),
    "empty": (lambda path: path.write_bytes(b""), 0),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_file_is_set_aside_and_what_is_readable_of_it_is_known(path, name):
    damage, least = DAMAGES[name]
    filled(path)
    damage(path)
    asked = {key(number): {"text": f"reply {number}"} for number in range(400)}

    with GenerationCache(path) as cache:
        known = cache.get(list(asked))
        cache.put({name: reply for name, reply in asked.items() if name not in known})
        assert cache.get(list(asked)) == asked
    assert known.items() <= asked.items()
    assert len(known) >= least
    with GenerationCache(path) as cache:
        assert len(cache) == 400
    assert path.with_name("c.sqlite.damaged").exists() == (name != "empty")


def test_a_process_that_meets_what_another_has_mended_reads_the_new_file(path):
    filled(path)
    keys = [key(number) for number in range(400)]
    with GenerationCache(path) as one, GenerationCache(path) as other:
        overwritten(path, path.stat().st_size // 8192 * 4096)
        known = one.get(keys)
        one.put({name: {"text": "again"} for name in keys if name not in known})
        assert len(other.get(keys)) == 400
        other.put({"last": {"n": 1}})
    with GenerationCache(path) as cache:
        assert len(cache) == 401


def test_a_network_file_system_is_refused_with_the_remedy(path, monkeypatch):
    monkeypatch.setattr("plancheck.backends.cache_file.network_file_system", lambda _: "nfs4")
    with pytest.raises(StudyError, match=r"network file system \(nfs4\).*export PLANCHECK_CACHE="):
        GenerationCache(path)
    assert not path.exists()


def test_a_place_that_cannot_be_written_is_the_users_to_mend(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StudyError, match=r"the generation cache cannot be used .*permissions"):
        GenerationCache(tmp_path / "file" / "c.sqlite")


def test_a_reply_keeps_the_time_when_it_was_first_given(path):
    before = int(time.time())
    with GenerationCache(path) as cache:
        cache.put({"a": {}}, stage="answer")
        first = cache.made(["a", "unknown"])
        assert before <= first["a"] <= time.time() and set(first) == {"a"}
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE replies SET made = 5")
    connection.close()
    with GenerationCache(path) as cache:
        cache.put({"a": {}}, stage="answer")
        assert cache.made(["a"]) == {"a": 5}


def test_the_time_of_a_reply_in_an_older_file_is_not_known(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL)")
        connection.execute("INSERT INTO replies VALUES ('a', '{}')")
    connection.close()
    with GenerationCache(path) as cache:
        assert (cache.get(["a"]), cache.made(["a"])) == ({"a": {}}, {"a": 0})
