"""The rankings of stage retrieve, and a candidate pool within its size."""

import pandas as pd
from great_expectations import ExpectationSuite

from plancheck.records import CANDIDATES
from validation.frames import counted, with_records
from validation.inputs import Inputs, question_frame, table_file
from validation.rankings import pairs_of, table_frames, table_suites
from validation.suites import among, between, equal, present_in, suite, unique

KEY = ["question_id", "atom_id"]
NAME = "rankings"


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Those of the rankings; candidates with what their atom says of itself; questions with their candidates."""
    candidates = inputs.tables["candidates"].to_pandas()
    atoms = inputs.tables["atoms"].to_pandas().drop_duplicates("atom_id").set_index("atom_id")
    candidates = candidates.assign(
        atom_position=candidates["atom_id"].map(atoms["position"]),
        ranked=pairs_of(candidates).isin(pairs_of(inputs.tables[NAME].to_pandas())),
    )
    ids = question_frame(inputs)["question_id"]
    pools = pd.DataFrame({"question_id": ids, "candidates": counted(ids, candidates.groupby("question_id").size())})
    return table_frames(inputs, NAME) | {
        "candidates": with_records(candidates, KEY),
        "candidates_by_question": with_records(pools, ["question_id"]),
    }


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    file, size = table_file("candidates"), inputs.params.retrieve.pool.size
    return [
        *table_suites(inputs, NAME),
        suite(
            "candidates",
            file,
            *present_in(CANDIDATES),
            unique(KEY, "an atom is a question's candidate once"),
            equal("position", "atom_position", "position is the atom's"),
            among("ranked", [True], "a candidate is ranked"),
        ),
        suite(
            "candidates_by_question",
            file,
            between("candidates", 1, size, f"the candidate pool holds 1 to {size} atoms (retrieve.pool.size)"),
        ),
    ]
