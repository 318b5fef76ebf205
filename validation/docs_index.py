"""The first page of the Data Docs: every suite, its last outcome, and where to read on.

Great Expectations' own index lists runs by their time; it takes styles and scripts from public servers, without which
it is hard to read. This one is a single file without a script.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment
from markupsafe import Markup

TEMPLATE = Path(__file__).with_name("docs_index.html")
STYLE = Path(__file__).with_name("docs.css")
VALIDATIONS = Path("uncommitted/validations")  # where Great Expectations keeps results


@dataclass(frozen=True, slots=True)
class Judged:
    """A suite's last outcome.

    ``gate`` is the run that judged it, ``time`` when (UTC, ISO 8601), ``broken`` its rules that do not hold, ``place``
    the folders and the name of the result under the site's ``validations``, without suffix.
    """

    suite: str
    file: str
    gate: str
    time: str
    expectations: int
    broken: tuple[str, ...]
    place: tuple[str, ...]

    @property
    def rules(self) -> str:
        """Link to the page of its expectations."""
        return f"expectations/{quote(self.suite)}.html"

    @property
    def outcome(self) -> str:
        """Link to the page of its result."""
        return f"validations/{'/'.join(map(quote, self.place))}.html"

    @property
    def when(self) -> str:
        return f"{self.time[:10]} {self.time[11:19]}"


def latest(home: Path) -> list[Judged]:
    """Of each suite in a Great Expectations folder its last outcome, in the order in which they were judged."""
    store = home / VALIDATIONS
    found: dict[str, Judged] = {}
    for path in store.glob("*/*/*/*.json"):
        result = read(path)
        rules = read(home / "expectations" / f"{result['suite_name']}.json")
        one = judged(result, rules["meta"]["file"], path.relative_to(store).with_suffix("").parts)
        if one.suite not in found or found[one.suite].time < one.time:
            found[one.suite] = one
    return sorted(found.values(), key=lambda one: (one.time, one.suite))


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def judged(result: Mapping[str, Any], file: str, place: tuple[str, ...]) -> Judged:
    run = result["meta"]["run_id"]
    return Judged(
        suite=result["suite_name"],
        file=file,
        gate=run["run_name"],
        time=run["run_time"],
        expectations=len(result["results"]),
        broken=tuple(item["expectation_config"]["description"] for item in result["results"] if not item["success"]),
        place=place,
    )


def index_page(found: Sequence[Judged], notes: Iterable[str] = ()) -> str:
    """The page as HTML; ``notes`` say what was not judged."""
    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
        TEMPLATE.read_text(encoding="utf-8")
    )
    broken = [one for one in found if one.broken]
    return template.render(
        found=found,
        broken=broken,
        notes=list(notes),
        expectations=sum(one.expectations for one in found),
        style=Markup(STYLE.read_text(encoding="utf-8")),
    )
