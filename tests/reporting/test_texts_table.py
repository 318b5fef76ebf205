import pandas as pd

from plancheck.records import Atom
from plancheck.reporting.texts_table import TEXTS, texts_table

ATOMS = {
    "c1": (Atom("a", "c1", 0, 8, 0), Atom("b", "c1", 7, 15, 0)),
    "c2": (Atom("d", "c2", 0, 5, 0),),
}
CONTEXTS = {"q1": "c1", "q2": "c2", "q3": "c1"}


def row(question_id, budget, text, atoms, *, cut=False):
    return {"question_id": question_id, "budget_chars": budget, "packed_id": text, "atom_ids": atoms, "cut": cut}


def test_conditions_their_texts_and_atoms_longer_than_the_budget_are_counted():
    packed = pd.DataFrame(
        [
            row("q1", 20, "t1", ["a", "b"]),
            row("q1", 20, "t1", ["a", "b"]),
            row("q2", 20, "t2", ["d"]),
            row("q2", 20, "t3", []),
            row("q1", 6, "t4", ["a"], cut=True),
            row("q1", 6, "t5", ["a", "b"], cut=True),
            row("q2", 6, "t2", ["d"]),
            row("q2", 6, "t2", ["d"]),
        ]
    )
    table = texts_table(packed, CONTEXTS, ATOMS, budgets_chars=[20, 6])
    assert list(table.columns) == TEXTS.names
    assert table.to_numpy().tolist() == [[20, 2, 4, 3, 0, 8, 0], [6, 2, 4, 3, 1, 8, 2]]
