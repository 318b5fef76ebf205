"""A folder as one file, the same bytes whoever packs it and whenever."""

import gzip
import tarfile
from pathlib import Path

from plancheck.release.sums import files_of


def write_archive(folder: Path, path: Path) -> None:
    """Write a .tar.gz of a folder under the folder's name: files by path, without owners, times or permissions."""
    # gzip's own header would name the file and the time.
    with (
        path.open("wb") as stream,
        gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name in files_of(folder):
            entry = tarfile.TarInfo(f"{folder.name}/{name}")
            entry.size, entry.mode = (folder / name).stat().st_size, 0o644
            with (folder / name).open("rb") as file:
                archive.addfile(entry, file)
