"""What a run of the study will do, said before it begins."""

from collections.abc import Mapping, Sequence
from typing import Final

from plancheck.params.study import Params

# Of a first run with all stages, by profile, as measured.
TOOK: Final[Mapping[str, str]] = {"demo": "38 minutes on two AMD EPYC cores without AVX-512, beside other work"}


def announcement(params: Params, stages: Sequence[str]) -> str:
    """A few lines: the study, its size, what is run, and how long a first run of the profile took.

    Args:
        params: of the run.
        stages: those that are brought up to date, in their order.
    """
    benchmark, pack = params.benchmark, params.pack
    source = (
        f"{benchmark.controlled.questions:,} generated questions" if benchmark.source == "controlled"
        else f"the questions of {benchmark.path.name}"
    )  # fmt: skip
    if benchmark.limit is not None:
        source += f" (at most {benchmark.limit:,} of them)"
    budgets = ", ".join(f"{budget:,}" for budget in pack.budgets_chars)
    took = TOOK.get(params.profile)
    return "\n".join(
        [
            f"Profile {params.profile}: {len(params.shown)} policies show an answer model contexts of {budgets} "
            f"characters, for {source}.",
            f"{counted(stages)}; what is up to date is not run again. It can be stopped (Ctrl-C) and goes on when it "
            "is run again.",
            f"With the profile's own parameters, a first run took {took}."
            if took
            else "How long this profile takes was not measured.",
        ]
    )


def run_name(params: Params) -> str:
    """What Prefect calls a run: its profile and its questions, such as ``demo-120-questions``."""
    benchmark = params.benchmark
    if benchmark.source == "controlled":
        return f"{params.profile}-{benchmark.controlled.questions}-questions"
    most = "" if benchmark.limit is None else f"-at-most-{benchmark.limit}"
    return f"{params.profile}-questions-of-{benchmark.path.name}{most}"


def counted(stages: Sequence[str]) -> str:
    return f"One stage, {stages[0]}" if len(stages) == 1 else f"{len(stages)} stages, {stages[0]} to {stages[-1]}"
