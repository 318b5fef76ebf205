"""The hub client against a loopback server that answers as the hub does."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import huggingface_hub.constants
import pytest

from plancheck.backends.hub import download_dataset_file
from plancheck.plumbing.errors import StudyError

REVISION = "0123456789abcdef0123456789abcdef01234567"
CONTENT = b'[{"_id": "q1"}]'
DIGEST = hashlib.sha256(CONTENT).hexdigest()


class Hub(BaseHTTPRequestHandler):
    def do_HEAD(self):
        self.answer(body=b"")

    def do_GET(self):
        self.answer(body=CONTENT)

    def answer(self, body):
        known = self.path == f"/datasets/owner/set/resolve/{REVISION}/data.json"
        self.send_response(200 if known else 404)
        self.send_header("Content-Length", str(len(CONTENT) if known else 0))
        self.send_header("ETag", f'"{DIGEST}"')
        self.send_header("X-Repo-Commit", REVISION)
        if not known:
            self.send_header("X-Error-Code", "EntryNotFound")
        self.end_headers()
        self.wfile.write(body if known else b"")

    def log_message(self, *args):
        pass


@pytest.fixture
def hub(tmp_path, monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    template = f"http://127.0.0.1:{server.server_port}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    monkeypatch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    yield server
    server.shutdown()
    server.server_close()


def test_a_pinned_file_is_downloaded_and_then_found_in_the_cache(hub, monkeypatch):
    path = download_dataset_file("owner/set", REVISION, "data.json", DIGEST)
    assert path.read_bytes() == CONTENT
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    assert download_dataset_file("owner/set", REVISION, "data.json", DIGEST) == path


def test_a_file_with_another_digest_is_refused(hub):
    with pytest.raises(StudyError, match=f"sha256 is {DIGEST}, but the pin says {'0' * 64}.*Delete"):
        download_dataset_file("owner/set", REVISION, "data.json", "0" * 64)


def test_a_file_the_repository_lacks_is_named(hub):
    with pytest.raises(StudyError, match=r"other\.json of dataset owner/set.*could not be fetched"):
        download_dataset_file("owner/set", REVISION, "other.json", DIGEST)


def test_without_a_network_the_message_says_how_to_go_on(tmp_path, monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(StudyError) as caught:
        download_dataset_file("owner/set", REVISION, "data.json", DIGEST)
    assert f"https://huggingface.co/datasets/owner/set/resolve/{REVISION}/data.json" in str(caught.value)
    assert "set benchmark.path" in str(caught.value)
