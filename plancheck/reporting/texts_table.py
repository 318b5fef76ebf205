"""How many conditions show a text of their own at each budget, and whether one atom fills it."""

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from plancheck.packing import with_longer_atoms
from plancheck.records import Atom
from plancheck.reporting.columns import BUDGET, QUESTIONS
from plancheck.reporting.table import Column, Table

TEXTS: Final = Table(
    name="texts",
    title="Conditions that show the same text",
    notes="By budget: conditions (a question under a policy) and the distinct texts that they show. Policies that show "
    "a question the same text cannot differ on it.",
    empty="no policy showed anything",
    columns=(
        BUDGET,
        QUESTIONS,
        Column("conditions", "Conditions", "count"),
        Column("texts", "Distinct texts", "count"),
        Column("one_cut_atom", "One cut atom alone", "count"),
        Column("longest_atom_chars", "Longest atom, characters", "count"),
        Column("longer_atoms", "Questions with a longer atom", "count"),
    ),
)


def texts_table(
    packed: pd.DataFrame,
    contexts: Mapping[str, str],
    atoms: Mapping[str, Sequence[Atom]],
    *,
    budgets_chars: Sequence[int],
) -> pd.DataFrame:
    """TEXTS: a row a budget, as declared.

    Args:
        packed: columns question_id, budget_chars, packed_id, atom_ids, cut; a row a question and policy at a budget.
        contexts: context ID by question.
        atoms: by context.
        budgets_chars: of ``packed``.

    Returns:
        ``conditions`` are questions times policies, ``texts`` the distinct ones they show, ``one_cut_atom`` the
        conditions that show the beginning of one atom and nothing else. ``longer_atoms`` counts the questions whose
        context has an atom longer than the budget.
    """
    longest = max(atom.end - atom.start for own in atoms.values() for atom in own)
    rows = []
    for budget in budgets_chars:
        shown = packed[packed["budget_chars"] == budget]
        longer = with_longer_atoms(atoms, budget_chars=budget)
        rows.append(
            {
                "budget_chars": budget,
                "questions": shown["question_id"].nunique(),
                "conditions": len(shown),
                "texts": shown["packed_id"].nunique(),
                "one_cut_atom": int((shown["cut"] & (shown["atom_ids"].map(len) == 1)).sum()),
                "longest_atom_chars": longest,
                "longer_atoms": sum(context_id in longer for context_id in contexts.values()),
            }
        )
    return TEXTS.frame(rows)
