"""Columns and types of the tables: checked first, because every other rule reads columns by name."""

import great_expectations.expectations as gxe
import pandas as pd
import pyarrow as pa
from great_expectations import ExpectationSuite

from plancheck.records import TABLES, router_features
from validation.inputs import Inputs, table_file
from validation.router_features import scorers_of
from validation.suites import among, suite

PARTLY_READ = {"contexts"}  # its text column is never loaded, so its columns are not all there to see


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Of each table one row: under every column's name, its type."""
    return {
        f"{name}_columns": described(table.schema) for name, table in inputs.tables.items() if name not in PARTLY_READ
    }


def described(schema: pa.Schema) -> pd.DataFrame:
    return pd.DataFrame([[type_name(item.type) for item in schema]], columns=schema.names)


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    """For each table: the columns of its schema in that order, each of its type."""
    return [table_suite(name, schema_of(inputs, name)) for name in inputs.tables if name not in PARTLY_READ]


def schema_of(inputs: Inputs, name: str) -> pa.Schema:
    """The columns that the table of that name promises; a router's features are those of the declared rankings."""
    return router_features(*scorers_of(inputs)) if name == "router_features" else TABLES[name]


def table_suite(name: str, schema: pa.Schema) -> ExpectationSuite:
    types = {item.name: type_name(item.type) for item in schema}
    return suite(
        f"{name}_columns",
        table_file(name),
        gxe.ExpectTableColumnsToMatchOrderedList(
            column_list=schema.names, description=f"the columns are {', '.join(schema.names)}, in this order"
        ),
        *(among(column, [kind], f"{column} is of type {kind}") for column, kind in types.items()),
    )


def type_name(kind: pa.DataType) -> str:
    """Arrow's name of a type. Parquet calls a list's items "element", Arrow "item"; they are the same."""
    return str(kind).replace("<element: ", "<item: ")
