import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from prefect.settings import PREFECT_HOME, temporary_settings

from flows.server import api_server

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def prefect_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("prefect")


@pytest.fixture(scope="session")
def server(prefect_home: Path) -> Iterator[str]:
    """The URL of the one API server of all tests that run flows."""
    with temporary_settings({PREFECT_HOME: prefect_home}), api_server() as url:
        yield url


@pytest.fixture
def clean_environment(prefect_home: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """For processes that must find no server: no address, and a home away from the user's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "DVC_", "PYTEST"))}
    return kept | {"PREFECT_HOME": str(prefect_home), "DVC_NO_ANALYTICS": "1", "DO_NOT_TRACK": "1"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty DVC project, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run([sys.executable, "-m", "dvc", "init", "-q"], check=True, env=os.environ | {"DVC_NO_ANALYTICS": "1"})
    (tmp_path / "prefect.toml").write_bytes((ROOT / "prefect.toml").read_bytes())
    return tmp_path
