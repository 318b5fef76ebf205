"""What became of each expectation, free of Great Expectations' own types, times and ids."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from great_expectations import ExpectationSuite
from great_expectations.core import ExpectationSuiteValidationResult

from plancheck.plumbing.errors import SHOWN_PROBLEMS, StudyError
from validation.frames import RECORD


@dataclass(frozen=True, slots=True)
class Outcome:
    """One expectation on one frame.

    ``checked`` and ``unexpected`` count records (0 and 1 for a rule about a whole table that fails);
    ``records`` names the first 20 unexpected ones; ``found`` says what a table has where no record is to blame.
    """

    suite: str
    file: str
    kind: str
    columns: tuple[str, ...]
    rule: str
    success: bool
    checked: int
    unexpected: int
    records: tuple[str, ...]
    found: str

    def sentence(self) -> str:
        """File, suite, columns, rule, and the records that break it; no value of any column but the ID."""
        place = f"{self.file}, suite {self.suite}, {' and '.join(self.columns) or 'table'}: {self.rule}"
        if not self.records:
            return f"{place}; found {self.found or 'nothing: a column is missing'}"
        more = f" and {self.unexpected - len(self.records)} more" if self.unexpected > len(self.records) else ""
        return f"{place}; broken by {self.unexpected} of {self.checked}: {', '.join(self.records)}{more}"


def outcomes(suite: ExpectationSuite, result: ExpectationSuiteValidationResult) -> list[Outcome]:
    """Outcomes in the suite's order.

    Raises:
        ValueError: an expectation was dropped, or shares its description with another of the suite.
    """
    found = {item.expectation_config.description: item for item in result.results if item.expectation_config}
    rules = [expectation.description for expectation in suite.expectations]
    if not len(found) == len(result.results) == len(rules) or set(found) != set(rules):
        raise ValueError(f"suite {suite.name}: {len(rules)} expectations gave {len(found)} results of distinct rules")
    return [outcome(suite, found[rule]) for rule in rules]


def outcome(suite: ExpectationSuite, item: Any) -> Outcome:
    detail = item.result or {}
    config = item.expectation_config
    listed = [row for row in detail.get("partial_unexpected_index_list") or [] if isinstance(row, dict)]
    records = tuple(str(row[RECORD]) for row in listed if RECORD in row)
    return Outcome(
        suite=suite.name,
        file=suite.meta["file"],
        kind=config.type,
        columns=columns_of(config.type, config.kwargs),
        rule=config.description,
        success=bool(item.success),
        checked=int(detail.get("element_count", 0)),
        unexpected=int(detail.get("unexpected_count", 0 if item.success else 1)),
        records=records[:SHOWN_PROBLEMS],
        found="" if records else named(detail.get("observed_value", detail.get("partial_unexpected_list", ""))),
    )


def named(value: Any) -> str:
    """A table's columns, a column's type or a number of rows, in words."""
    return ", ".join(str(item) for item in value) if isinstance(value, list) else str(value)


def columns_of(kind: str, kwargs: dict[str, Any]) -> tuple[str, ...]:
    """The columns an expectation reads; none for one about the whole table."""
    if kind.startswith("expect_table_"):
        return ()
    if "column_A" in kwargs:
        return (kwargs["column_A"], kwargs["column_B"])
    return tuple(kwargs.get("column_list", [])) or (kwargs["column"],)


def report(gate: str, found: Sequence[Outcome], measures: dict[str, Any]) -> dict[str, Any]:
    """What the gate's JSON file holds: every suite with its expectations in order, and what was measured."""
    by_suite: dict[str, list[Outcome]] = {}
    for item in found:
        by_suite.setdefault(item.suite, []).append(item)
    return {
        "gate": gate,
        "expectations": len(found),
        "success": all(item.success for item in found),
        "suites": {
            name: {
                "file": items[0].file,
                "expectations": [
                    {
                        "type": item.kind,
                        "rule": item.rule,
                        "success": item.success,
                        "checked": item.checked,
                        "unexpected": item.unexpected,
                    }
                    for item in items
                ],
            }
            for name, items in by_suite.items()
        },
        **measures,
    }


def failed(gate: str, found: Sequence[Outcome], *, docs: str) -> StudyError:
    """One error that names every failed expectation; unlike other errors it shortens only the lists of records."""
    failures = [item for item in found if not item.success]
    lines = [f"check_{gate}: {len(failures)} of {len(found)} expectations do not hold:"]
    lines += [f"  - {item.sentence()}" for item in failures]
    lines.append(
        "The stages after this gate stay stopped. Delete the named files and run `dvc repro`, which makes them anew; "
        f"if that does not help, the stage that writes them is at fault. Details: {docs}"
    )
    return StudyError("\n".join(lines))
