"""What packed contexts are made of: the plan, the anchors, the fill."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import pandas as pd

from plancheck.params.pack import Policy
from plancheck.reporting.columns import BUDGET, POLICY, QUESTIONS
from plancheck.reporting.results import records
from plancheck.reporting.table import Column, Table

COMPOSITION: Final = Table(
    name="composition",
    title="What the packed contexts are made of",
    notes="Mean share of the characters shown, and mean number of characters, over the questions to which anything is "
    "shown.",
    empty="no policy shows any context",
    columns=(
        POLICY,
        BUDGET,
        Column("part", "Part"),
        Column("mean_share", "Mean share of packed characters, %", "percent"),
        Column("mean_chars", "Mean characters", "number"),
        QUESTIONS,
    ),
)
Part = Literal["selected", "anchor", "fill"]


def composition_table(
    packed: pd.DataFrame,
    policies: Mapping[str, Policy],
    plans: Mapping[tuple[str, str], Sequence[str]],
    ranks: Mapping[str, Mapping[tuple[str, str], int]],
) -> pd.DataFrame:
    """COMPOSITION: a row a condition and part that its policy has, as declared.

    An atom that a plan names counts as selected, also where it is an anchor too. The first part of a document
    (``head``, ``head_tail``) counts as fill.

    Args:
        packed: columns question_id, policy, budget_chars, atom_ids, starts, ends.
        policies: by name.
        plans: atom IDs by (question ID, selector).
        ranks: by ranking that anchors use, the rank from 1 of every atom by (question ID, atom ID).

    Returns:
        ``mean_share`` is the mean share of the characters shown (separators not counted), over the ``questions`` to
        which anything is shown; ``mean_chars`` over the same. Both are empty for no question.
    """
    rows = []
    for (name, budget), group in packed.groupby(["policy", "budget_chars"], sort=False):
        policy = policies[str(name)]
        shown = [chars_by_part(row, policy, plans, ranks) for row in records(group)]
        shown = [chars for chars in shown if sum(chars.values())]
        for part in parts(policy):
            shares = [chars[part] / sum(chars.values()) for chars in shown]
            rows.append(
                {
                    "policy": name,
                    "budget_chars": budget,
                    "part": part,
                    "mean_share": sum(shares) / len(shares) if shares else None,
                    "mean_chars": sum(chars[part] for chars in shown) / len(shown) if shown else None,
                    "questions": len(shown),
                }
            )
    return COMPOSITION.frame(rows)


def parts(policy: Policy) -> list[Part]:
    """The parts a policy has, in packing order."""
    has: dict[Part, bool] = {
        "selected": policy.selector is not None,
        "anchor": policy.anchors is not None,
        "fill": policy.fill != "none",
    }
    return [part for part, present in has.items() if present]


def chars_by_part(
    row: Mapping[str, Any],
    policy: Policy,
    plans: Mapping[tuple[str, str], Sequence[str]],
    ranks: Mapping[str, Mapping[tuple[str, str], int]],
) -> dict[Part, int]:
    """Characters of a packed context that each part showed first."""
    question_id = row["question_id"]
    selected = set(plans[question_id, policy.selector]) if policy.selector else set()
    found: dict[Part, int] = {"selected": 0, "anchor": 0, "fill": 0}
    for atom_id, start, end in zip(row["atom_ids"], row["starts"], row["ends"], strict=True):
        part: Part = "fill"
        if atom_id in selected:
            part = "selected"
        elif policy.anchors and ranks[policy.anchors.ranking][question_id, atom_id] <= policy.anchors.atoms:
            part = "anchor"
        found[part] += int(end - start)
    return found
