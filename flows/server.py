"""The Prefect API server that a run reports to: the user's own, or a temporary one for the time of the run.

A temporary server listens on 127.0.0.1 alone and has no UI. Its history ends with it: whoever wants to keep and see
runs starts a lasting one (`make ui`), or one elsewhere (`prefect server start`), and sets PREFECT_API_URL.
"""

import errno
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TextIO

import httpx
import prefect
import psutil
from prefect.client.orchestration import get_client
from prefect.events.worker import EventsWorker
from prefect.exceptions import PrefectHTTPStatusError
from prefect.logging.handlers import APILogWorker
from prefect.settings import PREFECT_API_URL, get_current_settings, temporary_settings

from flows.statuses import Status
from plancheck.plumbing.errors import StudyError, say
from plancheck.plumbing.files import unwritable

PATIENCE = 60  # seconds: on a busy machine the server took longer than Prefect's own 20
SECONDS_TO_STOP = 5.0
LEAST_FREE_BYTES = 1_000_000
USUAL_PORT = 4200


@contextmanager
def api_server() -> Iterator[str]:
    """The URL of an API server that this process and its children report to inside the block.

    PREFECT_API_URL, where it is set, names the server and nothing is started.

    Raises:
        StudyError: no server answers there, or the temporary one does not start.
    """
    if url := PREFECT_API_URL.value():
        check_answers(url)
        with exported(url):
            yield url
        return
    with temporary_server() as url, temporary_settings({PREFECT_API_URL: url}), exported(url):
        try:
            yield url
        finally:
            send_what_is_left()


def check_answers(url: str) -> None:
    with get_client(sync_client=True) as client:
        error = client.api_healthcheck()
    if error is not None:
        raise StudyError(
            f"PREFECT_API_URL is {url}, and no Prefect server answers there ({error}). Start it "
            "(`prefect server start`), or unset PREFECT_API_URL for a temporary one."
        )


@contextmanager
def exported(url: str) -> Iterator[None]:
    """PREFECT_API_URL in the environment of the processes that are started inside the block."""
    before = os.environ.get("PREFECT_API_URL")
    os.environ["PREFECT_API_URL"] = url
    try:
        yield
    finally:
        if before is None:
            del os.environ["PREFECT_API_URL"]
        else:
            os.environ["PREFECT_API_URL"] = before


def send_what_is_left() -> None:
    """Deliver queued events and log lines: their threads would otherwise look for the server after its end."""
    EventsWorker.drain_all(timeout=SECONDS_TO_STOP)
    APILogWorker.drain_all(timeout=SECONDS_TO_STOP)


@contextmanager
def temporary_server() -> Iterator[str]:
    """Start a server with a database of its own, so that runs at the same time do not lock each other out."""
    home = get_current_settings().home.resolve()
    template = home / f"template-{prefect.__version__}.db"
    with ExitStack() as stack:
        try:
            home.mkdir(parents=True, exist_ok=True)
            folder = stack.enter_context(database_folder(home))
            log = stack.enter_context((home / "server.log").open("a", encoding="utf-8"))
            database = folder / "prefect.db"
            if migrated := template.exists():
                shutil.copyfile(template, database)
        except OSError as error:
            raise unwritable(home, error) from error
        settings = {
            "PREFECT_SERVER_DATABASE_CONNECTION_URL": f"sqlite+aiosqlite:///{database}",
            "PREFECT_SERVER_DATABASE_MIGRATE_ON_START": str(not migrated),
            "PREFECT_API_BLOCKS_REGISTER_ON_START": str(not migrated),
            "PREFECT_SERVER_UI_ENABLED": "false",
        }
        process = stack.enter_context(process_of("flows.temporary_server", home=home, settings=settings, log=log))
        url = wait_until_ready(process, Path(log.name))
        if not migrated:
            save_template(database, template)
        with watched(process, Path(log.name)), disk_watched(home):
            yield url


@contextmanager
def lasting_server(port: int | None) -> Iterator[str]:
    """Start a server with its UI and the project's own database, and give its address; ``port`` None is any free one.

    Raises:
        StudyError: the port is taken, or the server does not start.
    """
    home = get_current_settings().home.resolve()
    if port and taken(port):
        raise StudyError(f"Port {port} is taken. Name another, or none for any free one.")
    with ExitStack() as stack:
        try:
            home.mkdir(parents=True, exist_ok=True)
            log = stack.enter_context((home / "ui.log").open("a", encoding="utf-8"))
        except OSError as error:
            raise unwritable(home, error) from error
        chosen = port or free_port()
        address = f"http://127.0.0.1:{chosen}"
        api = f"{address}/api"
        settings = {"PREFECT_UI_API_URL": api, "PREFECT_UI_URL": address, "PREFECT_API_URL": api}
        process = stack.enter_context(
            process_of("flows.lasting_server", str(chosen), home=home, settings=settings, log=log)
        )
        wait_until_ready(process, Path(log.name))
        with watched(process, Path(log.name)):
            yield address


@contextmanager
def process_of(
    module: str, *arguments: str, home: Path, settings: Mapping[str, str], log: TextIO
) -> Iterator["subprocess.Popen[str]"]:
    """The process of a server, which is stopped with the block; it is told whose child it is."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, str(os.getpid()), *arguments],
        env=os.environ | {"PREFECT_HOME": str(home), "PREFECT_SERVER_ANALYTICS_ENABLED": "false"} | settings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
        # Ctrl-C must reach the runs alone: their last states still have to be recorded.
        start_new_session=True,
    )
    try:
        yield process
    finally:
        stop(process)


def taken(port: int) -> bool:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return listener.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    """Prefect's own port where it is free, for addresses then stay the same; any free one else."""
    if not taken(USUAL_PORT):
        return USUAL_PORT
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def disk_watched(home: Path) -> Iterator[None]:
    """Say so when the server fails inside the block because its disk is full: it answers with an internal error."""
    try:
        yield
    except PrefectHTTPStatusError as error:
        if shutil.disk_usage(home).free >= LEAST_FREE_BYTES:
            raise
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        raise unwritable(home, full) from error


@contextmanager
def watched(process: subprocess.Popen[str], log: Path) -> Iterator[None]:
    """End this process, with a message, when the server ends inside the block: Prefect would wait for it for hours."""
    needed = threading.Event()
    needed.set()

    def watch() -> None:
        status = process.wait()
        if needed.is_set():
            say(
                StudyError(
                    f"The Prefect server ended with status {status}; {log} says why. Run it again to go on: "
                    "finished work is kept."
                )
            )
            os._exit(Status.REFUSED)

    threading.Thread(target=watch, name="server-watch", daemon=True).start()
    try:
        yield
    finally:
        needed.clear()


@contextmanager
def database_folder(home: Path) -> Iterator[Path]:
    """A folder for one server; those whose run was killed are removed first."""
    machine = f"server-{socket.gethostname()}-"
    for left in home.glob(f"{machine}*"):
        owner = left.name.removeprefix(machine).partition("-")[0]
        if owner.isdigit() and not psutil.pid_exists(int(owner)):
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{machine}{os.getpid()}-", dir=home))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def wait_until_ready(process: subprocess.Popen[str], log: Path) -> str:
    """The API's URL once the server answers."""
    seconds = max(PATIENCE, get_current_settings().server.ephemeral.startup_timeout_seconds)
    deadline = time.monotonic() + seconds
    assert process.stdout is not None
    port = process.stdout.readline().strip()
    url = f"http://127.0.0.1:{port}/api"
    if port:
        check_loopback(int(port))
    with httpx.Client(trust_env=False, timeout=seconds) as client:
        while process.poll() is None and time.monotonic() < deadline:
            try:
                if client.get(f"{url}/health").is_success:
                    return url
            except httpx.TransportError:
                time.sleep(0.05)
    ended = f"ended with status {process.returncode}" if process.poll() is not None else f"took over {seconds} s"
    raise StudyError(
        f"The Prefect server did not start: it {ended}; {log} says why. Delete {log.parent} and run it "
        "again, or start a server yourself (`prefect server start`) and set PREFECT_API_URL."
    )


def check_loopback(port: int) -> None:
    """Raise a StudyError if no connection to this machine itself is possible; a server not yet listening is none."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=SECONDS_TO_STOP).close()
    except OSError as error:
        if error.errno in (errno.ENETUNREACH, errno.EADDRNOTAVAIL):
            raise StudyError(
                f"127.0.0.1 cannot be reached ({error.strerror}), and the flows report to a server there. Bring the "
                "loopback interface up (`ip link set lo up`), then run it again."
            ) from error


def save_template(database: Path, template: Path) -> None:
    """Keep the empty, migrated database: migrating takes longer than everything else of a start.

    Raises:
        StudyError: it cannot be written.
    """
    temporary = database.with_name("template.db")
    try:
        with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(temporary)) as copy:
            source.backup(copy)
        temporary.replace(template)
    except (OSError, sqlite3.Error) as error:
        raise unwritable(template, error) from error


def stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()
