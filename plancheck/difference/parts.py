"""What two runs are compared by, in the order of the pipeline."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Rows:
    """A table, compared row by row.

    Attributes:
        name: what the report calls it.
        stage: that makes it.
        file: Parquet, CSV, or data/splits.json.
        key: columns that name a row; rows with the same are compared in their order.
        values: columns that are compared.
        by: columns that changes are counted by; none counts them together.
        fine: columns that are compared apart, such as scores that can differ by their last digits alone.
        listed: whether the report tells each change with both values.
    """

    name: str
    stage: str
    file: str
    key: tuple[str, ...]
    values: tuple[str, ...]
    by: tuple[str, ...] = ()
    fine: tuple[str, ...] = ()
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Whole:
    """A folder, of which is told which files in it differ."""

    name: str
    stage: str
    folder: str


@dataclass(frozen=True, slots=True)
class Values:
    """A JSON file of settings, of which each value is told that differs."""

    name: str
    stage: str
    file: str


CONDITION: Final = ("policy", "budget_chars")


def ranked(name: str, stage: str, file: str) -> Rows:
    return Rows(name, stage, file, ("question_id", "ranking", "atom_id"), ("rank",), ("ranking",), ("score",))


def planned(name: str, stage: str, file: str) -> Rows:
    return Rows(
        name, stage, file, ("question_id", "selector"), ("atom_ids", "starts", "ends", "failure"), ("selector",)
    )


PARTS: Final[tuple[Rows | Whole | Values, ...]] = (
    Values("models", "models", "models/lock.json"),
    Rows("questions", "benchmark", "data/questions.parquet", ("question_id",),
         ("question", "choices", "answer", "context_id", "evidence", "domain", "sub_domain", "difficulty", "length")),
    Rows("split", "split", "data/splits.json", ("question_id",), ("split",)),
    Rows("atoms", "atoms", "data/atoms.parquet", ("context_id", "position"), ("atom_id", "start", "end", "document")),
    ranked("rankings", "retrieve", "data/rankings.parquet"),
    Rows("candidates", "retrieve", "data/candidates.parquet", ("question_id", "atom_id"), ("position",)),
    ranked("reranking", "rerank", "data/rerank.parquet"),
    Rows("traces", "mine", "data/traces.parquet", ("question_id", "sample"),
         ("atom_ids", "letter", "failure", "reward")),
    Whole("training rows", "rows", "data/sft"),
    Whole("planner", "train", "models/planner"),
    Whole("early planner", "train", "models/planner_early"),
    Whole("tuned reranker", "tune", "models/reranker_tuned"),
    ranked("tuned reranking", "tune", "data/rerank_tuned.parquet"),
    planned("plans", "plan", "data/plans.parquet"),
    planned("given plans", "given", "data/given_plans.parquet"),
    Rows("given contexts", "given", "data/given_contexts.parquet", ("question_id", *CONDITION), ("text",), ("policy",)),
    Rows("given predictions", "given", "data/given_predictions.parquet", ("question_id", "system"),
         ("letter", "correct", "failure"), ("system",)),
    Rows("packed contexts", "pack", "data/packed.parquet", ("question_id", *CONDITION),
         ("packed_id", "atom_ids"), CONDITION),
    Rows("answers", "answer", "data/predictions.parquet", ("question_id", *CONDITION),
         ("letter", "correct", "failure", "gold"), CONDITION, ("probs",)),
    Rows("routing", "route", "data/routing.parquet", ("question_id", "scheme", "router", "among"),
         ("policy", "correct"), ("scheme", "router")),
    Rows("verdicts", "analyze", "reports/tables/ladder.csv", ("planner", "tier", "budget_chars", "split"),
         ("verdict", "control"), (), ("difference", "p_adjusted"), listed=True),
    Rows("comparisons", "analyze", "reports/tables/comparisons.csv", ("name", "split", "pick"),
         ("treatment", "control", "budget_chars", "wins", "losses", "ties"), (), ("low", "high", "p_adjusted"),
         listed=True),
)  # fmt: skip
