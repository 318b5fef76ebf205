"""The entries of data/routing.parquet: every router with the schemes it is fitted under, in the table's order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Scheme = Literal["none", "stratified", "leave_one_domain_out", "in_sample"]
Kind = Literal["oracle", "deployable", "fixed", "optimistic"]
Among = Literal["pair", "controls", "policies"]
FOLD_SCHEMES: Final[tuple[Scheme, ...]] = ("stratified", "leave_one_domain_out")

ORACLE_PAIR: Final = "oracle_pair"
ORACLE_ALL: Final = "oracle_all"
BEST_SINGLE: Final = "best_single"
IN_SAMPLE: Final = "domain_rule_in_sample"


@dataclass(frozen=True, slots=True)
class Entry:
    """A router under a scheme; no two entries are the same in scheme, router and among.

    ``among`` says what it chooses among: the pair of section route, the controls that are the best of each tier in the
    questions it learned from, or all policies that no known evidence went into. ``kind`` says what its accuracy is
    worth: oracle reads the gold letters of the questions it routes, deployable reads what is known before them, fixed
    shows one policy to a whole fold, optimistic is tested on what it learned.
    """

    scheme: Scheme
    router: str
    among: Among
    kind: Kind


def entries(routers: Sequence[str]) -> list[Entry]:
    """Oracles; each fold scheme with ``routers`` among the pair, among controls, and the best single policy; in sample.

    In sample stand the domain rule of the pair and the best single policy, which oracles are compared with.
    """
    return [
        Entry("none", ORACLE_PAIR, "pair", "oracle"),
        Entry("none", ORACLE_ALL, "policies", "oracle"),
        *(
            entry
            for scheme in FOLD_SCHEMES
            for entry in (
                *(Entry(scheme, router, "pair", "deployable") for router in routers),
                *(Entry(scheme, router, "controls", "deployable") for router in routers),
                Entry(scheme, BEST_SINGLE, "policies", "fixed"),
            )
        ),
        Entry("in_sample", IN_SAMPLE, "pair", "optimistic"),
        Entry("in_sample", BEST_SINGLE, "policies", "optimistic"),
    ]
