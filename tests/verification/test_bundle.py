"""Bundles made to do harm: refused with what is wrong, in bounded time and memory, and nothing outside is touched."""

import gzip
import io
import os
import struct
import tarfile
import tracemalloc
import zipfile

import pytest

from plancheck.plumbing.errors import StudyError
from plancheck.release import unpacking as reading
from plancheck.release.unpacking import copy_bundle


def plain(name, data=b"x"):
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    return entry, data


def special(name, kind, target=""):
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, target
    return entry, b""


def tar(path, *entries, form=tarfile.PAX_FORMAT):
    with tarfile.open(path, "w:gz", format=form, encoding="utf-8", errors="surrogateescape") as archive:
        for entry, data in entries:
            archive.addfile(entry, io.BytesIO(data))
    return path


def zipped(path, *entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, data in entries:
            archive.writestr(entry, data)
    return path


def zip_entry(name, mode=0o100644):
    entry = zipfile.ZipInfo(name)
    entry.external_attr, entry.compress_type = mode << 16, zipfile.ZIP_DEFLATED
    return entry


BAD_NAMES = {
    "upwards": "../evil",
    "upwards inside": "a/../../evil",
    "absolute": "/tmp/evil",
    "home": "~/evil",
    "drive": "C:\\evil",
    "backslash": "a\\..\\evil",
    "empty part": "a//b",
    "hidden": ".git/config",
    "dot": "a/./b",
    "not ASCII": "täbles.csv",
    "right to left": "a\u202etxt.exe",
    "new line": "a\nb",
    "option": "-rf",
    "long": "a" * 300,
    "deep": "a/" * 150 + "b",
}


@pytest.mark.parametrize("name", BAD_NAMES.values(), ids=BAD_NAMES)
@pytest.mark.parametrize("pack", ["tar", "zip"])
def test_a_name_that_leads_elsewhere_or_looks_otherwise_is_refused(name, pack, tmp_path):
    if pack == "tar":
        path = tar(tmp_path / "b.tar.gz", plain("SHA256SUMS"), plain(name))
    else:
        path = zipped(tmp_path / "b.zip", ("SHA256SUMS", b""), (zip_entry(name), b"x"))
    refused(path, tmp_path, "is no safe name")


def refused(path, tmp_path, *told):
    folder = tmp_path / "copied"
    folder.mkdir()
    before = {entry for entry in tmp_path.rglob("*") if not entry.is_relative_to(folder)}
    with pytest.raises(StudyError) as caught:
        copy_bundle(path, folder)
    for words in (path.name, *told):
        assert words in str(caught.value)
    assert {entry for entry in tmp_path.rglob("*") if not entry.is_relative_to(folder)} == before
    assert all(entry.is_dir() or not entry.is_symlink() for entry in folder.rglob("*"))


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        (tarfile.SYMTYPE, "/etc/passwd"),
        (tarfile.SYMTYPE, "../.."),
        (tarfile.LNKTYPE, "/etc/passwd"),
        (tarfile.LNKTYPE, "SHA256SUMS"),
        (tarfile.CHRTYPE, ""),
        (tarfile.BLKTYPE, ""),
        (tarfile.FIFOTYPE, ""),
    ],
)
def test_links_devices_and_pipes_of_a_tar_are_refused(kind, target, tmp_path):
    path = tar(tmp_path / "b.tar.gz", plain("SHA256SUMS"), special("a", kind, target), plain("a/b"))
    refused(path, tmp_path, "a: is no plain file")


def test_a_file_below_a_link_is_not_written_through_it(tmp_path):
    (tmp_path / "outside").mkdir()
    path = tar(tmp_path / "b.tar.gz", special("a", tarfile.SYMTYPE, str(tmp_path / "outside")), plain("a/evil"))
    refused(path, tmp_path, "a: is no plain file")


@pytest.mark.parametrize("mode", [0o120777, 0o020666, 0o060666, 0o010644])
def test_links_devices_and_pipes_of_a_zip_are_refused(mode, tmp_path):
    path = zipped(tmp_path / "b.zip", ("SHA256SUMS", b""), (zip_entry("a", mode), b"/etc/passwd"))
    refused(path, tmp_path, "a: is no plain file")


def test_links_and_pipes_of_a_folder_are_refused(tmp_path):
    folder = tmp_path / "b"
    folder.mkdir()
    (folder / "SHA256SUMS").write_text("")
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "folder").symlink_to("/etc")
    os.mkfifo(folder / "pipe")
    refused(folder, tmp_path, "link: is no plain file", "folder: is no plain file", "pipe: is no plain file")


@pytest.mark.parametrize("names", [("a", "a"), ("a", "./a"), ("a", "A"), ("d/a", "D/a")])
@pytest.mark.parametrize("pack", ["tar", "zip"])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_that_come_twice_or_differ_in_case_alone_are_refused(names, pack, tmp_path):
    if pack == "tar":
        path = tar(tmp_path / "b.tar.gz", *map(plain, names))
    else:
        path = zipped(tmp_path / "b.zip", *((zip_entry(name), b"x") for name in names))
    refused(path, tmp_path, "comes twice" if names[0] == names[1].removeprefix("./") else f"is also {names[0]}")


def test_a_name_that_is_no_utf_8_is_refused(tmp_path):
    path = tar(tmp_path / "b.tar.gz", plain("a\udcff"), form=tarfile.GNU_FORMAT)
    refused(path, tmp_path, "is no safe name")


def measured(path, tmp_path, *told):
    """Refused without holding much of what it unpacks to."""
    tracemalloc.start()
    refused(path, tmp_path, *told)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 250 << 20


def zeros(count):
    chunk = bytes(1 << 20)
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=1) as packed:
        for _ in range(count):
            packed.write(chunk)
    return buffer.getvalue()


def bomb(path, header, megabytes):
    """A .tar.gz whose one entry is so many megabytes of zeros, a few kilobytes packed each."""
    path.write_bytes(gzip.compress(header, 1) + zeros(megabytes))
    return path


@pytest.mark.parametrize("declared", [80 << 20, 8 << 40])
def test_a_tar_that_unpacks_to_too_much_is_refused(declared, tmp_path):
    """As large as it says, or saying that it is much larger still."""
    entry = tarfile.TarInfo("a")
    entry.size = declared
    measured(bomb(tmp_path / "b.tar.gz", entry.tobuf(tarfile.GNU_FORMAT), 130), tmp_path, "unpacks to more than")


def test_a_tar_whose_header_is_a_bomb_is_refused(tmp_path):
    """tarfile holds the extended headers of an entry in memory."""
    entry = tarfile.TarInfo("a")
    entry.type, entry.size = tarfile.XHDTYPE, 120 << 20
    measured(bomb(tmp_path / "b.tar.gz", entry.tobuf(tarfile.USTAR_FORMAT), 130), tmp_path, "b.tar.gz")


@pytest.mark.parametrize("says", [None, 10])
def test_a_zip_that_unpacks_to_too_much_is_refused_whatever_it_says(says, tmp_path):
    path = zipped(tmp_path / "b.zip", (zip_entry("a"), bytes(90 << 20)))
    if says is not None:  # the sizes of the local header and of the directory
        data = bytearray(path.read_bytes())
        for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
            data[data.index(mark) + place : data.index(mark) + place + 4] = struct.pack("<I", says)
        path.write_bytes(data)
    measured(path, tmp_path, "b.zip")


def test_more_files_than_any_release_has_are_refused(tmp_path):
    entries = [plain(f"f{number}", b"") for number in range(reading.MOST_FILES + 1)]
    refused(tar(tmp_path / "b.tar.gz", *entries), tmp_path, "more than 1,000 files")


def test_an_archive_in_an_archive_is_a_file_like_any_other(tmp_path):
    inner = tar(tmp_path / "inner.tar.gz", plain("../evil"))
    path = tar(tmp_path / "b.tar.gz", plain("SHA256SUMS"), plain("inner.tar.gz", inner.read_bytes()))
    (tmp_path / "copied").mkdir()
    copy_bundle(path, tmp_path / "copied")
    assert {entry.name for entry in (tmp_path / "copied").iterdir()} == {"SHA256SUMS", "inner.tar.gz"}


@pytest.mark.parametrize("kept", [0, 1, 20, 0.3, 0.6, 0.95, -1])
@pytest.mark.parametrize("pack", ["tar", "zip"])
def test_a_truncated_archive_is_refused(kept, pack, tmp_path):
    data = os.urandom(5000)
    whole = (
        tar(tmp_path / "whole", plain("SHA256SUMS"), plain("a", data))
        if pack == "tar"
        else zipped(tmp_path / "whole", ("SHA256SUMS", b""), ("a", data))
    ).read_bytes()
    path = tmp_path / "b"
    path.write_bytes(whole[: int(kept * len(whole)) if isinstance(kept, float) else kept])
    refused(path, tmp_path)


def test_a_flipped_byte_of_an_archive_is_refused(tmp_path):
    for number, path in enumerate(
        (tar(tmp_path / "t", plain("a", os.urandom(4000))), zipped(tmp_path / "z", ("a", os.urandom(4000))))
    ):
        data = bytearray(path.read_bytes())
        data[2000] ^= 255
        path.write_bytes(data)
        (tmp_path / str(number)).mkdir()
        with pytest.raises(StudyError):
            copy_bundle(path, tmp_path / str(number))


def test_an_encrypted_zip_is_refused(tmp_path):
    path = zipped(tmp_path / "b.zip", ("a", b"x"))
    data = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + place] |= 1
    path.write_bytes(data)
    refused(path, tmp_path, "is encrypted")


@pytest.mark.parametrize("made", ["missing", "text", "pipe", "device"])
def test_what_is_no_bundle_is_refused(made, tmp_path):
    path = tmp_path / "b"
    if made == "text":
        path.write_text("no archive")
    if made == "pipe":
        os.mkfifo(path)
    if made == "device":
        path.symlink_to("/dev/zero")
    refused(path, tmp_path)


def test_a_folder_a_tar_and_a_zip_give_the_same_files_with_or_without_a_top_folder(tmp_path):
    files = {"SHA256SUMS": b"s", "data/a.parquet": b"a", "b+c.json": b"{}"}
    folder = tmp_path / "folder"
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    paths = [folder]
    for top in ("", "bundle/"):
        entries = [plain(f"{top}{name}", data) for name, data in files.items()]
        paths.append(tar(tmp_path / f"{len(paths)}.tar.gz", *entries))
        paths.append(zipped(tmp_path / f"{len(paths)}.zip", *((f"{top}{name}", data) for name, data in files.items())))
    for number, path in enumerate(paths):
        out = tmp_path / f"out{number}"
        out.mkdir()
        copy_bundle(path, out)
        found = {entry.relative_to(out).as_posix(): entry.read_bytes() for entry in out.rglob("*") if entry.is_file()}
        assert found == files
