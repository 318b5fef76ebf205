"""`python -m plancheck`."""

from plancheck.cli import main

main()
