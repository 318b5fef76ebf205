"""compose.yaml and the Dockerfile fit the project and each other."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
LINES = re.sub(r"\\\n(\s*#.*\n)*", " ", (ROOT / "Dockerfile").read_text()).splitlines()


def instructions(name: str) -> list[list[str]]:
    return [shlex.split(line)[1:] for line in LINES if line.startswith(f"{name} ")]


def test_what_the_image_is_made_of_is_there_and_is_all_that_is_sent_to_the_builder() -> None:
    copied = [name for *names, _ in instructions("COPY") for name in names]
    assert all((ROOT / name).is_file() for name in copied)
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert rules == ["*", *(f"!{name}" for name in copied)]


def test_the_worker_of_compose_yaml_works_for_the_pool_of_prefect_yaml_in_the_images_folder() -> None:
    composed = yaml.safe_load((ROOT / "compose.yaml").read_text())
    worker = composed["services"]["worker"]
    [pool] = {one["work_pool"]["name"] for one in yaml.safe_load((ROOT / "prefect.yaml").read_text())["deployments"]}
    assert re.findall(r"(?:work-pool create|--pool) (\S+)", worker["command"]) == [pool, pool]
    [[folder]] = instructions("WORKDIR")
    mounted = [volume.split(":") for volume in worker["volumes"]]
    assert [".", folder] in mounted
    assert {source for source, _ in mounted} - {"."} <= set(composed["volumes"])
    assert {target.removeprefix(f"{folder}/") for _, target in mounted} == {folder, ".dvc/cache", ".plancheck"}


def test_the_server_of_compose_yaml_is_the_locked_prefect() -> None:
    [locked] = re.findall(r"^prefect==(\S+)$", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    image = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["server"]["image"]
    assert image.startswith(f"prefecthq/prefect:{locked}-")


def test_the_user_has_a_name_though_the_image_knows_none_for_its_number() -> None:
    """DVC asks for it with ``getpass.getuser``, which fails where only the number is known."""
    given = dict(setting.split("=", 1) for setting in instructions("ENV")[0])
    code = "import getpass, pwd; pwd.getpwuid = None; print(getpass.getuser())"
    ended = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "study"
