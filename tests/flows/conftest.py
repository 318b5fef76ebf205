import os
import shutil
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


@pytest.fixture(scope="session")
def empty_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty DVC project; to start DVC takes longer than to copy what it makes."""
    made = tmp_path_factory.mktemp("project")
    subprocess.run(["git", "init", "-q", "."], cwd=made, check=True)
    environment = os.environ | {"DVC_NO_ANALYTICS": "1"}
    subprocess.run([sys.executable, "-m", "dvc", "init", "-q"], cwd=made, check=True, env=environment)
    shutil.copyfile(ROOT / "prefect.toml", made / "prefect.toml")
    return made


@pytest.fixture
def project(empty_project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the empty DVC project, which is the working directory."""
    shutil.copytree(empty_project, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path
