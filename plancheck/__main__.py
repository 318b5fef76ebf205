"""`python -m plancheck`."""

from plancheck.interrupts import end_quietly_while_loading

end_quietly_while_loading()

from plancheck.cli import main  # noqa: E402

main()
