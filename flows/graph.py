"""What DVC knows of the study: its stages in order, whether anything changed, and how to run one of them."""

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import networkx as nx  # type: ignore[import-untyped]
import yaml
from dvc.exceptions import DvcException
from dvc.lock import LockError
from dvc.logger import set_loggers_level
from dvc.repo import Repo
from dvc.stage import PipelineStage
from dvc.stage.exceptions import StageCmdFailedError

from flows.statuses import Status
from plancheck.plumbing.errors import StudyError, say
from plancheck.plumbing.files import unwritable


@dataclass(frozen=True, slots=True)
class Agenda:
    """What a run has before it.

    Args:
        stages: by name, each after those it depends on.
        due: whether `dvc repro` would have to look at any of them again.
    """

    stages: tuple[str, ...]
    due: bool


def agenda(targets: Sequence[str] = ()) -> Agenda:
    """The stages of ./dvc.yaml as ``stages_in_order`` has them, and whether any is not up to date.

    Raises:
        StudyError: as ``stages_in_order``, or another run holds the project.
    """
    with open_project() as repo:
        stages = ordered(repo, targets)
        # Not by `repo.status(targets=...)`, which reads dvc.yaml and dvc.lock once more for every target.
        with repo.lock:
            due = any(stage.status(check_updates=True) for stage in stages)
        return Agenda(tuple(stage.addressing for stage in stages), due)


def stages_in_order(targets: Sequence[str] = ()) -> list[str]:
    """The stages of ./dvc.yaml, each after those it depends on; independent ones in the file's order.

    Args:
        targets: only these stages and what they depend on; all stages when empty.

    Raises:
        StudyError: no dvc.yaml here, DVC cannot read it, or a target is not in it.
    """
    with open_project() as repo:
        return [stage.addressing for stage in ordered(repo, targets)]


def declared_stages() -> list[str]:
    """The names of ./dvc.yaml, in its order, without asking DVC; none where there is no such file."""
    try:
        found = yaml.safe_load(Path("dvc.yaml").read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError):
        return []
    return list(found.get("stages", {})) if isinstance(found, dict) else []


def ordered(repo: Repo, targets: Sequence[str]) -> list[PipelineStage]:
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
    return [stage for stage in order if stage in wanted and stage.cmd]


@contextmanager
def open_project() -> Iterator[Repo]:
    """DVC's view of the working directory; what DVC raises inside comes out as StudyError."""
    if not Path("dvc.yaml").is_file():
        raise StudyError(f"{Path.cwd()}: holds no dvc.yaml. Run it in the project's folder.")
    try:
        # DVC's notes ("Running stage", advice to `git add` and `dvc push`) would drown the study's own lines.
        with set_loggers_level(logging.ERROR), Repo() as repo:
            yield repo
    except DvcException as error:
        raise explained(error) from error
    except OSError as error:
        raise unwritable(Path(error.filename or ".dvc"), error) from error


def explained(error: BaseException) -> StudyError:
    """DVC's own error in one message: its whole chain of causes, and the remedy for a held lock."""
    chain = [error]
    while (cause := chain[-1].__cause__) is not None:
        chain.append(cause)
    if any(isinstance(link, LockError) for link in chain):
        holders = re.findall(r"\(PID (\d+)\): (.+)", str(chain[-1]))
        named = "; ".join(f"process {pid} ({command})" for pid, command in holders)
        return StudyError(
            f"Another run holds this project{': ' if named else ''}{named}. Wait for it or stop it, then run it again. "
            "If no such run is left, delete .dvc/tmp/rwlock."
        )
    if isinstance(chain[-1], FileNotFoundError) and (missing := chain[-1].filename):
        return StudyError(
            f"{chain[0]}: {missing} is not there. Put it back; if it is the benchmark's file or the split's, give "
            "another with `-S benchmark.path=FILE` or `-S split.path=FILE`."
        )
    return StudyError(": ".join(dict.fromkeys(str(link) for link in chain if str(link))))


def reproduce(stage: str, *, force: bool = False) -> Status:
    """Run one stage, alone, in this process if it changed or is forced.

    Returns:
        DONE or UNCHANGED; REFUSED when its command ended with status 1 (it has said why) or DVC would not run it
        (said here); INTERRUPTED when Ctrl-C ended the command; FAULT when it ended in any other way.
    """
    try:
        with open_project() as repo:
            ran = repo.reproduce(targets=[stage], single_item=True, force=force)
            return Status.DONE if ran else Status.UNCHANGED
    except StudyError as error:
        if (status := command_status(error)) is None:
            say(error)
            return Status.REFUSED
        return Status(status) if status in (Status.REFUSED, Status.INTERRUPTED) else Status.FAULT


def command_status(error: BaseException) -> int | None:
    """The status that the stage's command ended with; None when the error is DVC's own."""
    link: BaseException | None = error
    while link is not None and not isinstance(link, StageCmdFailedError):
        link = link.__cause__
    found = re.search(r"exited with (-?\d+)$", str(link))
    return int(found[1]) if found else None
