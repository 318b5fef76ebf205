"""How the study runs: one Prefect flow a model-bearing stage, and one over the whole DVC graph."""

from plancheck.plumbing.interrupts import end_quietly_while_loading
from plancheck.plumbing.privacy import switch_off_telemetry
from plancheck.plumbing.threads import sleep_when_idle

end_quietly_while_loading()
sleep_when_idle()
# Prefect reports its first import from a terminal, so the switch must come before any module of this package runs.
switch_off_telemetry()
