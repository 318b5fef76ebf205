import errno
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from types import SimpleNamespace

import httpx
import psutil
import pytest
from prefect import flow
from prefect.blocks.notifications import CustomWebhookNotificationBlock
from prefect.client.orchestration import get_client
from prefect.events.actions import SendNotification
from prefect.events.schemas.automations import AutomationCore, EventTrigger, Posture
from prefect.exceptions import PrefectHTTPStatusError
from prefect.settings import PREFECT_API_URL, PREFECT_HOME, temporary_settings

from flows.server import api_server, check_loopback, disk_watched, lasting_server, send_what_is_left, temporary_server
from plancheck.plumbing.errors import StudyError

SERVING = """
import json, os, sys
import psutil
from flows.server import api_server
with api_server() as url:
    [server] = psutil.Process().children()
    print(json.dumps({"url": url, "exported": os.environ["PREFECT_API_URL"], "pid": server.pid}), flush=True)
    sys.stdin.readline()
"""


def start(environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SERVING],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health", timeout=10).is_success
    except httpx.TransportError:
        return False


def gone_within(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while psutil.pid_exists(pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not psutil.pid_exists(pid)


def test_temporary_servers_live_side_by_side_and_leave_nothing(
    server: str, clean_environment: dict[str, str], prefect_home: Path, tmp_path: Path
) -> None:
    """Of two runs at once one is killed; the other goes on, and the next start clears what the killed one left."""
    before = set(prefect_home.glob("server-*"))
    environment = clean_environment | {"HOME": str(tmp_path)}
    with start(environment) as killed, start(environment) as ended:
        first, second = (json.loads(run.stdout.readline()) for run in (killed, ended))
        assert first["url"] != second["url"]
        assert second["exported"] == second["url"]
        assert answers(first["url"])
        assert second["url"].startswith("http://127.0.0.1:")
        killed.kill()
        assert gone_within(first["pid"], seconds=20)
        assert answers(second["url"])
        ended.communicate("\n")
        assert ended.returncode == 0
        assert not psutil.pid_exists(second["pid"])
        assert not answers(second["url"])
    assert len(set(prefect_home.glob("server-*")) - before) == 1
    with start(environment) as after:
        assert answers(json.loads(after.stdout.readline())["url"])
        assert after.communicate("\n") == ("", "")
    assert set(prefect_home.glob("server-*")) <= before  # what other tests' killed runs left may have gone too
    assert not list(tmp_path.iterdir()), "something was written to the user's home"


def test_a_run_whose_server_dies_ends_and_says_so(clean_environment: dict[str, str], tmp_path: Path) -> None:
    with start(clean_environment | {"HOME": str(tmp_path)}) as run:
        psutil.Process(json.loads(run.stdout.readline())["pid"]).kill()
        assert run.wait(timeout=60) == 1  # its input stays open: it would not end by itself
        said = run.stderr.read()

    assert "The Prefect server ended with status -9" in said
    assert "Run it again to go on" in said
    assert "Traceback" not in said


def test_a_named_server_is_used_and_none_is_started(server: str) -> None:
    children = psutil.Process().children()
    with temporary_settings({PREFECT_API_URL: server}), api_server() as url:
        assert url == server == os.environ["PREFECT_API_URL"]
        assert psutil.Process().children() == children


def test_a_named_server_that_does_not_answer_is_the_users_to_mend() -> None:
    with (
        temporary_settings({PREFECT_API_URL: "http://127.0.0.1:9/api"}),
        pytest.raises(StudyError, match=r"(?s)http://127\.0\.0\.1:9/api.*unset PREFECT_API_URL"),
        api_server(),
    ):
        pass


def test_the_projects_settings_keep_prefect_inside_it(
    project: Path, clean_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("home")
    del clean_environment["PREFECT_HOME"]
    code = (
        "from prefect.settings import get_current_settings as s; "
        "print(s().home, s().server.analytics_enabled, s().results.persist_by_default, s().logging.level, "
        "s().server.ui.api_url, s().server.ui.v2_enabled)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        env=clean_environment | {"HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (found.stdout.split(), found.stderr) == ([".prefect", "False", "False", "WARNING", "/api", "False"], "")
    assert not list(home.iterdir())


@pytest.fixture
def lasting(server: str, prefect_home: Path, project: Path) -> Iterator[str]:
    """The address of a lasting server of the project."""
    home = project / "home"
    home.mkdir()
    [migrated] = prefect_home.glob("template-*.db")  # of the temporary server; migrating takes most of a start
    shutil.copyfile(migrated, home / "prefect.db")
    (project / "reports").mkdir()
    (project / "reports" / "index.html").write_text("the report")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    with temporary_settings({PREFECT_HOME: home}), lasting_server(port) as address:
        assert address == f"http://127.0.0.1:{port}"
        yield address


def test_the_lasting_server_shows_the_ui_and_the_reports_on_its_port_and_lets_the_browser_ask_no_other(
    lasting: str,
) -> None:
    asked = [httpx.get(f"{lasting}/{path}") for path in ("reports/index.html", "", "v2/", "ui-settings")]
    assert [reply.status_code for reply in asked] == [200] * 4
    assert asked[0].text == "the report"
    assert (asked[3].json()["api_url"], asked[3].json()["default_ui"]) == (f"{lasting}/api", "v1")
    for reply in asked:
        [allowed] = [rule for rule in reply.headers["content-security-policy"].split(";") if "default-src" in rule]
        assert "'self'" in allowed
        assert "http" not in allowed


def test_an_automation_of_the_lasting_server_tells_of_a_failed_run_with_its_message(lasting: str) -> None:
    """As docs/operating.md says: a Custom Webhook, and the text that Prefect's form offers."""
    told: Queue[dict[str, str]] = Queue()

    class Listener(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    @flow(name="study")
    def refused() -> None:
        raise StudyError("Stage check_rows failed: no row is of a test question.")

    with ThreadingHTTPServer(("127.0.0.1", 0), Listener) as listener:
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        with temporary_settings({PREFECT_API_URL: f"{lasting}/api"}), get_client(sync_client=True) as client:
            block = CustomWebhookNotificationBlock(
                name="told",
                url=f"http://127.0.0.1:{listener.server_port}",
                json_data={"title": "{{subject}}", "text": "{{body}}"},
            ).save("told", client=client)
            trigger = EventTrigger(
                expect={"prefect.flow-run.Failed", "prefect.flow-run.Crashed"},
                match_related={
                    "prefect.resource.role": "flow",
                    "prefect.resource.id": f"prefect.flow.{client.create_flow(refused)}",
                },
                for_each={"prefect.resource.id"},
                posture=Posture.Reactive,
                threshold=1,
            )
            told_how = SendNotification(
                block_document_id=block, subject="Failed", body="{{ flow.name }}: {{ flow_run.state.message }}"
            )
            automation = AutomationCore(name="told of a failure", trigger=trigger, actions=[told_how])
            client.create_automation(automation)
            refused(return_state=True)
            message = told.get(timeout=60)
            send_what_is_left()
        listener.shutdown()
    assert message["title"] == "Failed"
    assert message["text"].startswith("study: ")
    assert "Stage check_rows failed: no row is of a test question." in message["text"]


def test_a_home_that_cannot_be_written_is_the_users_to_mend(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where a folder must be")
    with (
        temporary_settings({PREFECT_HOME: tmp_path / "home"}),
        pytest.raises(StudyError, match=r"home: cannot be written"),
        temporary_server(),
    ):
        pass


@pytest.mark.parametrize("reason", [errno.ENETUNREACH, errno.EADDRNOTAVAIL])
def test_a_loopback_that_is_down_is_told_at_once(reason: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object, **__: object) -> None:
        raise OSError(reason, os.strerror(reason))

    monkeypatch.setattr(socket, "create_connection", unreachable)
    with pytest.raises(StudyError, match=r"127\.0\.0\.1 cannot be reached.*ip link set lo up"):
        check_loopback(4200)


def test_a_server_that_fails_on_a_full_disk_is_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = PrefectHTTPStatusError("500", request=httpx.Request("GET", "http://x"), response=httpx.Response(500))
    with pytest.raises(PrefectHTTPStatusError), disk_watched(tmp_path):
        raise failed
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    with pytest.raises(StudyError, match=r"cannot be written .No space left"), disk_watched(tmp_path):
        raise failed
