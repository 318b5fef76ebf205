"""What DVC knows of the study: its stages in order, whether anything changed, and how to run one of them."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import networkx as nx  # type: ignore[import-untyped]
from dvc.exceptions import DvcException
from dvc.lock import LockError
from dvc.repo import Repo

from plancheck.errors import StudyError

SECONDS_TO_END = 3.0


def stages_in_order(targets: Sequence[str] = ()) -> list[str]:
    """The stages of ./dvc.yaml, each after those it depends on; independent ones in the file's order.

    Args:
        targets: only these stages and what they depend on; all stages when empty.

    Raises:
        StudyError: no dvc.yaml here, DVC cannot read it, or a target is not in it.
    """
    with open_project() as repo:
        graph = repo.index.graph
        stages = [stage for stage in repo.index.stages if stage.cmd]
        names = [stage.addressing for stage in stages]
        if unknown := sorted(set(targets) - set(names)):
            raise StudyError(f"No stage {', '.join(unknown)} in dvc.yaml. Its stages are {', '.join(names)}.")
        position = {stage: number for number, stage in enumerate(repo.index.stages)}
        # DVC's edges run from a stage to what it depends on.
        order = nx.lexicographical_topological_sort(graph.reverse(copy=False), key=position.__getitem__)
        wanted = {stage for stage in stages if stage.addressing in targets} or set(stages)
        wanted |= {needed for stage in wanted for needed in nx.descendants(graph, stage)}
        return [stage.addressing for stage in order if stage in wanted and stage.cmd]


def changed(stages: Sequence[str]) -> bool:
    """Whether `dvc repro` would have to look at any of the stages again."""
    with open_project() as repo:
        return bool(repo.status(targets=list(stages)))


@contextmanager
def open_project() -> Iterator[Repo]:
    """DVC's view of the working directory; what DVC raises inside comes out as StudyError."""
    if not Path("dvc.yaml").is_file():
        raise StudyError(f"{Path.cwd()}: holds no dvc.yaml. Run it in the project's folder.")
    try:
        with Repo() as repo:
            yield repo
    except DvcException as error:
        raise explained(error) from error


def explained(error: BaseException) -> StudyError:
    """DVC's own error in one message: its whole chain of causes, and the remedy for a held lock."""
    chain = [error]
    while (cause := chain[-1].__cause__) is not None:
        chain.append(cause)
    if any(isinstance(link, LockError) for link in chain):
        holders = [line.strip() for line in str(chain[-1]).splitlines() if line.strip().startswith("(PID ")]
        return StudyError(
            f"Another run holds this project{': ' if holders else ''}{'; '.join(holders)}. Wait for it or stop it, "
            "then run it again. If no such process is left, delete .dvc/tmp/rwlock."
        )
    return StudyError(": ".join(dict.fromkeys(str(link) for link in chain if str(link))))


def run_stage(stage: str) -> int:
    """Run one stage if it changed, in a process of its own whose output passes through.

    Returns:
        The status of ``flows.repro``.
    """
    here = str(Path(sys.executable).parent)  # `python` in dvc.yaml is this interpreter
    environment = os.environ | {"PATH": os.pathsep.join([here, os.environ.get("PATH", os.defpath)])}
    process = subprocess.Popen([sys.executable, "-m", "flows.repro", stage, str(os.getpid())], env=environment)
    try:
        return process.wait()
    except BaseException:
        # Ctrl-C in a terminal reaches the stage as well, and it may end by itself.
        try:
            process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.wait()
        raise
