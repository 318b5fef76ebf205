"""Questions to route: made-up tables, and cases with or without a signal that a router can learn."""

import numpy as np
import pandas as pd
import pytest

from plancheck.routing.evaluation import Cases, Pair
from plancheck.routing.inputs import COLUMNS, Inputs

PAIR = Pair("control", "planner")
DOMAINS = ("Books", "Code", "Talks")


# By number of the atom; atom 3 is no candidate.
RANKS = {"bm25": [2, 3, 1, 4], "dense": [1, 4, 3, 2], "rerank": [1, 3, 2]}


def atom_of(question_id, number):
    return f"c{int(question_id[1:]) // 2}-{number}"


def tables(questions=6, atoms=4, seed=0):
    """Rows of every input, by table, with the gold letters that no feature may see."""
    rng = np.random.default_rng(seed)
    names = [f"q{number:03}" for number in range(questions)]
    scored = [(name, number) for name in names for number in range(atoms)]
    return {
        "questions": pd.DataFrame(
            {
                "question_id": names,
                "domain": [DOMAINS[number % 3] for number in range(questions)],
                "sub_domain": "",
                "difficulty": ["easy", "hard"] * (questions // 2) + ["easy"] * (questions % 2),
                "length": "short",
                "question": [f"Who keeps boat {number}?" for number in range(questions)],
                "choices": [[f"keeper {letter}" for letter in "abcd"]] * questions,
                "context_id": [f"c{number // 2}" for number in range(questions)],
                "context_group": [f"c{number // 2}" for number in range(questions)],
                "answer": rng.choice(list("ABCD"), questions),
            }
        ),
        "contexts": pd.DataFrame({"context_id": [f"c{number}" for number in range(questions)], "chars": 900}),
        "atoms": pd.DataFrame(
            {
                "context_id": [f"c{number // 2}" for number in range(0, questions, 2) for _ in range(atoms)],
                "atom_id": [f"c{number // 2}-{atom}" for number in range(0, questions, 2) for atom in range(atoms)],
            }
        ),
        "candidates": pd.DataFrame(
            [{"question_id": name, "atom_id": atom_of(name, number)} for name, number in scored if number < 3]
        ),
        "rankings": pd.DataFrame(
            [
                {
                    "question_id": name,
                    "ranking": scorer,
                    "atom_id": atom_of(name, number),
                    "score": round(rng.normal(mean, spread), 6),
                    "rank": RANKS[scorer][number],
                }
                for scorer, (mean, spread) in {"bm25": (10, 4), "dense": (0.3, 0.1), "rerank": (-3, 2)}.items()
                for name, number in scored
                if number < 3 or scorer != "rerank"
            ]
        ),
        "plans": pd.DataFrame(
            {
                "question_id": names,
                "atom_ids": [[atom_of(name, 3), atom_of(name, 2)] for name in names],
                "parsed": True,
            }
        ),
        "answers": pd.DataFrame(
            {
                "question_id": names * 2,
                "policy": ["control"] * questions + ["planner"] * questions,
                "packed_id": [f"p{number}" for number in range(2 * questions)],
                "letter": rng.choice(list("ABCD"), 2 * questions),
                "probs": list(rng.dirichlet([2] * 4, 2 * questions)),
            }
        ),
    }


@pytest.fixture
def study():
    return tables


@pytest.fixture
def inputs_of():
    """The inputs that tables give: the declared columns, as ``read_inputs`` reads them."""
    return lambda found: Inputs(**{name: found[name][list(columns)] for name, columns in COLUMNS.items()})


def cases(count=180, signal=0.0, seed=0):
    """Questions of which 60 % are decided; with ``signal`` 1 the margin says by whom, with 0 nothing does.

    The policies are equally good on average, so that no constant choice gains.
    """
    rng = np.random.default_rng(seed)
    names = [f"q{number:03}" for number in range(count)]
    margin = rng.uniform(0, 1, count)
    gains = np.where(rng.uniform(size=count) < signal, margin > 0.5, rng.uniform(size=count) < 0.5)
    decided = rng.uniform(size=count) < 0.6
    both = rng.uniform(size=count) < 0.5
    features = pd.DataFrame(
        {
            "domain": rng.choice(DOMAINS, count),
            "sub_domain": "",
            "length": "short",
            "planner_margin": margin,
            "bm25_top": rng.normal(10, 4, count),
            "plan_bm25_mean_rank": np.where(rng.uniform(size=count) < 0.1, np.nan, rng.uniform(1, 9, count)),
            "plan_parsed": rng.uniform(size=count) < 0.9,
        },
        index=pd.Index(names, name="question_id"),
    )
    right = pd.DataFrame(
        {
            "other": rng.uniform(size=count) < 0.3,
            "control": np.where(decided, ~gains, both),
            "planner": np.where(decided, gains, both),
        },
        index=features.index,
    )
    return Cases(features, right, answers(features.index, rng), ("other", "control", "planner"))


def answers(ids, rng):
    """What is known of the answers of the controls ``other`` and ``control``."""
    columns = pd.MultiIndex.from_product([["other", "control"], ["confidence", "margin", "entropy"]])
    return pd.DataFrame(rng.uniform(size=(len(ids), len(columns))), index=ids, columns=columns)


@pytest.fixture(scope="session")
def tiers():
    return {"weak": ["other"], "strong": ["control"]}


@pytest.fixture
def pair():
    return PAIR


@pytest.fixture(scope="session")
def make_cases():
    return cases
