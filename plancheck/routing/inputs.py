"""What router features are made of: exactly these columns, all known before an answer is judged."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

import pandas as pd
import pyarrow.compute as pc

from plancheck.plumbing.errors import all_problems
from plancheck.plumbing.files import DATA, among, read_table
from plancheck.routing.evaluation import Pair
from plancheck.routing.routers import CATEGORIES

# Of the study's own selectors, and of files.
PLAN_FILES: Final = ("plans", "given_plans")
COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "questions": ("question_id", *CATEGORIES, "question", "choices", "context_id", "context_group"),
    "contexts": ("context_id", "chars"),
    "atoms": ("context_id", "atom_id"),
    "candidates": ("question_id", "atom_id"),
    "rankings": ("question_id", "ranking", "atom_id", "score", "rank"),
    "plans": ("question_id", "atom_ids", "parsed"),
    "answers": ("question_id", "policy", "packed_id", "letter", "probs"),
}


@dataclass(frozen=True, slots=True)
class Inputs:
    """Tables with the columns of COLUMNS and no other: what is known when a question must be routed.

    Attributes:
        questions: one row a question.
        contexts: one row a context.
        atoms: one row an atom.
        candidates: one row a candidate of a question.
        rankings: of the scorers alone, one row an atom that one ranks for a question.
        plans: one row a question, of the planner policy's selector; empty where it has none.
        answers: of both policies at one budget, one row a question and policy.

    Raises:
        ValueError: a table has another column, such as a gold letter or a difficulty, or lacks one.
    """

    questions: pd.DataFrame
    contexts: pd.DataFrame
    atoms: pd.DataFrame
    candidates: pd.DataFrame
    rankings: pd.DataFrame
    plans: pd.DataFrame
    answers: pd.DataFrame

    def __post_init__(self) -> None:
        for name in COLUMNS:
            check_columns(name, getattr(self, name))


def check_columns(name: str, table: pd.DataFrame) -> None:
    """Raise a ValueError unless the table of that name has the columns of COLUMNS and no other."""
    found, columns = set(table.columns), COLUMNS[name]
    if found != set(columns):
        raise ValueError(
            f"{name}: router features are made of {', '.join(columns)} alone; "
            f"not known then: {sorted(found - set(columns))}, missing: {sorted(set(columns) - found)}"
        )


def read_inputs(pair: Pair, scorers: Collection[str], *, selector: str | None, budget_chars: int) -> Inputs:
    """The tables of data/, only the columns and rows needed.

    Args:
        pair: of policies.
        scorers: rankings of the stages retrieve and rerank.
        selector: of the planner policy; None for none.
        budget_chars: of the answers.

    Raises:
        StudyError: a file is missing or unreadable.
    """

    def read(file: str, name: str, filters: pc.Expression | None = None) -> pd.DataFrame:
        table = read_table(DATA / f"{file}.parquet", columns=list(COLUMNS[name]), filters=filters)
        frame: pd.DataFrame = table.to_pandas()
        return frame

    return Inputs(
        questions=read("questions", "questions"),
        contexts=read("contexts", "contexts"),
        atoms=read("atoms", "atoms"),
        candidates=read("candidates", "candidates"),
        rankings=pd.concat(
            [read(file, "rankings", among("ranking", scorers)) for file in ("rankings", "rerank")], ignore_index=True
        ),
        plans=pd.concat([read(file, "plans", pc.field("selector") == (selector or "")) for file in PLAN_FILES]),
        answers=read("predictions", "answers", at(budget_chars) & among("policy", pair.policies)),
    )


def read_answers(question_ids: list[str], policies: list[str], *, budget_chars: int) -> pd.DataFrame:
    """The columns of COLUMNS["answers"] of these questions and policies."""
    asked = at(budget_chars) & among("policy", policies) & among("question_id", question_ids)
    path = DATA / "predictions.parquet"
    answers: pd.DataFrame = read_table(path, columns=list(COLUMNS["answers"]), filters=asked).to_pandas()
    return answers


def read_right(question_ids: list[str], policies: list[str], *, budget_chars: int) -> pd.DataFrame:
    """Whether each policy's answer is right: a row a question, a column a policy, in the order asked.

    Raises:
        StudyError: an answer is missing or there twice; all are named.
    """
    path = DATA / "predictions.parquet"
    table = read_table(path, columns=["question_id", "policy", "correct"], filters=at(budget_chars)).to_pandas()
    table = table[table["policy"].isin(policies) & table["question_id"].isin(question_ids)]
    counts = table.groupby(["question_id", "policy"]).size()
    wanted = pd.MultiIndex.from_product([question_ids, policies])
    if wrong := [f"{name}, {policy}" for name, policy in wanted if counts.get((name, policy), 0) != 1]:
        raise all_problems(
            f"{path}: no single answer at {budget_chars} characters for:", wrong, remedy="Run `dvc repro -f answer`."
        )
    wide: pd.DataFrame = table.pivot(index="question_id", columns="policy", values="correct")
    return wide.loc[question_ids, policies].astype(bool)


def at(budget_chars: int) -> pc.Expression:
    return pc.field("budget_chars") == budget_chars
