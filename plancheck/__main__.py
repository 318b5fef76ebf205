"""`python -m plancheck`."""

import signal

from plancheck.plumbing.interrupts import end

signal.signal(signal.SIGINT, end)

from plancheck.cli import main  # noqa: E402

main()
