"""The columns of every table in reports/tables, by the table's name."""

from collections.abc import Mapping, Sequence
from typing import Final

from plancheck.reporting import (
    composition_table,
    ladder,
    main_table,
    mechanisms_table,
    power_table,
    rankings_table,
    routing_table,
    texts_table,
)
from plancheck.reporting.accuracy_tables import HELDOUT_COLUMNS
from plancheck.reporting.comparison_tables import BEST_OF_ALL_COLUMNS, COMPARISONS_COLUMNS
from plancheck.reporting.domain_tables import DIFFERENCES_COLUMNS, DOMAINS_COLUMNS
from plancheck.reporting.selection_table import COLUMNS as SELECTION_COLUMNS
from plancheck.reporting.variant_tables import ORDER_COLUMNS, SENSITIVITY_COLUMNS

COLUMNS: Final[Mapping[str, Sequence[str]]] = {
    "main": main_table.COLUMNS,
    "selection": SELECTION_COLUMNS,
    "heldout": HELDOUT_COLUMNS,
    "domains": DOMAINS_COLUMNS,
    "domain_differences": DIFFERENCES_COLUMNS,
    "comparisons": COMPARISONS_COLUMNS,
    "ladder": ladder.COLUMNS,
    "best_of_all": BEST_OF_ALL_COLUMNS,
    "routing": routing_table.COLUMNS,
    "sensitivity": SENSITIVITY_COLUMNS,
    "order": ORDER_COLUMNS,
    "mechanisms": mechanisms_table.COLUMNS,
    "power": power_table.COLUMNS,
    "composition": composition_table.COLUMNS,
    "texts": texts_table.COLUMNS,
    "rankings": rankings_table.COLUMNS,
}
