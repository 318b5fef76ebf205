"""A release verified: what it holds checked, every table and the page rebuilt from it, and compared."""

import re
import tempfile
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import chdir
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import yaml

from plancheck.page.code import code_sha256
from plancheck.params.selectors import harness
from plancheck.params.study import Params, parse_params
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.files import DATA, write_table
from plancheck.plumbing.strict_yaml import yaml_value
from plancheck.release.sums import check_sums, read_sums
from plancheck.release.tables import released_schema, restored, stored_schemas
from plancheck.release.texts import LIBRARIES
from plancheck.release.unpacking import copy_bundle
from plancheck.reporting.metrics import metrics
from plancheck.reporting.tables import TABLES
from plancheck.stages import analyze, report
from plancheck.stages.material import read_material
from plancheck.tables import read_splits
from plancheck.verification.agreement import contradictions
from plancheck.verification.contracts import REMEDY, check_files, read_tables, strict_json
from plancheck.verification.descriptions import descriptions
from plancheck.verification.differences import Difference, csv_differences, same
from plancheck.verification.outcomes import outcomes
from plancheck.visible import in_a_line

MOST_PARAMETERS: Final = 1 << 20  # bytes
DEEPEST: Final = 50
CODE: Final = re.compile(r'<meta name="plancheck-code" content="([0-9a-f]{64})">')


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found.

    Attributes:
        files: how many files the bundle has.
        tables: how many tables of the report were rebuilt.
        cells: how many cells were compared.
        differences: those that differ.
        page: how the page compares, in words.
    """

    files: int
    tables: int
    cells: int
    differences: tuple[Difference, ...]
    page: str


def verify(bundle: Path) -> Verified:
    """Rebuild a bundle's tables and page from its files without text, and compare them.

    Raises:
        StudyError: it is no bundle, its sums are wrong, its tables break their contracts, or nothing can be made of it.
    """
    with tempfile.TemporaryDirectory(prefix="plancheck-verify-") as place:
        folder = Path(place)
        copy_bundle(bundle.absolute(), folder)
        sums = read_sums(folder)
        check_sums(folder, sums)
        check_files(folder)
        with chdir(folder):
            params = read_parameters(Path("params.yaml"))
            try:
                return rebuilt(params, bundle, sums)
            except (StudyError, MemoryError):
                raise
            # Whatever a stranger's files lead to is told in a line.
            except Exception as error:
                told = f"{type(error).__name__}: {in_a_line(str(error))[:300]}"
                raise StudyError(
                    f"{bundle}: its tables cannot be rebuilt ({told}). Its files contradict each other, or another "
                    "version of plancheck made it."
                ) from error


def read_parameters(path: Path) -> Params:
    """The parameters of a bundle; YAML's references, by which a small file grows without end, are refused."""
    if path.stat().st_size > MOST_PARAMETERS:
        raise StudyError(f"{path}: is larger than {MOST_PARAMETERS:,} bytes.")
    try:
        text = path.read_text(encoding="utf-8")
        refuse_endless(path, text)
        value = yaml_value(text)
    except (UnicodeDecodeError, yaml.YAMLError, ValueError, RecursionError) as error:
        raise StudyError(f"{path}: is not readable as YAML ({str(error)[:300]}).") from error
    try:
        return parse_params(value, name=str(path))
    except StudyError as error:  # whose remedy is for one's own study
        told = "\n".join(str(error).splitlines()[:-1]) or str(error)
        raise StudyError(
            f"{told}\nThis version of plancheck cannot read them. Verify the bundle with the version that made it: "
            "CITATION.cff in the bundle names it."
        ) from error


def refuse_endless(path: Path, text: str) -> None:
    """Raise a StudyError for YAML that takes time or memory without end: references, and nesting without bounds."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise StudyError(f"{path}: holds references (&, *), which no release has.")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise StudyError(f"{path}: is nested more than {DEEPEST} deep.")


def rebuilt(params: Params, bundle: Path, sums: Mapping[str, str]) -> Verified:
    """Compare the bundle in the current folder, whose tables are put back in their stored form."""
    schemas = stored_schemas(params)
    columns_of = {name: released_schema(name, columns) for name, columns in schemas.items()}
    tables = read_tables(Path(), columns_of)
    if wrong := list(contradictions(tables)):
        told = [in_a_line(line)[:300] for line in wrong]
        raise all_problems("Tables of the bundle contradict each other:", told, remedy=REMEDY)
    own, described = outcomes(tables, params), descriptions(sums, columns_of)
    for name, columns in schemas.items():
        write_table(DATA / f"{name}.parquet", restored(name, own.tables[name], columns), columns)
    # The page is made from the released tables, so that it can be made beside them.
    try:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            page = pool.submit(page_difference, params, Path.cwd())
            found, cells = table_differences(params)
            difference, words = page.result()
    except StudyError as error:  # of what the study's own stages read
        raise StudyError(
            f"{bundle}: its tables cannot be rebuilt. What is said below to be run is for whoever made it.\n{error}"
        ) from error
    differences = (*described, *own.differences, *found, *difference)
    return Verified(len(sums) + 1, len(TABLES), own.cells + cells, differences, words)


def table_differences(params: Params) -> tuple[list[Difference], int]:
    """The cells of tables and metrics that differ from those made again, and how many were compared."""
    material = read_material(
        rankings=params.rankings,
        selectors=list(params.selectors),
        policies=params.shown,
        budgets_chars=params.pack.budgets_chars,
    )
    made = analyze.make_tables(material, params)
    found: list[Difference] = []
    cells = 0
    for table in TABLES:
        path = analyze.TABLES / f"{table.name}.csv"
        text = made[table.name].to_csv(index=False, lineterminator="\n")
        differences, compared = csv_differences(path.name, path.read_text(encoding="utf-8"), text)
        found, cells = [*found, *differences], cells + compared
    figures = flat(metrics(made, harness=harness(params.selectors)))
    released = flat(strict_json(analyze.METRICS))
    for name in sorted(set(figures) | set(released)):
        cells += 1
        if not same(as_float(released.get(name)), as_float(figures.get(name))):
            found.append(Difference(analyze.METRICS.name, "", name, released.get(name), figures.get(name)))
    return found, cells


def flat(value: Any, name: str = "") -> dict[str, Any]:
    """The leaves of nested mappings, by their dotted names."""
    if not isinstance(value, Mapping):
        return {name: value}
    return {
        leaf: found for key, item in value.items() for leaf, found in flat(item, f"{name}.{key}".lstrip(".")).items()
    }


def as_float(value: Any) -> Any:
    return float(value) if isinstance(value, int | float) else value


def page_difference(params: Params, folder: Path) -> tuple[list[Difference], str]:
    """Where a bundle's page differs from the one that its tables make, and how they compare."""
    with chdir(folder):  # a new process begins where the first one did
        return page_compared(params)


def page_compared(params: Params) -> tuple[list[Difference], str]:
    from plancheck.page.page import page

    released = report.PAGE.read_text(encoding="utf-8")
    code = CODE.search(released)
    if not code or code[1] != code_sha256():
        return [], "was made by another version of plancheck's page, so it is not compared: trust the tables"
    splits = read_splits()
    own = page(
        report.read_study(params),
        questions=report.read_questions(splits, [*params.shown, *params.predictions], params.pack.budgets_chars),
        provenance=report.provenance(params, splits),
    )
    if own == released:
        return [], "is the same to the last byte"
    bare, other = (LIBRARIES.sub("", text, count=1).splitlines() for text in (own, released))
    if bare == other:
        return [], "is the same but for the script that draws its charts, which is of another version of its library"
    if len(bare) != len(other):
        return [Difference(report.PAGE.name, "", "number of lines", len(other), len(bare))], "differs"
    lines = [
        Difference(report.PAGE.name, f"line {number}", "text", *apart(theirs, line))
        for number, (line, theirs) in enumerate(zip(bare, other, strict=True), start=1)
        if line != theirs
    ]
    return lines, "differs"


def apart(released: str, own: str) -> tuple[str, str]:
    """Both lines from a little before the first character in which they differ."""
    at = next((n for n, pair in enumerate(zip(released, own, strict=False)) if pair[0] != pair[1]), 0)
    return released[max(at - 40, 0) : at + 60], own[max(at - 40, 0) : at + 60]
