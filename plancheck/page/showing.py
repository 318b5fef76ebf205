"""What the ladder says of one policy at one budget: its verdict at each tier of controls."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from plancheck.page.cells import counted, percentage
from plancheck.page.ladder import tier_label
from plancheck.reporting import ladder
from plancheck.reporting.results import ALL, TEST


@dataclass(frozen=True, slots=True, eq=False)
class Showing:
    """What the ladder says of one policy at one budget.

    Args:
        verdicts: by tier, in the ladder's order, on all questions.
        held_out: by tier, on the test questions.
        accuracy: share of all questions answered right.
    """

    policy: str
    verdicts: Mapping[str, ladder.Verdict]
    held_out: Mapping[str, ladder.Verdict]
    accuracy: float
    questions: int
    test_questions: int

    @property
    def right(self) -> str:
        return f"{percentage(self.accuracy)} right"

    @property
    def beats(self) -> str:
        """As in "beats 2 of 6 tiers"."""
        return f"beats {supported(self.verdicts)} of {counted(len(self.verdicts), 'tier')}"


def showing(rows: pd.DataFrame, policy: str | None) -> Showing | None:
    """What the rows of one budget say of a policy; None where they say nothing.

    A tier of several rows (routers) has one verdict: see `reporting.ladder`.
    """
    own = rows[rows["planner"] == policy]
    everyone, held_out = own[own["split"] == ALL], own[own["split"] == TEST]
    if everyone.empty:
        return None
    return Showing(
        policy=str(policy),
        verdicts=dict(tier_verdicts(everyone)),
        held_out=dict(tier_verdicts(held_out)),
        accuracy=float(everyone["treatment_accuracy"].iloc[0]),
        questions=int(everyone["questions"].max()),
        test_questions=0 if held_out.empty else int(held_out["questions"].max()),
    )


def tier_verdicts(rows: pd.DataFrame) -> Iterator[tuple[str, ladder.Verdict]]:
    for tier, own in rows.groupby("tier", sort=False):
        verdicts = own["verdict"].tolist()
        yield str(tier), verdicts[ladder.deciding(verdicts)]


def supported(verdicts: Mapping[str, ladder.Verdict]) -> int:
    """At how many tiers a gain is supported."""
    return list(verdicts.values()).count("supported")


def deciding_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Of one planner's rows at one budget, the one that decides each tier on all questions, in the ladder's order.

    ``named`` is the tier's name for readers, with the row's control where the rows of a tier disagree.
    """
    found = ladder.decided(rows, ALL)
    everyone = rows[rows["split"] == ALL]
    disagree = everyone.groupby("tier", sort=False)["verdict"].nunique() > 1
    named = [
        f"{tier_label(tier).lower()} ({control})" if disagree[tier] else tier_label(tier).lower()
        for tier, control in zip(found["tier"], found["control"], strict=True)
    ]
    return found.assign(named=named)
