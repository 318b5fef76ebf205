"""Whether a stage of a locked run may start: asked where every stage starts, before it does anything."""

from plancheck.params.study import Params
from plancheck.plumbing.errors import StudyError, all_problems

LEAVE = (
    "To lock the study as it is now, run `plancheck lock --force`: it is then declared now, and no longer before what "
    "has been run. To run without a lock, set run.locked=false."
)


def refuse_changed(params: Params) -> None:
    """Nothing without ``run.locked``.

    Raises:
        StudyError: the run is locked, and something differs from run.lock.json (each is named with both values, 20 at
            most), or it locks nothing.
    """
    if not params.run.locked:
        return
    # What takes a tenth of a second to import and to ask is asked of locked runs alone.
    from plancheck.locking.comparing import differences, remedies
    from plancheck.locking.record import LOCK, read_lock
    from plancheck.locking.state import state

    lock = read_lock()
    if lock is None:
        raise StudyError(
            f"run.locked is true, and {LOCK} locks nothing. Run `plancheck lock` first, or set run.locked=false."
        )
    if found := differences(lock, state(params)):
        raise all_problems(
            f"{LOCK}: the run is locked, and {len(found)} value(s) differ:",
            [str(one) for one in found],
            remedy=f"To go on as locked, {remedies(found)}. {LEAVE}",
        )
