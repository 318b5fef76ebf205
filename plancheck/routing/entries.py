"""The entries of data/routing.parquet: every router with the schemes it is fitted under, in the table's order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Scheme = Literal["none", "stratified", "leave_one_domain_out", "in_sample"]
Kind = Literal["oracle", "deployable", "fixed", "optimistic"]
FOLD_SCHEMES: Final[tuple[Scheme, ...]] = ("stratified", "leave_one_domain_out")

ORACLE_PAIR: Final = "oracle_pair"
ORACLE_ALL: Final = "oracle_all"
BEST_SINGLE: Final = "best_single"
IN_SAMPLE: Final = "domain_rule_in_sample"
ANY_POLICY: Final = (ORACLE_ALL, BEST_SINGLE)  # these choose among all policies, the others between two


@dataclass(frozen=True, slots=True)
class Entry:
    """A router under a scheme.

    ``kind`` says what its accuracy is worth: oracle reads the gold letters of the questions it routes, deployable
    reads what is known before them, fixed shows one policy to a whole fold, optimistic is tested on what it learned.
    """

    scheme: Scheme
    router: str
    kind: Kind


def entries(routers: Sequence[str]) -> list[Entry]:
    """Oracles, then each fold scheme with ``routers`` and the best single policy, then the in-sample rule."""
    return [
        Entry("none", ORACLE_PAIR, "oracle"),
        Entry("none", ORACLE_ALL, "oracle"),
        *(
            entry
            for scheme in FOLD_SCHEMES
            for entry in (
                *(Entry(scheme, router, "deployable") for router in routers),
                Entry(scheme, BEST_SINGLE, "fixed"),
            )
        ),
        Entry("in_sample", IN_SAMPLE, "optimistic"),
    ]
