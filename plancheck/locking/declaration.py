"""What a study declares before its answers are known."""

from typing import Any

from plancheck.params.study import Params
from plancheck.plumbing.places import portable, without_places


def parameters(params: Params) -> dict[str, Any]:
    """All of them but section run; paths outside the project without their folders, which name a machine."""
    found: dict[str, Any] = without_places(params.model_dump(mode="json", exclude={"run", "runtime"}))
    return found


def declaration(params: Params) -> dict[str, Any]:
    """What is compared, on which questions, and what counts as a gain: of the parameters, what a reader asks for first.

    ``questions`` say how n comes about: which benchmark, how many of its questions, and the split's sizes (numbers or
    shares). With the digests of the benchmark's file and of a listed split it is fixed before any stage has run.
    """
    analyze, route, benchmark = params.analyze, params.route, params.benchmark
    values = analyze.model_dump(mode="json")
    generated = benchmark.source == "controlled"
    return {
        "headline": analyze.planner or route.planner,
        "treatments": list(params.treatments),
        "comparisons": values["comparisons"],
        "tiers": values["tiers"],
        "routers": route.model_dump(mode="json"),
        "budgets_chars": list(params.pack.budgets_chars),
        "margin": analyze.margin,
        "confidence": analyze.confidence,
        "power": analyze.power,
        "questions": {
            "benchmark": benchmark.source if generated else portable(benchmark.path.as_posix()),
            "generated": benchmark.controlled.questions if generated else None,
            "at_most": benchmark.limit,
            "split": portable(params.split.path.as_posix()) if params.split.listed else dict(params.split.sizes),
        },
    }
