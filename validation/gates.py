"""The gates: which tables each reads, and the modules whose suites must hold there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from validation import (
    atoms,
    leakage,
    packed,
    plans,
    predictions,
    questions,
    rerank,
    rerank_tuned,
    retrieval,
    router_features,
    routing,
    rows,
    splits,
    traces,
)
from validation.inputs import Inputs


@dataclass(frozen=True, slots=True)
class Gate:
    """What to read, modules whose suites must hold, and what is measured without being judged.

    ``splits``, ``rows`` and ``leakage`` say whether data/splits.json, data/sft and reports/leakage.json are read as
    well.
    """

    tables: tuple[str, ...]
    modules: tuple[ModuleType, ...]
    splits: bool = False
    rows: bool = False
    leakage: bool = False
    measures: Callable[[Inputs], dict[str, Any]] = lambda inputs: {}


# In the order of the pipeline. Each module is of one gate, the first where its tables are there: the answer model is
# asked for the traces and the predictions, so the tables of its prompts are judged before.
GATES: Final[Mapping[str, Gate]] = {
    "split": Gate(
        ("questions",), (questions, splits), splits=True, measures=lambda inputs: {"overlap": splits.overlaps(inputs)}
    ),
    "retrieval": Gate(
        ("questions", "contexts", "atoms", "rankings", "candidates", "rerank"),
        (atoms, retrieval, rerank),
    ),
    "rows": Gate(("questions", "candidates", "traces"), (traces, rows), splits=True, rows=True),
    "leakage": Gate((), (leakage,), splits=True, leakage=True),
    "packed": Gate(
        ("questions", "atoms", "candidates", "rerank_tuned", "plans", "given_plans", "given_contexts", "packed"),
        (rerank_tuned, plans, packed),
    ),
    "results": Gate(
        ("questions", "packed", "predictions", "given_predictions", "router_features", "routing"),
        (predictions, router_features, routing),
    ),
}
