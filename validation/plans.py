"""Plans: one of every selector for every question, of atoms of its context."""

from collections.abc import Mapping

import pandas as pd
import pyarrow as pa
from great_expectations import ExpectationSuite

from plancheck.params.selectors import PlannerSelector
from plancheck.records import FAILURES, PLANS, is_span_id
from validation.frames import counted, masked, rows_by_question, with_records
from validation.inputs import Inputs, question_frame, table_file
from validation.planned import atoms_by_question, pools, strangers, with_atoms
from validation.suites import among, at_least, between, equal, none_of, present, present_in, suite, unique

KEY = ["question_id", "selector"]


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Rows with counts of their faults; questions with the plans they lack."""
    rows = plans(inputs)
    return {"plans": rows, "plans_by_question": missing_plans(inputs, rows)}


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    file = table_file("plans")
    most = inputs.params.planner.max_atoms
    return [
        suite(
            "plans",
            file,
            *present_in(PLANS),
            *present("question_context"),
            unique(KEY, "a selector has one plan for a question"),
            among("selector", list(inputs.params.selectors), "selector is in section selectors"),
            among("failure", FAILURES, f"a failure is {', '.join(FAILURES)}"),
            equal("parsed", "named", "parsed says whether the plan names an atom"),
            between("outcomes", 1, 1, "there is either a plan or a failure"),
            none_of("repeated", "a plan names an atom once"),
            none_of("strangers", "every atom is of the question's context"),
            none_of("astray", "starts and ends are those of the atoms or spans, in order"),
            none_of("outsiders", "every atom that a planner names is in the candidate pool"),
            at_least("most", "atoms", f"a planner names at most {most} atoms (planner.max_atoms)"),
        ),
        suite(
            "plans_by_question",
            file,
            none_of("missing_plans", "every selector has a plan, or its failure"),
        ),
    ]


def plans(inputs: Inputs) -> pd.DataFrame:
    """One row a question and selector: lengths of its lists, and faults among its atoms."""
    table = all_plans(inputs)
    frame = with_atoms(table)
    contexts = question_frame(inputs).drop_duplicates("question_id").set_index("question_id")["context_id"]
    models = [name for name, found in inputs.params.selectors.items() if isinstance(found, PlannerSelector)]
    planner = frame["selector"].isin(models)  # the others may name atoms that were no candidates
    frame = frame.assign(
        question_context=frame["question_id"].map(contexts),
        named=frame["atoms"] > 0,
        outcomes=frame["failure"].notna().astype(int) + (frame["atoms"] > 0).astype(int),
        strangers=strangers(without_spans(frame), atoms_by_question(inputs)),
        astray=astray(inputs, table),
        outsiders=pd.Series(strangers(frame, pools(inputs)), index=frame.index).where(planner, 0),
        most=frame["atoms"].where(~planner, inputs.params.planner.max_atoms),
        failure=masked(frame["failure"], FAILURES),
    )
    return with_records(frame.drop(columns=["atom_ids", "starts", "ends"]), KEY)


def all_plans(inputs: Inputs) -> pa.Table:
    """Those of the study's own selectors, then those that files give."""
    return pa.concat_tables([inputs.tables["plans"], inputs.tables["given_plans"]])


def without_spans(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows with their atoms alone: a plan of a user's own may name spans, which are of no table."""
    own = [tuple(one for one in ids if one is None or not is_span_id(one)) for ids in frame["atom_ids"]]
    return frame.assign(atom_ids=pd.Series(own, index=frame.index, dtype=object))


def astray(inputs: Inputs, table: pa.Table) -> list[int]:
    """Of each row, how many of its atoms or spans have another start or end than their own; 1 for uneven lists."""
    atoms = inputs.tables["atoms"].select(["atom_id", "start", "end"]).to_pylist()
    bounds = {atom["atom_id"]: (atom["start"], atom["end"]) for atom in atoms}
    wrong = []
    for row in table.select(["atom_ids", "starts", "ends"]).to_pylist():
        ids, starts, ends = (row[name] or [] for name in ("atom_ids", "starts", "ends"))
        if not len(ids) == len(starts) == len(ends):
            wrong.append(1)
            continue
        found = zip(ids, starts, ends, strict=True)
        wrong.append(sum(not placed(one, start, end, bounds) for one, start, end in found))
    return wrong


def placed(atom_id: str | None, start: int, end: int, bounds: Mapping[str, tuple[int, int]]) -> bool:
    """Whether a span's ID says these bounds, or an atom has them; an unknown atom is another rule's."""
    if atom_id is not None and is_span_id(atom_id):
        return atom_id == f"{start}-{end}" and start < end
    return bounds.get(str(atom_id), (start, end)) == (start, end)


def missing_plans(inputs: Inputs, rows: pd.DataFrame) -> pd.DataFrame:
    """One row a question: selectors of the parameters without a row."""
    ids = question_frame(inputs)["question_id"]
    selectors = list(inputs.params.selectors)
    known = rows_by_question(rows, rows["selector"].isin(selectors), ["selector"])
    missing = len(selectors) - counted(ids, known)
    return with_records(pd.DataFrame({"question_id": ids, "missing_plans": missing}), ["question_id"])
