"""params.yaml composed from conf/, as `dvc exp run -S profile=NAME -S section.name=value` composes it."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from plancheck.params.study import PARAMS, parse_params, yaml_values
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import replacing

CONF = Path("conf")


def profiles() -> list[str]:
    """The names of the profiles of the working directory, in order; none where it holds no study."""
    return sorted(path.stem for path in (CONF / "profile").glob("*.yaml"))


def compose(profile: str | None, overrides: Sequence[str] = (), *, keep: bool = False) -> None:
    """Write params.yaml anew from a profile and overrides; without a profile it stays as it is.

    It is replaced once the new parameters keep every rule, and not before; with ``keep`` they are only checked.

    Raises:
        StudyError: there is no such profile, an override is none, overrides come without a profile, or the parameters
            break a rule.
    """
    if profile is None:
        if overrides:
            raise StudyError(
                f"Overrides ({', '.join(overrides)}) change a profile, and none is named. Name one of "
                f"{', '.join(profiles())}."
            )
        return
    if profile not in profiles():
        raise StudyError(f"There is no profile {profile!r} in {CONF / 'profile'}. There are {', '.join(profiles())}.")
    # Takes most of a second, which a run of params.yaml as it is does not wait for.
    from dvc.exceptions import DvcException
    from dvc.utils.hydra import compose_and_dump

    folder = str(CONF.resolve())
    with TemporaryDirectory() as made:
        composed = Path(made) / PARAMS.name
        try:
            compose_and_dump(composed, folder, None, "config", folder, [f"profile={profile}", *overrides])
        except DvcException as error:
            raise unfit(profile, overrides, error) from error
        except Exception as error:
            # Hydra's and OmegaConf's errors have no base of their own.
            if type(error).__module__.partition(".")[0] not in ("hydra", "omegaconf"):
                raise
            raise unfit(profile, overrides, error) from error
        parse_params(yaml_values(composed), name=str(PARAMS))
        if not keep:
            with replacing(PARAMS) as temporary:
                shutil.copyfile(composed, temporary)


def unfit(profile: str, overrides: Sequence[str], error: Exception) -> StudyError:
    reason = str(error.__cause__ or error).strip().splitlines()[0].rstrip(".")
    return StudyError(
        f"Profile {profile} cannot be composed with {', '.join(overrides) or 'no override'}: {reason}. An override is "
        f"section.name=value, as in params.yaml; profiles are {', '.join(profiles())}."
    )
