"""How the threads of numerical libraries wait for each other."""

import os


def sleep_when_idle() -> None:
    """Let OpenMP's threads sleep while they wait, unless the user says otherwise; called before torch is imported.

    By default they spin, which is a little faster on idle cores and several times slower where anything else runs.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
