import sqlite3
import subprocess
import sys
import threading
import time

import pytest

from plancheck.backends.cache import GenerationCache
from plancheck.plumbing.errors import StudyError


def test_replies_come_back_from_a_later_cache_on_the_same_file(tmp_path):
    with GenerationCache(tmp_path / "c.sqlite") as cache:
        cache.put({"a": {"text": "é"}, "b": {"x": [0.1, -2.5]}})
    with GenerationCache(tmp_path / "c.sqlite") as cache:
        assert cache.get(["a", "b", "c"]) == {"a": {"text": "é"}, "b": {"x": [0.1, -2.5]}}
        assert len(cache) == 2


def test_the_first_reply_of_a_key_stays(tmp_path):
    with GenerationCache(tmp_path / "c.sqlite") as cache:
        cache.put({"a": {"n": 1}})
        cache.put({"a": {"n": 2}})
        assert cache.get(["a"]) == {"a": {"n": 1}}


def test_many_threads_can_write_at_once(tmp_path):
    def write(number):
        with GenerationCache(tmp_path / "c.sqlite") as cache:
            for item in range(20):
                cache.put({f"{number}-{item}": {"n": item}})

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

    with GenerationCache(tmp_path / "c.sqlite") as cache:
        assert len(cache) == 80


def test_replies_put_before_kill_9_are_there_afterwards(tmp_path):
    code = (
        "import os, signal, sys; from pathlib import Path; from plancheck.backends.cache import GenerationCache;"
        "cache = GenerationCache(Path(sys.argv[1])); cache.put({'a': {'n': 1}}); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "c.sqlite")], check=False)

    with GenerationCache(tmp_path / "c.sqlite") as cache:
        assert cache.get(["a"]) == {"a": {"n": 1}}


def test_a_damaged_file_names_itself_and_the_remedy(tmp_path):
    (tmp_path / "c.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(StudyError, match=r"c\.sqlite: the generation cache cannot be used.*delete it"):
        GenerationCache(tmp_path / "c.sqlite")


def test_a_planted_reply_is_read_as_json_or_refused(tmp_path):
    with GenerationCache(tmp_path / "c.sqlite"):
        pass
    with sqlite3.connect(tmp_path / "c.sqlite") as connection:
        connection.execute("INSERT INTO replies VALUES ('a', ?, 0)", (b"\x80\x04K\x01.",))  # a pickle
    with GenerationCache(tmp_path / "c.sqlite") as cache, pytest.raises(StudyError, match="delete it"):
        cache.get(["a"])


def test_a_reply_keeps_the_time_when_it_was_first_given(tmp_path):
    before = int(time.time())
    with GenerationCache(tmp_path / "c.sqlite") as cache:
        cache.put({"a": {}})
        first = cache.made(["a", "unknown"])
        assert before <= first["a"] <= time.time() and set(first) == {"a"}
    with sqlite3.connect(tmp_path / "c.sqlite") as connection:
        connection.execute("UPDATE replies SET made = 5")
    with GenerationCache(tmp_path / "c.sqlite") as cache:
        cache.put({"a": {}})
        assert cache.made(["a"]) == {"a": 5}


def test_the_time_of_a_reply_in_an_older_file_is_not_known(tmp_path):
    with sqlite3.connect(tmp_path / "c.sqlite") as connection:
        connection.execute("CREATE TABLE replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL)")
        connection.execute("INSERT INTO replies VALUES ('a', '{}')")
    with GenerationCache(tmp_path / "c.sqlite") as cache:
        assert (cache.get(["a"]), cache.made(["a"])) == ({"a": {}}, {"a": 0})
