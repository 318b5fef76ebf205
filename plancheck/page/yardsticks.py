"""What the perfect and the null planner say of the judged one: whether this study could have shown a gain."""

from collections.abc import Sequence
from typing import Final

from plancheck.page.cells import counted, listed, percentage
from plancheck.page.ladder import tier_label
from plancheck.page.showing import Showing, supported
from plancheck.page.study import Study
from plancheck.reporting.results import ALL

PLANS: Final = {"perfect": "exactly the passages that hold the answer", "null": "passages at random"}


def like_for_like(study: Study, perfect: Showing | None, null: Showing | None) -> str:
    """The perfect and the null planner in the judged one's fill and order where they are declared, else alone."""
    found = {"perfect": (perfect, study.perfect), "null": (null, study.null)}
    clauses = [
        f"the {kind} planner ({own.policy}{'' if own.policy == mark.policy else ', the plan alone'}), which names "
        f"{PLANS[kind]}, is {own.right} and {own.beats}"
        for kind, (own, mark) in found.items()
        if own
    ]
    if not clauses:
        return ""
    same = all(own is None or own.policy == mark.policy for own, mark in found.values())
    starts = "With the same fill (what retrieval adds)" if same else "Not all with the same fill (what retrieval adds)"
    return f"{starts}, {'; '.join(clauses)}."


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
        else f"against {listed([tier_label(tier).lower() for tier in missed])}"
    )  # fmt: skip
    return (
        f"Even that perfect planner shows no gain {where}, so none could be expected of another planner with this fill."
    )


def plan_alone(alone: Showing | None, perfect: Showing | None) -> str:
    """The perfect plan without fill, where that is another policy than the one already named."""
    if alone is None or alone is perfect:
        return ""
    could = ": the ladder shows a gain where the passages are good enough" if supported(alone.verdicts) else ""
    return f"The perfect plan alone, without any fill ({alone.policy}), is {alone.right} and {alone.beats}{could}."


def held_out(study: Study, judged: Showing, perfect: Sequence[Showing | None]) -> str:
    """How many tiers the judged and the perfect planner beat on test questions, the latter in each of its forms."""
    if not judged.held_out:
        return ""
    of = ", which the planner did not learn from" if study.family(judged.policy).learned else ""
    open_to = list(judged.held_out.values()).count("cannot_tell")
    text = (
        f"On the {judged.test_questions:,} test questions alone{of}, it beats "
        f"{supported(judged.held_out)} of {counted(len(judged.held_out), 'tier')}, and {open_to:,} cannot be told "
        "(each one's best control picked on train and dev; routers in folds)"
    )
    forms = [found for found in dict.fromkeys(perfect) if found and found.held_out]
    if not forms:
        return f"{text}."
    reach = [f"{found.policy} beats {supported(found.held_out)}" for found in forms]
    could = any(supported(found.held_out) for found in (judged, *forms))
    return f"{text}; perfect planners: {listed(reach)}.{'' if could else ' So this part could not have shown a gain.'}"


def no_better_than_chance(study: Study, judged: Showing, null: Showing | None) -> str:
    """Said where the null planner is right at least as often as the judged one."""
    if null is None or null.accuracy < judged.accuracy:
        return ""
    how = "gets more of them right than" if null.accuracy > judged.accuracy else "gets as many of them right as"
    text = (
        f"On these questions the null planner, which names passages at random, {how} the {study.subject} "
        f"({percentage(null.accuracy)} against {percentage(judged.accuracy)} right)"
    )
    ours, theirs = (plan_recall(study, study.selector_of.get(name)) for name in (judged.policy, null.policy))
    if ours is None or theirs is None:
        return f"{text}."
    return f"{text}; evidence recall of the plans: null {theirs}, its own {ours}."


def plan_recall(study: Study, selector: str | None) -> str | None:
    """Mean share in % of the evidence that a selector's plans name, on all questions; None where it is unknown."""
    table = study.table("selection")
    if table.empty:
        return None
    found = table.loc[(table["selector"] == selector) & (table["split"] == ALL), "evidence_recall"].dropna()
    return None if found.empty else percentage(found.iloc[0])
