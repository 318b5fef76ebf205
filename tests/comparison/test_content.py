"""Packed files of results, and texts that are no UTF-8."""

import bz2
import gzip
import lzma
import subprocess
import sys
import textwrap
import zipfile

import pyarrow as pa
import pytest

TEXT = b'{"id": "a", "score": 1}\n{"id": "b", "score": 0}\n'


def zstandard(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


PACK = {"gz": gzip.compress, "zst": zstandard, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("pack", PACK)
def test_a_packed_file_is_read(figures, tmp_path, pack):
    path = tmp_path / f"results.jsonl.{pack}"
    path.write_bytes(PACK[pack](TEXT))
    assert figures(path, path)["treatment"]["correct"] == 1


@pytest.mark.parametrize("pack", PACK)
def test_parts_packed_one_after_the_other_are_all_read(figures, tmp_path, pack):
    path = tmp_path / "results"
    path.write_bytes(b"".join(PACK[pack](line) for line in TEXT.splitlines(keepends=True)))
    assert figures(path, path)["questions"] == 2


@pytest.mark.parametrize("pack", PACK)
def test_damage_and_double_packing_are_named(compare, tmp_path, pack):
    path = tmp_path / "results"
    path.write_bytes(PACK[pack](TEXT)[:-10])
    status, _, err = compare(path, path)
    assert status == 1 and "damaged" in err and str(path) in err
    path.write_bytes(PACK[pack](gzip.compress(TEXT)))
    status, _, err = compare(path, path)
    assert status == 1 and "packed twice" in err and "gzip" in err


def test_an_archive_of_another_kind_is_named(compare, tmp_path):
    path = tmp_path / "results.csv.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("results.csv", "id,score")
    status, _, err = compare(path, path)
    assert status == 1 and "ZIP archive without samples" in err and "unpack any other archive" in err


def test_utf16_without_a_mark_is_named(compare, tmp_path):
    path = tmp_path / "results"
    path.write_bytes(TEXT.decode().encode("utf-16-le"))
    status, _, err = compare(path, path)
    assert status == 1 and "UTF-16 without a byte order mark" in err


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited by what Linux tells of it")
def test_a_file_beyond_memory_is_told_in_words(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_text('{"id": "a", "score": 1, "reply": "' + "\U0001f600" * 30_000_000 + '"}\n')
    program = """
        import resource, sys
        from pathlib import Path
        from plancheck.comparison.files import Selection, compare_files
        from plancheck.plumbing.errors import StudyError

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + 200_000_000
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        try:
            compare_files(Path(sys.argv[1]), Path(sys.argv[1]), selection_a=Selection(), selection_b=Selection())
        except StudyError as error:
            print(error)
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), path], capture_output=True, text=True, check=False
    )
    assert "does not fit into memory" in ran.stdout and str(path) in ran.stdout, ran.stderr
