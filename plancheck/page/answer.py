"""The answer to the study's question in a few sentences, and what the perfect and the null planner say of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from plancheck.page.caveats import read_in_part, same_text, silent_rankings, small_budgets
from plancheck.page.cells import counted, listed, percentage
from plancheck.page.ladder import TIER_LABELS, deciding, rung
from plancheck.page.study import Study
from plancheck.reporting.results import ALL, TEST

CLAUSES: Final[Mapping[str, str]] = {
    "supported": "a gain is supported against {tiers}",
    "opposite": "the planner is worse than {tiers}",
    "not_supported": "a gain of {margin} points or more is excluded against {tiers}",
    "cannot_tell": "this many questions cannot tell against {tiers}",
}


@dataclass(frozen=True, slots=True, eq=False)
class Showing:
    """What the ladder says of one policy at one budget.

    Args:
        verdicts: by tier, in the ladder's order, on all questions.
        held_out: by tier, on the test questions.
        accuracy: share of all questions answered right.
    """

    policy: str
    verdicts: Mapping[str, str]
    held_out: Mapping[str, str]
    accuracy: float
    questions: int
    test_questions: int

    @property
    def right(self) -> str:
        return f"{percentage(self.accuracy)} right"

    @property
    def survived(self) -> str:
        """As in "supported at 2 of 6 tiers"."""
        return f"supported at {supported(self.verdicts)} of {counted(len(self.verdicts), 'tier')}"


def answer(study: Study) -> tuple[str, ...]:
    """The answer at the largest budget, then what to know before believing it, one text a point.

    A tier counts once, by its verdict on all questions; `reporting.ladder` says which one of several routers decides.
    The verdicts on test questions are counted apart. Without a row of the planner there is no answer.
    """
    rows = study.table("ladder")
    own = rows[rows["planner"] == study.planner] if not rows.empty else rows
    if own.empty:
        return (f"This run holds no comparison of {study.planner} with any tier of controls, so it gives no answer.",)
    budget = int(own["budget_chars"].max())
    rows = rows[rows["budget_chars"] == budget]
    judged = showing(rows, study.planner)
    assert judged
    showings = {name: showing(rows, name) for mark in (study.perfect, study.null) for name in (mark.policy, mark.alone)}
    perfect, null = (showings[mark.policy] or showings[mark.alone] for mark in (study.perfect, study.null))
    points = [
        held_out(judged, [showings[study.perfect.policy], showings[study.perfect.alone]]),
        same_text(rows[(rows["planner"] == study.planner) & (rows["split"] == ALL)]),
        silent_rankings(study),
        read_in_part(study),
        small_budgets(study, budget),
        like_for_like(study, judged, perfect, null),
        beyond_reach(judged, perfect if perfect and perfect.policy == study.perfect.policy else None),
        no_better_than_chance(study, judged, null),
        plan_alone(showings[study.perfect.alone] if study.perfect.policy else None, perfect),
    ]
    return (verdict(judged, budget, rows, margin=study.margin), *filter(None, points))


def showing(rows: pd.DataFrame, policy: str | None) -> Showing | None:
    """What the rows of one budget say of a policy; None where they say nothing."""
    own = rows[rows["planner"] == policy]
    everyone, held_out = own[own["split"] == ALL], own[own["split"] == TEST]
    if everyone.empty:
        return None
    return Showing(
        policy=str(policy),
        verdicts={tier: found for tier, found, _ in tier_verdicts(everyone)},
        held_out={tier: found for tier, found, _ in tier_verdicts(held_out)},
        accuracy=float(everyone["treatment_accuracy"].iloc[0]),
        questions=int(everyone["questions"].max()),
        test_questions=0 if held_out.empty else int(held_out["questions"].max()),
    )


def tier_verdicts(rows: pd.DataFrame) -> Iterator[tuple[str, str, str]]:
    """Tier, its verdict and its name for readers: with the deciding row's control where rows of a tier disagree."""
    for tier, own in rows.groupby("tier", sort=False):
        found = deciding([rung(row) for row in own.to_dict("records")])
        assert found
        label = TIER_LABELS.get(str(tier), str(tier)).lower()
        yield str(tier), found.verdict, f"{label} ({found.control})" if own["verdict"].nunique() > 1 else label


def verdict(judged: Showing, budget: int, rows: pd.DataFrame, *, margin: float) -> str:
    survived = supported(judged.verdicts)
    starts = (
        "Yes, in this run" if survived == len(judged.verdicts)
        else "Only in part" if survived
        else "Not shown in this run"
    )  # fmt: skip
    own = rows[(rows["planner"] == judged.policy) & (rows["split"] == ALL)]
    labels: dict[str, list[str]] = {}
    for _, found, label in tier_verdicts(own):
        labels.setdefault(found, []).append(label)
    clauses = [
        clause.format(tiers=listed(labels[found]), margin=f"{100 * margin:g}")
        for found, clause in CLAUSES.items()
        if found in labels
    ]
    text = "; ".join(clauses)
    return (
        f"{starts}: at {budget:,} characters of context, the gain of {judged.policy} ({judged.right}) is "
        f"{judged.survived} of controls ({judged.questions:,} questions, partly transductive). "
        f"{text[0].upper()}{text[1:]}."
    )


def held_out(judged: Showing, perfect: Sequence[Showing | None]) -> str:
    """At how many tiers the judged and the perfect planner are supported on test, the latter in each of its forms."""
    if not judged.held_out:
        return ""
    text = (
        f"On the {judged.test_questions:,} held-out test questions, with each tier's best control picked on train and "
        f"dev (routers: in folds), it is supported at {supported(judged.held_out)} of "
        f"{counted(len(judged.held_out), 'tier')}"
    )
    forms = [found for found in dict.fromkeys(perfect) if found and found.held_out]
    if not forms:
        return f"{text}."
    reach = [f"{found.policy} at {supported(found.held_out)}" for found in forms]
    could = any(supported(found.held_out) for found in (judged, *forms))
    return (
        f"{text}; the perfect planner: {listed(reach)}.{'' if could else ' So this part could not have shown a gain.'}"
    )


def like_for_like(study: Study, judged: Showing, perfect: Showing | None, null: Showing | None) -> str:
    """The perfect and the null planner beside the judged one, in its fill and order where they are declared."""
    clauses = [
        f"the {kind} planner ({found.policy}{'' if found.policy == mark.policy else ', the plan alone'}) is "
        f"{found.right} and {found.survived}"
        for kind, found, mark in (("perfect", perfect, study.perfect), ("null", null, study.null))
        if found
    ]
    if not clauses:
        return ""
    same = all(
        found is None or found.policy == mark.policy for found, mark in ((perfect, study.perfect), (null, study.null))
    )
    starts = "With the same fill and order" if same else "To calibrate the eye, not all with the same fill and order"
    return f"{starts}: {judged.policy} is {judged.right}; {'; '.join(clauses)}."


def beyond_reach(judged: Showing, perfect: Showing | None) -> str:
    """The tiers at which not even the perfect planner of the same fill is supported."""
    if perfect is None:
        return ""
    missed = [
        tier
        for tier, found in judged.verdicts.items()
        if found != "supported" and perfect.verdicts.get(tier, "supported") != "supported"
    ]
    if not missed:
        return ""
    where = (
        "at any tier" if len(missed) == len(judged.verdicts)
        else f"against {listed([TIER_LABELS.get(tier, tier).lower() for tier in missed])}"
    )  # fmt: skip
    return (
        f"With this fill, a plan that names exactly the evidence is not supported {where} either, so this comparison "
        "could not have shown a gain there."
    )


def no_better_than_chance(study: Study, judged: Showing, null: Showing | None) -> str:
    """Said where the null planner is right at least as often as the judged one."""
    if null is None or null.accuracy < judged.accuracy:
        return ""
    how = "gets more of them right than" if null.accuracy > judged.accuracy else "gets as many of them right as"
    text = (
        f"On these questions the null planner, which names atoms at random, {how} the trained one "
        f"({percentage(null.accuracy)} against {percentage(judged.accuracy)} right)"
    )
    ours, theirs = (plan_recall(study, study.selector_of.get(name)) for name in (judged.policy, null.policy))
    if ours is None or theirs is None:
        return f"{text}."
    return f"{text}; evidence recall of the plans: null {theirs}, trained {ours}."


def plan_recall(study: Study, selector: str | None) -> str | None:
    """Mean share in % of the evidence that a selector's plans name, on all questions; None where it is unknown."""
    table = study.table("selection")
    if table.empty:
        return None
    found = table.loc[(table["selector"] == selector) & (table["split"] == ALL), "evidence_recall"].dropna()
    return None if found.empty else percentage(found.iloc[0])


def plan_alone(alone: Showing | None, perfect: Showing | None) -> str:
    """The perfect plan without fill, where that is another policy than the one already named."""
    if alone is None or alone is perfect:
        return ""
    could = ": the ladder can show a gain where a context brings one" if supported(alone.verdicts) else ""
    return f"The perfect plan alone, without any fill ({alone.policy}), is {alone.right} and {alone.survived}{could}."


def supported(verdicts: Mapping[str, str]) -> int:
    return list(verdicts.values()).count("supported")
