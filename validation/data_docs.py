"""The one place that opens a Great Expectations context in a file: results are kept there, and shown as Data Docs.

The site is built beside the old one and then takes its place, so a run that is killed leaves the old site, the new one
or none, never a part. The context only holds what the gates write there and can be deleted at any time.
"""

import logging
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import great_expectations as gx
from filelock import FileLock, Timeout
from great_expectations.data_context import AbstractDataContext

from plancheck.plumbing.files import unwritable
from validation.docs_index import STYLE, VALIDATIONS, index_page, latest

LOG = logging.getLogger("plancheck.check")

DOCS = Path("reports/data_docs")
BUILT = DOCS.with_name(".data_docs.tmp")  # git and DVC ignore such names
REPLACED = DOCS.with_name(".data_docs_replaced.tmp")
HOME = Path(".plancheck")
GX = HOME / "gx"
SITE = "local_site"
UNUSED = ".btn-group-toggle, .breadcrumb, .modal, .card-text { display: none; }\n"  # they need the scripts

Found = TypeVar("Found")


class ContextFault(Exception):
    """What Great Expectations raised; its cause is the error itself."""


@contextmanager
def context_faults() -> Iterator[None]:
    """Tell an error of the calls to Great Expectations from one of our suites; the file system's are left as they are.

    By place, not by type: from a file that was cut short it raises anything, such as KeyError or AttributeError.
    """
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        first_line = str(error).partition("\n")[0]
        raise ContextFault(f"{type(error).__name__}: {first_line}") from error


def documented(
    name: str,
    work: Callable[[AbstractDataContext], Found],
    *,
    anew: bool = False,
    notes: Callable[[Found], Sequence[str]] = lambda found: (),
) -> Found:
    """Run ``work`` in the file context and rebuild the Data Docs; one process at a time.

    A killed run can leave the context half-written, so when Great Expectations or the file system raises, it is made
    anew, once, with a warning. Other errors of ``work`` are raised at once.

    Args:
        name: of the run, as ``work`` gives it to its results; the earlier results of that run are forgotten.
        work: judges suites, and returns what it found.
        anew: forget the results of every run.
        notes: sentences at the top of the index, of what was found.

    Raises:
        StudyError: the file system refuses it, again.
        ContextFault: Great Expectations fails in a new context as well.
    """
    try:
        HOME.mkdir(parents=True, exist_ok=True)
        with one_at_a_time():
            if anew:
                shutil.rmtree(GX, ignore_errors=True)
            try:
                return attempt(name, work, notes)
            except (ContextFault, OSError) as error:
                LOG.warning("check_%s failed and is tried again with a new %s: %s", name, GX, error)
                shutil.rmtree(GX, ignore_errors=True)
                return attempt(name, work, notes)
    except OSError as error:
        raise unwritable(Path(error.filename or DOCS), error) from error


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Wait for other gates in this folder; the system frees the lock of a process that is killed."""
    lock = FileLock(HOME / "gx.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        print("Another gate is at work in this folder; waiting for it.", file=sys.stderr, flush=True)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def attempt(name: str, work: Callable[[AbstractDataContext], Found], notes: Callable[[Found], Sequence[str]]) -> Found:
    with context_faults():
        context = file_context()
    for earlier in (GX / VALIDATIONS).glob(f"*/{name}"):
        shutil.rmtree(earlier)  # the site shows each gate's latest run and does not grow
    found = work(context)
    for leftover in (BUILT, REPLACED):  # of a run that was killed
        shutil.rmtree(leftover, ignore_errors=True)
    with context_faults():
        context.build_data_docs()
        index = index_page(latest(GX), notes(found))
    for page in BUILT.rglob("*.html"):
        page.write_text(alone(page.read_text(encoding="utf-8")), encoding="utf-8")
    (BUILT / "index.html").write_text(index, encoding="utf-8")
    if DOCS.exists():
        DOCS.rename(REPLACED)
    BUILT.rename(DOCS)
    shutil.rmtree(REPLACED, ignore_errors=True)
    return found


def file_context() -> AbstractDataContext:
    quiet()
    context = gx.get_context(mode="file", project_root_dir=HOME)
    context.enable_analytics(False)
    context.variables.progress_bars = {"globally": False}
    context.variables.save()
    context.update_data_docs_site(
        SITE,
        {
            "class_name": "SiteBuilder",
            "show_how_to_buttons": False,
            "store_backend": {
                "class_name": "TupleFilesystemStoreBackend",
                "base_directory": str(Path("../..") / BUILT),
            },
            "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"},
        },
    )
    return context


def quiet() -> None:
    """Great Expectations logs what its results say as well, and warns of what ``documented`` mends."""
    logging.getLogger("great_expectations").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", module="great_expectations")


def alone(page: str) -> str:
    """A page that fetches nothing: without the styles and scripts of public servers, and without the picture that a
    browser would fetch under the context's ID. A style sheet of ours stands in for theirs.
    """
    page = re.sub(r"https://great-expectations-web-assets[^\"')\s]*", "", page)
    page = re.sub(r"<link\b[^>]*https?://[^>]*>", "", page)
    page = re.sub(r"<script\b.*?</script>", "", page, flags=re.DOTALL)
    page = re.sub(r"<footer\b.*?</footer>", "", page, flags=re.DOTALL)
    page = re.sub(r"<img\b[^>]*>", "Data contracts", page)
    return page.replace("</head>", f"<style>\n{STYLE.read_text(encoding='utf-8')}{UNUSED}</style>\n</head>", 1)
