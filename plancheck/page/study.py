"""What the page is made from, and the pieces it is made of: sections of figures, each beside its table."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from plancheck.packing import Overflow
from plancheck.page.cells import TableView, table_view
from plancheck.page.families import Family
from plancheck.page.kin import Yardstick
from plancheck.params.selectors import Selector
from plancheck.reporting.results import ALL
from plancheck.reporting.table import Table

if TYPE_CHECKING:  # the console reads a study too, and draws nothing
    from altair.typing import ChartType


@dataclass(frozen=True, slots=True)
class Study:
    """The study's tables and what is needed to read them.

    Args:
        tables: by name of the CSV without its suffix; a table that was not made is an empty frame without columns.
        training: reports/train.json; None where no planner was trained.
        families: by key, in the order shown.
        family_of: the family's key by policy, in the order declared.
        selectors: as declared.
        selector_of: the selector that names a policy's first atoms, None for a control.
        planner: the policy or finished system that the study is about.
        subject: what the page calls it: "planner", or "system" where no planner of the study chooses what it shows.
        about: a sentence that says what kind of system it is; empty for a planner.
        named: whether the parameters name it, so that the page's heading does.
        searchless: tiers whose controls do not search; to beat these alone is not to beat retrieval.
        perfect: what names exactly the evidence, as ``planner`` otherwise.
        null: what names atoms at random, as ``planner`` otherwise.
        tuned: the matched-supervision control and the same control with the reranker as it was; None without them.
        control: the policy that it is first compared with.
        budgets_chars: as declared.
        confidence: of every interval; tests are at the level 1 - confidence.
        power: at which questions needed and differences detectable are given.
        margin: smallest gain in accuracy that matters, as a share.
        reranker_questions: other generated questions whose gold evidence the reranker was tuned on; None where it came
            as it is.
        overflow: what packing does with an atom that does not fit whole.
        begun: whether mined replies were begun for the base model, as those of the prompted selector never are.
        facts: what stages report in reports/<name>.json, by name: atoms, benchmark, rerank, retrieve.
    """

    tables: Mapping[str, pd.DataFrame]
    training: Mapping[str, Any] | None
    families: Mapping[str, Family]
    family_of: Mapping[str, str]
    selectors: Mapping[str, Selector]
    selector_of: Mapping[str, str | None]
    planner: str
    control: str
    perfect: Yardstick
    null: Yardstick
    tuned: tuple[str, str] | None
    budgets_chars: Sequence[int]
    confidence: float
    power: float
    margin: float
    reranker_questions: int | None = None
    overflow: Overflow = "cut"
    begun: bool = False
    facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    subject: str = "planner"
    about: str = ""
    named: bool = False
    searchless: Collection[str] = ()

    def table(self, name: str) -> pd.DataFrame:
        return self.tables.get(name, pd.DataFrame())

    def family(self, policy: str) -> Family:
        return self.families[self.family_of.get(policy, "router")]

    def is_control(self, policy: str) -> bool:
        return self.family_of.get(policy, "").startswith(("tier:", "control"))

    def kind_of(self, policy: str) -> str | None:
        """The kind of a policy's selector; None without one."""
        selector = self.selector_of.get(policy)
        return self.selectors[selector].kind if selector else None

    @property
    def heading(self) -> str:
        """The question that the page answers."""
        return f"Does {self.planner if self.named else 'a learned context planner'} beat strong retrieval?"

    @property
    def largest(self) -> int:
        return max(self.budgets_chars)

    @property
    def chance(self) -> float:
        """What a blind guess gets right of all questions, as a share, from Table 1."""
        rows = self.table("main")
        return float(rows.loc[rows["split"] == ALL, "chance"].iloc[0])

    @property
    def percent(self) -> str:
        """The confidence as in "95 %", with a space that does not break."""
        return f"{100 * self.confidence:g}\N{NO-BREAK SPACE}%"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart: the ID of its place in the page, and a heading of its own where a figure has several."""

    id: str
    chart: "ChartType"
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """One or more charts under a caption, and the tables that they are drawn from.

    Where the data for it are missing there is no chart and ``absent`` says why.
    """

    id: str
    title: str
    caption: str = ""
    drawings: tuple[Drawing, ...] = ()
    absent: str = ""
    tables: tuple[TableView, ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """What a figure makes of the rows of its table: charts by their headings under a caption, or why there is none."""

    caption: str = ""
    charts: Mapping[str, "ChartType"] = field(default_factory=dict)
    absent: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page: its figures under a heading and one sentence or two."""

    id: str
    heading: str
    lead: str
    figures: tuple[Figure, ...] = field(default=())


def figure(
    study: Study,
    declared: Table,
    draw: Callable[[Study, pd.DataFrame], Picture],
    *,
    id: str = "",
    title: str = "",
    largest: bool = False,
) -> Figure:
    """What ``draw`` makes of a table's rows, above the table itself; without rows, why there are none.

    Args:
        draw: gets the rows that are shown, at least one.
        id: of the figure; the table's name unless given.
        title: of the figure; the table's unless given.
        largest: show the rows at the largest budget alone.
    """
    id, title = id or declared.name, title or declared.title
    rows = whole = study.table(declared.name)
    if whole.empty:
        return Figure(id, title, absent=f"{declared.name}.csv holds no row: {declared.empty}.")
    if largest:
        rows = whole[whole["budget_chars"] == study.largest]
    view = table_view(
        declared,
        rows,
        which=f", at {study.largest:,} characters" if largest else "",
        note="The file also holds the other budgets." if len(rows) < len(whole) else "",
    )
    picture = draw(study, rows)
    drawings = tuple(
        Drawing(f"{id}-chart{f'-{place}' if place else ''}", chart, heading)
        for place, (heading, chart) in enumerate(picture.charts.items())
    )
    return Figure(id, title, picture.caption, drawings, picture.absent, (view,))


def questions_of(table: pd.DataFrame) -> str:
    """The number of questions as in "n = 48", or its range where rows differ."""
    low, high = int(table["questions"].min()), int(table["questions"].max())
    return f"n = {low:,}" if low == high else f"n = {low:,} to {high:,}"
