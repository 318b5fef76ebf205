"""Picture the report's first screen, for the README: docs/first-screen.png, beside it the digest of the page's code.

A test compares that digest with the code's, so that it tells without a browser when the picture is out of date.

    python docs/picture.py [--page reports/index.html] [--picture docs/first-screen.png]
"""

import argparse
import re
import shutil
import sys
from pathlib import Path

from plancheck.page.code import code_sha256
from plancheck.plumbing.errors import StudyError, say
from plancheck.plumbing.files import replacing

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "first-screen.png"
WIDTH, HEIGHT = 1280, 800
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
PATIENCE_MS = 120_000  # a busy machine may start a browser slowly


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", type=Path, default=ROOT / "reports" / "index.html")
    parser.add_argument("--picture", type=Path, default=PICTURE)
    asked = parser.parse_args()
    try:
        code = made_by(asked.page)
        picture(asked.page, asked.picture, chromium())
    except StudyError as error:
        say(error)
        sys.exit(1)
    digest_path(asked.picture).write_text(f"{code}\n", encoding="utf-8")
    print(f"{asked.picture}: {asked.picture.stat().st_size / 1024:,.0f} KiB")


def digest_path(picture_path: Path) -> Path:
    """The file beside a picture that names the code of its page."""
    return picture_path.with_suffix(".sha256")


def made_by(page: Path) -> str:
    """The digest of the code that made the page, which is the code here.

    Raises:
        StudyError: there is no page, or other code made it.
    """
    if not page.is_file():
        raise StudyError(f"{page}: no such page. Make it with `make demo`.")
    found = re.search(r'<meta name="plancheck-code" content="([0-9a-f]{64})">', page.read_text(encoding="utf-8"))
    if not found or found[1] != code_sha256():
        raise StudyError(f"{page} was made by other code than this. Make it anew with `dvc repro report`.")
    return found[1]


def chromium() -> str:
    """Path of the browser.

    Raises:
        StudyError: there is none.
    """
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    raise StudyError(f"No Chromium here (looked for {', '.join(BROWSERS)}). Debian: apt-get install chromium.")


def picture(page: Path, path: Path, browser_path: str) -> None:
    """Write the page's first screen, in light colours, once its charts are drawn."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS, timeout=PATIENCE_MS)
        shown = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        shown.goto(page.resolve().as_uri(), timeout=PATIENCE_MS)
        shown.wait_for_function("document.documentElement.dataset.drawn", timeout=PATIENCE_MS)
        with replacing(path) as temporary:
            shown.screenshot(path=temporary, timeout=PATIENCE_MS)
        browser.close()


if __name__ == "__main__":
    main()
