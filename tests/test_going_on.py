"""A run of the tests that was stopped can be gone on with: `make test ARGS=--go-on`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = {
    "test_first.py": "def test_passes(): pass\n\n\ndef test_fails(): assert 0\n",
    "test_second.py": (
        "import os\nimport signal\nimport time\nfrom pathlib import Path\n\n\n"
        "def test_is_stopped_the_first_time():\n"
        "    if not Path('stopped').exists():\n"
        "        Path('stopped').touch()\n"
        "        while not Path('told').exists():\n"  # else the signal may come before what failed is known
        "            time.sleep(0.01)\n"
        "        os.kill(int(Path('runner').read_text()), signal.SIGINT)\n"
        "        signal.pause()\n"
    ),
}
NOTE_THE_RUNNER = (
    "\n\nif 'PYTEST_XDIST_WORKER' not in __import__('os').environ:\n"
    "    Path('runner').write_text(str(__import__('os').getpid()))\n\n"
    "    class Told:\n"
    "        @pytest.hookimpl(trylast=True)\n"
    "        def pytest_runtest_logreport(self, report):\n"
    "            if report.failed:\n"
    "                Path('told').touch()\n\n"
    "    def pytest_sessionstart(session):\n"
    "        session.config.pluginmanager.register(Told())\n"
)


WORKERS = ("-p", "xdist", "--numprocesses", "1", "--dist", "loadgroup")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\ntestpaths = tests\n")
    conftest = tmp_path / "tests" / "conftest.py"
    shutil.copy(Path(__file__).with_name("conftest.py"), conftest)
    conftest.write_text(conftest.read_text() + NOTE_THE_RUNNER)
    for name, text in TESTS.items():
        (tmp_path / "tests" / name).write_text(text)
    return tmp_path


def outcome(folder, *options):
    # Of the environment, not what says that this test itself runs in a worker. Other plugins take seconds to load.
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        env={**own, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        cwd=folder, capture_output=True, text=True, check=False, start_new_session=True,
    )  # fmt: skip
    return run.stdout.splitlines()[-1]


def test_a_run_that_was_stopped_goes_on_with_what_has_not_passed(folder):
    assert "1 failed, 1 passed" in outcome(folder, *WORKERS)
    outcome(folder, "tests/test_first.py")  # in between, and without workers: it loses nothing
    assert "1 failed, 1 passed" in outcome(folder, *WORKERS, "--go-on")
    assert "1 failed, 2 passed" in outcome(folder)
