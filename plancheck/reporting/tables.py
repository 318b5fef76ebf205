"""Every table of reports/tables, in the order of reports/README.md."""

from collections.abc import Iterator, Mapping
from typing import Final

import pandas as pd

from plancheck.reporting.accuracy_tables import HELDOUT
from plancheck.reporting.apart_table import LADDER_APART
from plancheck.reporting.comparison_tables import BEST_OF_ALL, COMPARISONS
from plancheck.reporting.composition_table import COMPOSITION
from plancheck.reporting.domain_tables import DOMAIN_DIFFERENCES, DOMAINS
from plancheck.reporting.ladder import LADDER
from plancheck.reporting.main_table import MAIN
from plancheck.reporting.mechanisms_table import MECHANISMS
from plancheck.reporting.power_table import POWER
from plancheck.reporting.rankings_table import RANKINGS
from plancheck.reporting.routing_table import ROUTING
from plancheck.reporting.selection_table import SELECTION
from plancheck.reporting.table import Table
from plancheck.reporting.texts_table import TEXTS
from plancheck.reporting.variant_tables import ORDER, SENSITIVITY

TABLES: Final[tuple[Table, ...]] = (
    MAIN,
    HELDOUT,
    DOMAINS,
    DOMAIN_DIFFERENCES,
    ROUTING,
    COMPARISONS,
    BEST_OF_ALL,
    LADDER,
    LADDER_APART,
    SENSITIVITY,
    ORDER,
    MECHANISMS,
    POWER,
    COMPOSITION,
    TEXTS,
    RANKINGS,
    SELECTION,
)


def by_declaration(made: Mapping[str, pd.DataFrame]) -> Iterator[tuple[Table, pd.DataFrame]]:
    """Each declared table with its rows.

    Raises:
        ValueError: a table is made and not declared, or the other way round.
    """
    if unknown := sorted(set(made) ^ {table.name for table in TABLES}):
        raise ValueError(f"in reporting.tables.TABLES or made, not both: {', '.join(unknown)}")
    return ((table, made[table.name]) for table in TABLES)
