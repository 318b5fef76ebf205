"""Routing: every router's choice for every question, among the policies it may choose, scored as it was answered."""

import pandas as pd
from great_expectations import ExpectationSuite

from plancheck.params.pack import deployable, packed_tiers
from plancheck.records import ROUTING
from plancheck.routing.entries import FOLD_SCHEMES, entries
from validation.frames import counted, rows_by_question, with_records
from validation.inputs import Inputs, question_frame, table_file
from validation.suites import between, equal, none_of, present, present_in, suite, unique

KEY = ["question_id", "scheme", "among", "router"]


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Rows with what the parameters and predictions say of them; questions with the routings they lack."""
    rows = routing(inputs)
    return {"routing": rows, "routing_by_question": by_question(inputs, rows)}


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    file = table_file("routing")
    together = inputs.params.split.group_by == "context"
    return [
        suite(
            "routing",
            file,
            *present_in(ROUTING),
            *present("entry_kind", "answered_right"),
            unique(KEY, "a router has one row for a question, scheme and what it chooses among"),
            equal("kind", "entry_kind", "kind is the router's"),
            none_of("strays", "the policy chosen is one that the router may choose"),
            equal("correct", "answered_right", "correct is the chosen policy's at route.budget_chars"),
            equal("in_fold", "folded", "fold is there under a scheme of folds, and only then"),
            between("fold", 0, None, "folds count from 0"),
        ),
        suite(
            "routing_by_question",
            file,
            none_of("missing_routings", "every router and scheme has a row"),
            between("test_folds", 1, 1, "a scheme tests a question in one fold, whatever the router"),
            *([between("context_folds", 1, 1, "questions that share a context are tested together")] * together),
        ),
    ]


def routing(inputs: Inputs) -> pd.DataFrame:
    """One row a question, scheme and router: its kind, whether it may choose its policy, and that answer's score."""
    frame = inputs.tables["routing"].to_pandas()
    kinds = {(entry.scheme, entry.among, entry.router): entry.kind for entry in entries(inputs.params.route.routers)}
    keys = list(zip(frame["scheme"], frame["among"], frame["router"], strict=True))
    right = answers(inputs)
    chosen = zip(frame["question_id"], frame["policy"], strict=True)
    frame = frame.assign(
        entry_kind=pd.Series([kinds.get(key) for key in keys], index=frame.index, dtype=object),
        strays=strays(inputs, frame),
        answered_right=pd.Series([right.get(key) for key in chosen], index=frame.index, dtype=object),
        in_fold=frame["fold"].notna(),
        folded=frame["scheme"].isin(FOLD_SCHEMES),
    )
    return with_records(frame, KEY)


def answers(inputs: Inputs) -> dict[tuple[str, str], bool]:
    """Whether each policy's answer to each question is right at the routers' budget."""
    table = inputs.tables["predictions"].select(["question_id", "policy", "budget_chars", "correct"]).to_pandas()
    at_budget = table[table["budget_chars"] == inputs.params.route.budget_chars]
    return {(row.question_id, row.policy): row.correct for row in at_budget.itertuples()}


def strays(inputs: Inputs, frame: pd.DataFrame) -> list[int]:
    """1 for a row whose policy its router may not choose: of the pair, of the tiers, or any without known evidence."""
    settings = inputs.params.route
    allowed: dict[str, set[str]] = {
        "pair": {settings.control, settings.planner},
        "controls": {
            policy
            for policies in packed_tiers(inputs.params.analyze.tiers, inputs.params.pack.policies).values()
            for policy in policies
        },
        "policies": set(deployable(inputs.params.pack.policies, inputs.params.selectors)),
    }
    rows = zip(frame["among"], frame["policy"], strict=True)
    return [int(policy not in allowed.get(among, set())) for among, policy in rows]


def by_question(inputs: Inputs, rows: pd.DataFrame) -> pd.DataFrame:
    """One row a question: routings it lacks, and the most folds of a scheme that test it, or its context.

    ``context_folds`` is of the stratified scheme: a domain is left out whole, whatever contexts it shares.
    """
    questions = question_frame(inputs)
    ids = questions["question_id"]
    listed = entries(inputs.params.route.routers)
    known = rows_by_question(rows, rows["entry_kind"].notna(), ["scheme", "among", "router"])
    folds = rows[rows["fold"].notna()]
    tested = folds.groupby(["question_id", "scheme"])["fold"].nunique().groupby("question_id").max()
    contexts = questions.drop_duplicates("question_id").set_index("question_id")["context_group"]
    stratified = folds[folds["scheme"] == "stratified"]
    shared = stratified.groupby(stratified["question_id"].map(contexts))["fold"].nunique()
    found = {
        "question_id": ids,
        "missing_routings": len(listed) - counted(ids, known),
        "test_folds": counted(ids, tested),
        "context_folds": counted(questions["context_group"], shared),
    }
    return with_records(pd.DataFrame(found), ["question_id"])
