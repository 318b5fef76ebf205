"""Stage ``parameters``: whether params.yaml can be run with on this machine, before any other stage is begun."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plancheck.backends.places import located, misfits
from plancheck.params.given import files_of
from plancheck.params.models import HubModel
from plancheck.params.rankings import Run
from plancheck.params.selectors import adapter_roles, plan_files
from plancheck.params.study import Params
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.files import write_json

REPORT = Path("reports/checks/parameters.json")
EVERYWHERE = ("auto", "cpu")  # devices that no machine lacks
GIVEN = Path("given")
COPIES = ".dvc/tmp/exps/"  # where DVC runs experiments that are not run in place


def run(params: Params) -> None:
    """Write reports/checks/parameters.json, which says nothing else: no stage runs again for parameters that are right.

    The rules of params.yaml itself were checked when it was read.

    Raises:
        StudyError: the benchmark's file, the split's, a run, a model of this machine or a device is not there; all
            of them are listed.
    """
    given = {"benchmark.path": params.benchmark.path}
    if params.split.listed:
        given["split.path"] = params.split.path
    given |= {f"rankings.{name}.path": spec.path for name, spec in params.rankings.items() if isinstance(spec, Run)}
    problems = [
        *(problem for name, path in given.items() for problem in missing_file(name, path)),
        *misplaced_files("selectors", plan_files(params.selectors), GIVEN / "plans"),
        *misplaced_files("contexts", files_of(params.contexts), GIVEN / "contexts"),
        *misplaced_files("predictions", files_of(params.predictions), GIVEN / "predictions"),
        *misplaced_prompts(params),
        *misplaced_atoms(params),
        *missing_models(params),
        *missing_devices(params.model_dump()),
    ]
    if problems:
        raise all_problems(
            f"params.yaml: {len(problems)} parameter(s) cannot be used here:",
            problems,
            remedy="Mend them in conf/ or give others with `-S section.name=value`.",
        )
    write_json(REPORT, {"parameters": "can be used"})


def missing_file(name: str, path: Path) -> list[str]:
    """What is wrong with the path under a parameter's name, nothing where it is a file; a split's may be a folder."""
    if path.is_file() or (name == "split.path" and path.is_dir()):
        return []
    if path.exists():
        return [f"{name}: {path}: is no regular file"]
    if path.is_absolute():
        return [f"{name}: {path}: no such file"]
    found = f"{name}: {path}: no such file in {Path.cwd()}, where relative paths begin"
    if COPIES in Path.cwd().as_posix():
        return [
            f"{found}. This is the copy of the project that `dvc exp run --temp` and `--queue` run in; it holds only "
            "what git and DVC track: give an absolute path, or put the file into data/, run `dvc add` on it and commit"
        ]
    return [f"{found}; name your file with `-S {name}=FILE`"]


def misplaced_files(section: str, files: Mapping[str, Path], folder: Path) -> list[str]:
    """What is wrong with users' own files, by name: they must lie in the folder that DVC watches."""
    problems = []
    for name, path in files.items():
        problems += misplaced(f"{section}.{name}.path", path, folder)
    return problems


def misplaced_prompts(params: Params) -> list[str]:
    """What is wrong with the places of the user's own templates."""
    named = {"answer.prompt": params.answer.prompt, "planner.prompt": params.planner.prompt}
    return [problem for place, path in named.items() if path for problem in misplaced(place, path, GIVEN / "prompts")]


def misplaced_atoms(params: Params) -> list[str]:
    """What is wrong with the place of the user's own atoms."""
    return misplaced("atoms.path", params.atoms.path, GIVEN / "atoms") if params.atoms.path else []


def misplaced(place: str, path: Path, folder: Path) -> list[str]:
    if path.is_absolute() or path.parent != folder:
        return [f"{place}: {path}: must lie in {folder}/, for DVC watches that folder for changes"]
    return missing_file(place, path)


def missing_models(params: Params) -> list[str]:
    """What is wrong with the models that need no network."""
    specs = set(params.models.values())
    try:
        places = located({spec for spec in specs if not isinstance(spec, HubModel)})
    except StudyError as error:
        return [str(error)]
    return misfits(params.models, places, adapter_roles(params.selectors))


def missing_devices(sections: Mapping[str, Any]) -> list[str]:
    """The devices that sections name and this machine does not have."""
    devices = {
        name: section["device"]
        for name, section in sections.items()
        if isinstance(section, Mapping) and section.get("device", "cpu") not in EVERYWHERE
    }
    return [problem for name, device in devices.items() for problem in missing_device(name, device)]


def missing_device(section: str, device: str) -> list[str]:
    from plancheck.backends.device import pick_device  # which loads torch: only to ask for what may be missing

    try:
        pick_device(device)
    except StudyError as error:
        return [f"{section}.{error}"]
    return []
