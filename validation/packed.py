"""Packed contexts: one row a condition, within its budget, made of atoms of the question's context."""

from collections.abc import Sequence

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from great_expectations import ExpectationSuite

from plancheck.packing import SEPARATOR
from plancheck.params.pack import PACKING_ORDER, twins
from plancheck.records import PACKED, SPAN_ID, is_span_id
from validation.frames import counted, rows_by_question, with_records
from validation.inputs import Inputs, condition_keys, question_frame, table_file
from validation.suites import among, at_least, between, equal, matching, none_of, present, present_in, suite, unique

KEY = ["question_id", "policy", "budget_chars"]
LISTS = {"atoms_shown": "atom_ids", "starts_shown": "starts", "ends_shown": "ends"}


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Rows with what their lists hold; questions with the conditions they lack."""
    rows = packed(inputs)
    return {"packed": rows, "packed_by_question": missing_conditions(inputs, rows)}


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    file = table_file("packed")
    policies, budgets = condition_keys(inputs)
    return [
        suite(
            "packed",
            file,
            *present_in(PACKED),
            *present("question_context", "failed", *LISTS),
            unique(KEY, "a condition has one row for a question"),
            among("policy", policies, "policy is in pack.policies"),
            among("budget_chars", budgets, "budget_chars is in pack.budgets_chars"),
            at_least("budget_chars", "chars", "a packed context fits its budget"),
            at_least("chars", "piece_chars", "chars counts every piece"),
            between("skipped", 0, None, "skipped is not negative"),
            between("evidence_recall", 0, 1, "evidence recall is in [0, 1]"),
            equal("atoms_shown", "starts_shown", "as many starts as atom IDs"),
            equal("atoms_shown", "ends_shown", "as many ends as atom IDs"),
            none_of("unknown_atoms", "every atom shown exists"),
            none_of("foreign_atoms", "every atom shown is of the question's context"),
            none_of("stray_pieces", "every piece is a non-empty part of its atom"),
            equal("plan_failed", "failed", "plan_failed says whether the plan of the policy's selector failed"),
            none_of("unshared_atoms", "a shown_order shows the atoms of the policy that differs by shown_order alone"),
            matching("packed_id", r"\A[0-9a-f]{64}\Z", "packed_id is 64 hex digits"),
            between("ids_of_text", None, 1, "where a question is shown the same text, packed_id is the same"),
            between("texts_of_id", None, 1, "a packed_id is of one question and of one length"),
        ),
        suite(
            "packed_by_question",
            file,
            none_of("missing_conditions", "every policy and budget has a row"),
        ),
    ]


def missing_conditions(inputs: Inputs, rows: pd.DataFrame) -> pd.DataFrame:
    """One row a question: conditions of the parameters without a row."""
    ids = question_frame(inputs)["question_id"]
    policies, budgets = condition_keys(inputs)
    asked = rows["policy"].isin(policies) & rows["budget_chars"].isin(budgets)
    missing = len(policies) * len(budgets) - counted(ids, rows_by_question(rows, asked, KEY))
    return with_records(pd.DataFrame({"question_id": ids, "missing_conditions": missing}), ["question_id"])


def packed(inputs: Inputs) -> pd.DataFrame:
    """One row a question and condition: lengths of its lists, and faults among its pieces."""
    table = inputs.tables["packed"]
    frame = table.drop_columns([*LISTS.values(), "text"]).to_pandas()
    contexts = question_frame(inputs).drop_duplicates("question_id").set_index("question_id")["context_id"]
    frame = frame.assign(
        question_context=frame["question_id"].map(contexts),
        failed=plan_failures(inputs, frame),
        unshared_atoms=unshared_atoms(inputs, table),
        ids_of_text=ids_of_text(table, frame),
        texts_of_id=texts_of_id(frame),
        **{name: pc.list_value_length(table[column]).to_pandas() for name, column in LISTS.items()},
    )
    frame = frame.join(faults(pieces(table, frame), inputs.tables["atoms"]))
    counts = ["piece_chars", "unknown_atoms", "foreign_atoms", "stray_pieces"]
    frame[counts] = frame[counts].fillna(0).astype("int64")
    return with_records(frame, KEY)


def plan_failures(inputs: Inputs, frame: pd.DataFrame) -> pd.Series:
    """Whether a policy's plan failed, by data/plans.parquet; false without a selector, empty without plan."""
    policies = inputs.params.pack.policies.items()
    selectors = frame["policy"].map({name: policy.selector or "" for name, policy in policies}).fillna("")
    tables = [inputs.tables[name].select(["question_id", "selector", "parsed"]) for name in ("plans", "given_plans")]
    plans = pa.concat_tables(tables).to_pandas()
    failed = {(row.question_id, row.selector): not row.parsed for row in plans.itertuples()}
    texts = {tuple(row.values()) for row in inputs.tables["given_contexts"].select(KEY).to_pylist()}
    rows = zip(frame["question_id"], frame["policy"], frame["budget_chars"], selectors, strict=True)
    found = [
        (name, policy, budget) not in texts
        if policy in inputs.params.contexts
        else failed.get((name, selector))
        if selector
        else False
        for name, policy, budget, selector in rows
    ]
    return pd.Series(found, index=frame.index, dtype=object)


def unshared_atoms(inputs: Inputs, table: pa.Table) -> pd.Series:
    """How many atoms only one of a row and its twin's shows; empty for a row without twin.

    Where the budget has no room for one character of each of the twin's pieces and a separator between any two, a new
    order may leave out atoms, and only those that the twin does not show are counted.
    """
    twin_of = twins(
        inputs.params.pack.policies, lambda policy: policy.shown_order != PACKING_ORDER, {"shown_order": PACKING_ORDER}
    )
    rows = table.select([*KEY, "atom_ids"]).to_pylist()
    shown = {(row["question_id"], row["policy"], row["budget_chars"]): row["atom_ids"] or [] for row in rows}
    counts: list[int | None] = []
    for row in rows:
        question_id, policy, budget = (row[name] for name in KEY)
        own, twin = set(row["atom_ids"] or []), shown.get((question_id, twin_of.get(policy), budget))
        if twin is None:
            counts.append(None)
            continue
        roomy = len(twin) + len(SEPARATOR) * (len(twin) - 1) <= (budget or 0)
        counts.append(len(own ^ set(twin) if roomy else own - set(twin)))
    return pd.Series(counts, dtype="Int64")


def ids_of_text(table: pa.Table, frame: pd.DataFrame) -> pd.Series:
    """By row: packed_ids of the question's rows with the same spans; empty where starts and ends are not of a number.

    Other spans can hold the same text, so what differs in them alone need not differ in packed_id.
    """
    lists = zip(*(table[name].to_pylist() for name in ("starts", "ends", "text")), strict=True)
    made = [joined(starts or [], ends or []) if text is None else (text,) for starts, ends, text in lists]
    spans = pd.Series(made, index=frame.index, dtype=object)
    return frame.assign(spans=spans).groupby(["question_id", "spans"])["packed_id"].transform("nunique")


def joined(starts: Sequence[int], ends: Sequence[int]) -> tuple[int, ...] | None:
    """First and last characters of pieces in order, those that touch as one; None where the lists are not of a length.

    Equal spans of a context are equal text.
    """
    if len(starts) != len(ends):
        return None
    bounds: list[int] = []
    for start, end in zip(starts, ends, strict=True):
        if bounds and bounds[-1] == start:
            bounds[-1] = end
        else:
            bounds += [start, end]
    return tuple(bounds)


def texts_of_id(frame: pd.DataFrame) -> pd.Series:
    """By row: how many questions and lengths its packed_id stands for; empty without a packed_id."""
    distinct = frame[["packed_id", "question_id", "chars"]].drop_duplicates()
    return frame["packed_id"].map(distinct.groupby("packed_id").size())


def pieces(table: pa.Table, frame: pd.DataFrame) -> pd.DataFrame:
    """One row a piece of the rows whose lists are of one length; ``row`` is the packed row's index."""
    even = (frame["atoms_shown"] == frame["starts_shown"]) & (frame["atoms_shown"] == frame["ends_shown"])
    lists = table.select(list(LISTS.values())).filter(pa.array(even)).combine_chunks()
    rows = frame.index[even].repeat(frame["atoms_shown"][even].astype("int64"))
    return pd.DataFrame(
        {
            "row": rows,
            "question_context": frame["question_context"].reindex(rows).to_numpy(),
            "atom_id": pc.list_flatten(lists["atom_ids"]).to_pandas().to_numpy(),
            "start": pc.list_flatten(lists["starts"]).to_pandas().to_numpy(),
            "end": pc.list_flatten(lists["ends"]).to_pandas().to_numpy(),
        }
    )


def faults(found: pd.DataFrame, table: pa.Table) -> pd.DataFrame:
    """By packed row: characters of its pieces, and how many of them are of no atom, of another context, or astray."""
    atoms = table.to_pandas().drop_duplicates("atom_id").set_index("atom_id")
    context, first, last = (found["atom_id"].map(atoms[name]) for name in ("context_id", "start", "end"))
    spans = found["atom_id"].map(lambda one: isinstance(one, str) and is_span_id(one)).astype(bool)
    inside = (found["start"] >= first) & (found["end"] <= last) & (found["start"] < found["end"])
    judged = pd.DataFrame(
        {
            "row": found["row"],
            "piece_chars": found["end"] - found["start"],
            "unknown_atoms": context.isna() & ~spans,
            "foreign_atoms": context.notna() & (context != found["question_context"]),
            "stray_pieces": (context.notna() & ~inside) | (spans & ~in_span(found)),
        }
    )
    return judged.groupby("row").sum()


def in_span(found: pd.DataFrame) -> pd.Series:
    """Whether each piece of a span (by its ID) is a non-empty part of it; true for pieces of atoms."""
    bounds = found["atom_id"].astype("string").str.extract(SPAN_ID).astype("Float64")
    return ((found["start"] >= bounds[0]) & (found["end"] <= bounds[1]) & (found["start"] < found["end"])).fillna(True)
