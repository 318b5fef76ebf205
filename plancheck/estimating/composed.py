"""Parameters of a profile and overrides, composed from conf/ as DVC composes them, with nothing written."""

from collections.abc import Sequence
from pathlib import Path

from plancheck.params.study import Params, parse_params, read_params
from plancheck.plumbing.errors import StudyError

CONF = Path("conf")


def composed(profile: str | None, overrides: Sequence[str]) -> Params:
    """The parameters of params.yaml, or those that a profile would put there.

    Raises:
        StudyError: there is no such profile, overrides are none or come without one, or parameters break a rule.
    """
    if profile is None and not overrides:
        return read_params()
    known = ", ".join(sorted(path.stem for path in (CONF / "profile").glob("*.yaml")))
    if profile is None or not (CONF / "profile" / f"{profile}.yaml").is_file():
        asked = "-S changes a profile, and none is named" if profile is None else f"there is no profile {profile!r}"
        raise StudyError(f"--profile: {asked}. There are {known or 'none: run inside the folder of a study'}.")
    from hydra import compose, initialize_config_dir  # takes half a second
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        with initialize_config_dir(str(CONF.resolve()), version_base=None):
            values = OmegaConf.to_object(compose("config", overrides=[f"profile={profile}", *overrides]))
    except (HydraException, OmegaConfBaseException) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise StudyError(
            f"--profile {profile} cannot be composed with {', '.join(overrides) or 'no override'}: {reason}. An "
            "override is -S section.name=value, as in params.yaml."
        ) from error
    return parse_params(values, name=f"profile {profile}")
