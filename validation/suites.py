"""Pieces that suites share. Within a suite every expectation's description is unique: it is the rule's name."""

import sys
from collections.abc import Sequence
from pathlib import Path

import great_expectations.expectations as gxe
import pyarrow as pa
from great_expectations import ExpectationSuite
from great_expectations.expectations.expectation import Expectation


def suite(name: str, file: Path, *expectations: Expectation) -> ExpectationSuite:
    """A suite that knows the file whose rows it judges."""
    return ExpectationSuite(name=name, expectations=list(expectations), meta={"file": file.as_posix()})


def present(*columns: str) -> list[Expectation]:
    """No column has an empty value."""
    return [gxe.ExpectColumnValuesToNotBeNull(column=column, description=f"{column} is present") for column in columns]


def present_in(schema: pa.Schema) -> list[Expectation]:
    """No column that the schema says is never null has an empty value; list columns are left to their lengths."""
    return present(*(item.name for item in schema if not item.nullable and not pa.types.is_list(item.type)))


def between(column: str, least: float | None, most: float | None, rule: str) -> Expectation:
    return gxe.ExpectColumnValuesToBeBetween(column=column, min_value=least, max_value=most, description=rule)


def finite(column: str) -> Expectation:
    """No value is infinite; one that is not a number counts as empty and is left to the rule that demands it."""
    return between(column, -sys.float_info.max, sys.float_info.max, f"{column} is finite")


def none_of(column: str, rule: str) -> Expectation:
    """A derived count of faults is 0 everywhere."""
    return between(column, 0, 0, rule)


def matching(column: str, regex: str, rule: str) -> Expectation:
    return gxe.ExpectColumnValuesToMatchRegex(column=column, regex=regex, description=rule)


def unique(columns: Sequence[str], rule: str) -> Expectation:
    if len(columns) == 1:
        return gxe.ExpectColumnValuesToBeUnique(column=columns[0], description=rule)
    return gxe.ExpectCompoundColumnsToBeUnique(column_list=list(columns), description=rule)


def equal(first: str, second: str, rule: str) -> Expectation:
    """Two columns agree; a row that lacks one of them is left to the rule that demands it."""
    return gxe.ExpectColumnPairValuesToBeEqual(
        column_A=first, column_B=second, ignore_row_if="either_value_is_missing", description=rule
    )


def at_least(larger: str, smaller: str, rule: str, *, or_equal: bool = True) -> Expectation:
    """The first column is at least the second; a row that lacks one of them is left to the rule that demands it."""
    return gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A=larger, column_B=smaller, or_equal=or_equal, ignore_row_if="either_value_is_missing", description=rule
    )


def among(column: str, allowed: Sequence[object], rule: str) -> Expectation:
    return gxe.ExpectColumnValuesToBeInSet(column=column, value_set=list(allowed), description=rule)
