"""Atoms: within their contexts and in order. Windows hold every character, and are no longer than params.atoms says.

Atoms of a user's own (atoms.path) may have any length and leave characters out; every context has one, and none twice.
"""

import pandas as pd
from great_expectations import ExpectationSuite

from plancheck.benchmark.domains import asked_for
from plancheck.records import ATOMS
from validation.frames import counted, with_records
from validation.inputs import Inputs, question_frame, table_file
from validation.suites import at_least, between, none_of, present, present_in, suite, unique


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Atoms with the length and the window of their context; contexts with what is wrong with their atoms."""
    return {"atoms": atoms(inputs), "atoms_by_context": by_context(inputs)}


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    file = table_file("atoms")
    given = inputs.params.atoms.path is not None
    return [
        suite(
            "atoms",
            file,
            *present_in(ATOMS),
            *present("context_chars"),
            unique(["atom_id"], "an atom's ID is its own"),
            unique(["context_id", "position"], "a position is taken once in a context"),
            between("start", 0, None, "an atom starts within its context"),
            between("document", 0, None, "documents count from 0"),
            at_least("end", "start", "an atom ends after its start", or_equal=False),
            at_least("context_chars", "end", "an atom ends within its context"),
            unique(["context_id", "start", "end"], "a span is one atom")
            if given
            else at_least("window_chars", "chars", "an atom is no longer than its window in params.atoms"),
        ),
        suite(
            "atoms_by_context",
            file,
            none_of("without_atoms", "every context has an atom")
            if given
            else none_of("uncovered_chars", "every character is in some atom"),
            none_of("misplaced", "positions count from 0 in order of start"),
        ),
    ]


def atoms(inputs: Inputs) -> pd.DataFrame:
    """One row an atom: its ``chars``, its context's, and the most its window allows, which is for windows alone."""
    frame = inputs.tables["atoms"].to_pandas()
    sections = inputs.params.atoms
    questions = question_frame(inputs)
    domains = asked_for(questions["domain"], sections.multi_document.domains)
    contexts = inputs.tables["contexts"].to_pandas()
    given = contexts["context_id"][contexts["documents"].notna()]
    multiple = {*questions["context_id"][questions["domain"].isin(domains)], *given}
    windows = {True: sections.multi_document.window_chars, False: sections.other.window_chars}
    frame = frame.assign(
        chars=frame["end"] - frame["start"],
        context_chars=frame["context_id"].map(contexts.drop_duplicates("context_id").set_index("context_id")["chars"]),
        window_chars=frame["context_id"].isin(multiple).map(windows),
    )
    return with_records(frame, ["atom_id"])


def by_context(inputs: Inputs) -> pd.DataFrame:
    """One row a context: its characters that no atom holds, whether it has none, and atoms out of their place."""
    contexts = inputs.tables["contexts"].to_pandas()
    frame = inputs.tables["atoms"].to_pandas().sort_values(["context_id", "start", "end", "position"])
    groups = frame.groupby("context_id")
    reached = groups["end"].cummax()
    before = reached.groupby(frame["context_id"]).shift(fill_value=0)
    gaps = (frame["start"] - before).clip(lower=0).groupby(frame["context_id"]).sum()
    tails = contexts["chars"] - counted(contexts["context_id"], groups["end"].max())
    misplaced = (frame["position"] != groups.cumcount()).groupby(frame["context_id"]).sum()
    ids = contexts["context_id"]
    found = pd.DataFrame(
        {
            "context_id": ids,
            "uncovered_chars": counted(ids, gaps) + tails.clip(lower=0),
            "without_atoms": (counted(ids, groups.size()) == 0).astype("int64"),
            "misplaced": counted(ids, misplaced),
        }
    )
    return with_records(found, ["context_id"])
