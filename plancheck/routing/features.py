"""Router features: what is known of a question before its gold letter is.

The columns of data/router_features.parquet for routers of the pair; for routers among controls, features of each
control's answer.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
import scipy

from plancheck import records
from plancheck.routing.evaluation import Pair
from plancheck.routing.inputs import Inputs, check_columns
from plancheck.routing.routers import CATEGORIES
from plancheck.statistics.flatness import flatness

Row = dict[str, Any]
Known = Mapping[Any, Any]  # a row of a table


class Scored(NamedTuple):
    """What a scorer says of an atom; rank 1 is the best."""

    score: float
    rank: int


def router_features(inputs: Inputs, pair: Pair, scorers: Sequence[str], rerankers: Sequence[str]) -> list[Row]:
    """The rows of data/router_features.parquet, by question ID.

    Args:
        inputs: what they are made of.
        pair: of policies.
        scorers: rankings that score every candidate.
        rerankers: those of them that rank the candidates alone.

    Raises:
        ValueError: a question lacks a candidate, a candidate's score or the answer of a policy.
    """
    chars = dict(zip(inputs.contexts["context_id"], inputs.contexts["chars"], strict=True))
    atoms = inputs.atoms.groupby("context_id").size()
    pools = {name: sorted(ids) for name, ids in inputs.candidates.groupby("question_id")["atom_id"]}
    known = of_scorers(inputs.rankings)
    columns = records.router_features(scorers, rerankers).names
    plans = {row["question_id"]: row for row in inputs.plans.to_dict("records")}
    answers = {(row["question_id"], row["policy"]): row for row in inputs.answers.to_dict("records")}
    found = []
    for question in inputs.questions.sort_values("question_id").to_dict("records"):
        name = question["question_id"]
        if name not in pools or not {(name, pair.control), (name, pair.planner)} <= set(answers):
            raise ValueError(f"{name}: needs a candidate and the answers of {pair.control} and {pair.planner}")
        pool, ranked = pools[name], {scorer: known.get((name, scorer), {}) for scorer in scorers}
        if lacking := [scorer for scorer, own in ranked.items() if not set(pool) <= set(own)]:
            raise ValueError(f"{name}: no score of every candidate by {', '.join(lacking)}")
        control, planner = answers[name, pair.control], answers[name, pair.planner]
        row = {
            "question_id": name,
            **{column: question[column] for column in CATEGORIES},
            "context_chars": chars[question["context_id"]],
            "question_chars": sum(map(len, (question["question"], *question["choices"]))),
            "atoms": int(atoms[question["context_id"]]),
            "candidates": len(pool),
            **{
                key: value
                for scorer, own in ranked.items()
                for key, value in of_scores(scorer, [own[atom_id].score for atom_id in pool]).items()
            },
            **of_plan(plans.get(name), ranked, rerankers),
            **{f"control_{feature}": value for feature, value in of_answer(control).items()},
            **{f"planner_{feature}": value for feature, value in of_answer(planner).items()},
            "letters_agree": answered(control) and control["letter"] == planner["letter"],
            "same_context": control["packed_id"] == planner["packed_id"],
        }
        found.append({column: row[column] for column in columns})
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


def of_scorers(rankings: pd.DataFrame) -> dict[tuple[str, str], dict[str, Scored]]:
    """What each scorer says of each atom it ranks, by question and scorer."""
    return {
        (str(question_id), str(scorer)): {
            atom_id: Scored(score, rank)
            for atom_id, score, rank in zip(own["atom_id"], own["score"], own["rank"], strict=True)
        }
        for (question_id, scorer), own in rankings.groupby(["question_id", "ranking"])
    }


def of_scores(scorer: str, values: Sequence[float]) -> Row:
    """Top, mean and flatness of a pool's scores."""
    flat = flatness(values)
    return {
        f"{scorer}_top": max(values),
        f"{scorer}_mean": math.fsum(values) / len(values),
        f"{scorer}_entropy": flat.normalised_entropy,
        f"{scorer}_gap": flat.top_gap,
        f"{scorer}_gini": flat.gini,
        f"{scorer}_variation": flat.variation,
    }


def of_plan(plan: Known | None, ranked: Mapping[str, Mapping[str, Scored]], rerankers: Sequence[str]) -> Row:
    """Whether there is a plan, and where its atoms stand in each ranking; a reranker ranks the candidates alone."""
    named = list(plan["atom_ids"]) if plan else []
    row: Row = {"plan_parsed": bool(plan and plan["parsed"]), "plan_atoms": len(named)}
    ranks = {scorer: [int(own[atom_id].rank) for atom_id in named if atom_id in own] for scorer, own in ranked.items()}
    for scorer, found in ranks.items():
        row[f"plan_{scorer}_mean_rank"] = sum(found) / len(found) if found else None
        row[f"plan_{scorer}_best_rank"] = min(found) if found else None
    for scorer in rerankers:
        among_first = sum(rank <= len(named) for rank in ranks[scorer])
        row[f"plan_{scorer}_overlap"] = among_first / len(named) if named else None
    return row


def of_answer(answer: Known) -> Row:
    """Whether there is an answer, and how sure the model is of it."""
    sure = answer["probs"] is not None
    # A server may not tell those of unlikely letters.
    probabilities = sorted((value for value in answer["probs"] if not pd.isna(value)), reverse=True) if sure else []
    return {
        "answered": answered(answer),
        "confidence": probabilities[0] if sure else None,
        "margin": probabilities[0] - probabilities[1] if sure else None,
        "entropy": float(scipy.stats.entropy(probabilities) / math.log(len(answer["probs"]))) if sure else None,
    }


def answered(answer: Known) -> bool:
    return not pd.isna(answer["letter"])
