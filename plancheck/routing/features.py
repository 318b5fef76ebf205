"""Router features: what is known of a question before its gold letter is.

The columns of ROUTER_FEATURES for routers of the pair; for routers among controls, features of each control's answer.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import scipy

from plancheck.records import ROUTER_FEATURES, SCORERS
from plancheck.routing.evaluation import Pair
from plancheck.routing.inputs import Inputs, check_columns
from plancheck.routing.routers import CATEGORIES
from plancheck.statistics.flatness import flatness

Row = dict[str, Any]
Known = Mapping[Any, Any]  # a row of a table


def router_features(inputs: Inputs, pair: Pair) -> list[Row]:
    """The rows of data/router_features.parquet, by question ID.

    Raises:
        ValueError: a question lacks a candidate or the answer of a policy.
    """
    chars = dict(zip(inputs.contexts["context_id"], inputs.contexts["chars"], strict=True))
    atoms = inputs.retrieval.groupby("question_id").size()
    pools = dict(iter(pool_scores(inputs).groupby("question_id")))
    plans = {row["question_id"]: row for row in inputs.plans.to_dict("records")}
    answers = {(row["question_id"], row["policy"]): row for row in inputs.answers.to_dict("records")}
    found = []
    for question in inputs.questions.sort_values("question_id").to_dict("records"):
        name = question["question_id"]
        if name not in pools or not {(name, pair.control), (name, pair.planner)} <= set(answers):
            raise ValueError(f"{name}: needs a candidate and the answers of {pair.control} and {pair.planner}")
        pool = pools[name]
        control, planner = answers[name, pair.control], answers[name, pair.planner]
        row = {
            "question_id": name,
            **{column: question[column] for column in CATEGORIES},
            "context_chars": chars[question["context_id"]],
            "question_chars": sum(map(len, (question["question"], *question["choices"]))),
            "atoms": int(atoms[name]),
            "candidates": len(pool),
            **{key: value for scorer in SCORERS for key, value in of_scores(scorer, pool[f"{scorer}_score"]).items()},
            **of_plan(plans.get(name)),
            **{f"control_{feature}": value for feature, value in of_answer(control).items()},
            **{f"planner_{feature}": value for feature, value in of_answer(planner).items()},
            "letters_agree": answered(control) and control["letter"] == planner["letter"],
            "same_context": control["packed_id"] == planner["packed_id"],
        }
        found.append({column: row[column] for column in ROUTER_FEATURES.names})
    return found


def answer_features(answers: pd.DataFrame) -> pd.DataFrame:
    """What is known of every answer before it is judged: a row a question, by ID, and columns (policy, feature).

    Args:
        answers: with the columns of COLUMNS["answers"] and no other; one row for each question and policy.

    Raises:
        ValueError: there is another column, such as a gold letter, or a question and policy have no row or several.
    """
    check_columns("answers", answers)
    counts = answers.groupby(["question_id", "policy"]).size().unstack()
    if not (counts == 1).all(axis=None):
        raise ValueError("answers: not one row for each question and policy")
    kinds = {"answered": bool, **dict.fromkeys(("confidence", "margin", "entropy"), float)}
    by_policy = {
        policy: pd.DataFrame([of_answer(row) for row in own.to_dict("records")], index=own["question_id"]).astype(kinds)
        for policy, own in answers.groupby("policy", sort=False)
    }
    return pd.concat(by_policy, axis=1).sort_index()


def pool_scores(inputs: Inputs) -> pd.DataFrame:
    """The three scores of every candidate, by question and atom."""
    candidates = inputs.retrieval[inputs.retrieval["candidate"]]
    return candidates.merge(inputs.rerank, on=["question_id", "atom_id"]).sort_values(["question_id", "atom_id"])


def of_scores(scorer: str, scores: pd.Series) -> Row:
    """Top, mean and flatness of a pool's scores."""
    values = scores.tolist()
    flat = flatness(values)
    return {
        f"{scorer}_top": max(values),
        f"{scorer}_mean": math.fsum(values) / len(values),
        f"{scorer}_entropy": flat.normalised_entropy,
        f"{scorer}_gap": flat.top_gap,
        f"{scorer}_gini": flat.gini,
        f"{scorer}_variation": flat.variation,
    }


def of_plan(plan: Known | None) -> Row:
    """Whether there is a plan, and where its atoms stand in each ranking."""
    ranks = {scorer: known(plan[f"{scorer}_ranks"]) if plan else [] for scorer in SCORERS}
    atoms = len(plan["atom_ids"]) if plan else 0
    row: Row = {"plan_parsed": bool(plan and plan["parsed"]), "plan_atoms": atoms}
    for scorer, found in ranks.items():
        row[f"plan_{scorer}_mean_rank"] = sum(found) / len(found) if found else None
        row[f"plan_{scorer}_best_rank"] = min(found) if found else None
    row["plan_rerank_overlap"] = sum(rank <= atoms for rank in ranks["rerank"]) / atoms if atoms else None
    return row


def known(ranks: Sequence[float | None]) -> list[int]:
    """The ranks that are there: an atom outside the candidate pool has none by the cross-encoder."""
    return [int(rank) for rank in ranks if rank is not None and not math.isnan(rank)]


def of_answer(answer: Known) -> Row:
    """Whether there is an answer, and how sure the model is of it."""
    sure = answer["probs"] is not None
    probabilities = sorted(answer["probs"], reverse=True) if sure else []
    return {
        "answered": answered(answer),
        "confidence": probabilities[0] if sure else None,
        "margin": probabilities[0] - probabilities[1] if sure else None,
        "entropy": float(scipy.stats.entropy(probabilities) / math.log(len(probabilities))) if sure else None,
    }


def answered(answer: Known) -> bool:
    return not pd.isna(answer["letter"])
