"""Where the files of a model are on this machine."""

from collections.abc import Collection, Mapping
from pathlib import Path

from plancheck.backends.folders import ADAPTER_CONFIG, model_files, tokenizer_files
from plancheck.backends.served.keys import key_of
from plancheck.backends.snapshots import download_model
from plancheck.backends.wheels import wheel_weights
from plancheck.params.models import HubModel, PathModel, ServedModel, WheelModel
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
                case ServedModel():
                    key_of(spec)
                    places[spec] = tokenizer_folder(spec)
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


def misfits(models: Mapping[str, Section], places: Mapping[Section, Path], adapters: Collection[str]) -> list[str]:
    """Roles of ``adapters`` whose folder holds no adapter, and others whose folder holds no model; of those found."""
    found = []
    for role, spec in models.items():
        if spec not in places or not places[spec].is_dir():
            continue
        is_model = (places[spec] / "config.json").is_file()
        if role in adapters and not (places[spec] / ADAPTER_CONFIG).is_file():
            found.append(f"models.{role}: {places[spec]} holds no {ADAPTER_CONFIG}, so no adapter in PEFT's format")
        if role not in adapters and not is_model:
            found.append(f"models.{role}: {places[spec]} holds an adapter, and the role needs a model")
    return found


def tokenizer_folder(spec: ServedModel) -> Path:
    """The folder of a served model's tokenizer; an empty path where it has none.

    Raises:
        StudyError: it holds none.
    """
    if spec.tokenizer is None:
        return Path()
    if not tokenizer_files(spec.tokenizer):
        raise StudyError(
            f"{spec.tokenizer}: holds no tokenizer.json or tokenizer_config.json. Name a folder with the tokenizer of "
            f"{spec.model} in Transformers' format."
        )
    return spec.tokenizer
