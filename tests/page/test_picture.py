"""`make picture`: the README's picture of the report, which a test without a browser knows to be of today's page."""

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from plancheck.page.code import code_sha256

ROOT = Path(__file__).parents[2]
SIGNATURE = b"\x89PNG\r\n\x1a\n"
LARGEST_BYTES = 300 * 1024
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def sized(path):
    """Width and height of a PNG."""
    content = path.read_bytes()
    assert content.startswith(SIGNATURE) and len(content) < LARGEST_BYTES
    return struct.unpack(">II", content[16:24])


def pictured(page, picture, **environment):
    return subprocess.run(
        [sys.executable, str(ROOT / "docs" / "picture.py"), "--page", str(page), "--picture", str(picture)],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment, capture_output=True, text=True,
    )  # fmt: skip


def test_the_picture_in_the_readme_is_of_the_page_as_it_is_made_today():
    picture = ROOT / "docs" / "first-screen.png"
    assert sized(picture) == (1280, 800)
    assert picture.with_suffix(".sha256").read_text() == f"{code_sha256()}\n", "out of date: run `make picture`"


@pytest.mark.skipif(not any(map(shutil.which, BROWSERS)), reason="no chromium here (Debian: apt-get install chromium)")
def test_a_picture_is_of_the_first_screen_with_its_chart_and_names_its_code(made, tmp_path):
    picture = tmp_path / "first-screen.png"
    run = pictured(made.folder / "reports" / "index.html", picture)

    assert (run.returncode, run.stderr) == (0, "")
    assert sized(picture) == (1280, 800)
    assert picture.stat().st_size > 30_000  # a blank page takes less
    assert picture.with_suffix(".sha256").read_text() == f"{code_sha256()}\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first-screen.png", "first-screen.sha256"]


def test_what_is_missing_is_one_message_with_its_remedy(made, tmp_path):
    page, other = made.folder / "reports" / "index.html", tmp_path / "index.html"
    other.write_text(made.html.replace(code_sha256(), "0" * 64), encoding="utf-8")
    runs = [
        (pictured(tmp_path / "none.html", tmp_path / "a.png"), "make demo"),
        (pictured(other, tmp_path / "a.png"), "dvc repro report"),
        (pictured(page, tmp_path / "a.png", PATH=str(tmp_path)), "apt-get install chromium"),
    ]
    for run, remedy in runs:
        assert run.returncode == 1
        assert run.stderr.startswith("error: ") and remedy in run.stderr and run.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]
