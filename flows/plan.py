"""Stage plan as a Prefect flow: data/plans.parquet."""

import logging
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, assert_never

from prefect import flow
from prefect.task_runners import ThreadPoolTaskRunner

from flows.entry import main
from flows.progress import results
from plancheck.answering.usage import write_usage
from plancheck.backends.adapters import adapter_digest, forget_planners
from plancheck.backends.device import pick_device
from plancheck.backends.models import LockedModel, locked
from plancheck.benchmark.tables import read_questions
from plancheck.known import read_rankings
from plancheck.params.planning import Planner
from plancheck.params.rankings import Ranking
from plancheck.params.selectors import HarnessSelector, PlannerSelector, PlansSelector, RankingSelector
from plancheck.params.study import read_params
from plancheck.planning.harness import HARNESS
from plancheck.planning.mining import Planned
from plancheck.planning.plan_rows import plan_rows
from plancheck.planning.plans import Selected
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import DATA, read_json, write_table
from plancheck.pools import read_pools
from plancheck.records import PLANS, Span
from plancheck.tables import read_atoms
from tasks.plan import Adapter, plan_shard
from tasks.shards import Shard, shards, workers

LOG = logging.getLogger("plancheck.plan")

QUESTIONS_A_SHARD = 4
# The folders of the adapters that stage train makes, as selectors name them.
TRAINED: Final[Mapping[str, Path]] = {"last": Path("models/planner"), "early": Path("models/planner_early")}
TRAINING = Path("reports/train.json")


@flow(name="plan")
def plan() -> None:
    """Let every selector plan for every question; plans of one's own are read by stage given."""
    params = read_params()
    questions = sorted(question.question_id for question in read_questions())
    parts = shards(questions, size=QUESTIONS_A_SHARD)
    spans = {atom.atom_id: Span(atom.start, atom.end) for own in read_atoms().values() for atom in own}
    rows: list[dict[str, Any]] = []
    usage: dict[str, Counter[str]] = {}
    # One selector after another, each letting go of its model, so that one at most is in memory.
    for name, selector in params.selectors.items():
        match selector:
            case PlannerSelector():
                model = locked(selector.model, served=params.models[selector.model])
                spent = usage.setdefault(selector.model, Counter())
                plans = model_plans(name, parts, model, planning_adapter(selector), params.planner, spent)
                forget_planners()
            case HarnessSelector():
                plans = harness_plans(selector, questions, seed=params.plan.seed, max_atoms=params.planner.max_atoms)
            case RankingSelector():
                plans = ranked_plans(selector, questions, params.rankings)
            case PlansSelector():
                continue
            case _:
                assert_never(selector)
        rows += plan_rows(name, plans, spans)
    write_table(DATA / "plans.parquet", rows, PLANS)
    write_usage("plan", usage, params.models)


def model_plans(
    selector: str,
    parts: list[Shard],
    model: LockedModel,
    adapter: Adapter | None,
    settings: Planner,
    usage: Counter[str],
) -> dict[str, Selected]:
    """The greedy plan of every question, by ID; ``usage`` is added to what a server's replies cost.

    Raises:
        StudyError: not one prompt could be read.
    """
    started = time.monotonic()
    futures = [plan_shard.submit(shard, selector, model, adapter, settings) for shard in parts]
    planned: dict[str, Planned] = {}
    for part in results(futures, parts, what=f"plan {selector}: questions"):
        planned |= part.plans
        usage.update(part.usage)
    plans = {name: found.plans[0] for name, found in planned.items()}
    failures = Counter(found.failure for found in plans.values())
    if not {None, "unparsable", "cut_off"} & set(failures):
        named = ", ".join(f"{count} {failure}" for failure, count in failures.most_common())
        raise StudyError(
            f"plan: selector {selector} read not one of {len(plans)} prompts ({named}). Show the planner less of each "
            "candidate (planner.snippet_chars) or fewer of them (retrieve.pool.size)."
        )
    LOG.info(
        "%s: %d plans, %d asked, %.1f %% parsed, %.1f atoms each, %d numbers that are no candidate's left out, "
        "in %.0f s",
        selector, len(plans), sum(found.calls for found in planned.values()), 100 * failures[None] / len(plans),
        sum(len(found.atom_ids) for found in plans.values()) / max(failures[None], 1),
        sum(found.unknown for found in planned.values()), time.monotonic() - started,
    )  # fmt: skip
    if failures["cut_off"]:
        LOG.warning("%d replies ended inside the model's reasoning: raise planner.max_new_tokens", failures["cut_off"])
    return plans


def planning_adapter(selector: PlannerSelector) -> Adapter | None:
    """The adapter that a selector plans with, None for the model as it is.

    Raises:
        StudyError: one of this study is not the one that stage train reported.
    """
    if selector.adapter is None:
        return None
    if selector.adapter not in TRAINED:
        found = locked(selector.adapter)
        return Adapter(found.path, adapter_digest(found.path))
    folder = TRAINED[selector.adapter]
    return Adapter(folder, trained_digest(folder))


def trained_digest(folder: Path) -> str:
    """The digest of the adapter in ``folder``, which is the one that stage train reported.

    Raises:
        StudyError: it is another adapter, or the report names none.
    """
    found, report = adapter_digest(folder), read_json(TRAINING)
    recorded = report.get("adapters") if isinstance(report, dict) else None
    expected = recorded.get(folder.name) if isinstance(recorded, dict) else None
    if found != expected:
        raise StudyError(
            f"{folder}: holds the adapter {found[:12]}, but {TRAINING} says that stage train made "
            f"{str(expected)[:12] if expected else 'none'}. Run `dvc checkout {folder} {TRAINING}` for the ones that "
            "dvc.lock names, or `dvc repro train` to make them anew."
        )
    return found


def ranked_plans(
    selector: RankingSelector, questions: list[str], declared: Mapping[str, Ranking]
) -> dict[str, Selected]:
    """The first atoms of a ranking as each question's plan, by ID."""
    atoms = read_atoms()
    rankings = read_rankings(read_questions(), atoms, declared)
    found = {}
    for question in read_questions():
        own = atoms[question.context_id]
        first = rankings[question.question_id][selector.ranking][: selector.atoms]
        found[question.question_id] = Selected(tuple(own[position].atom_id for position in first))
    return {name: found[name] for name in questions}


def harness_plans(selector: HarnessSelector, questions: list[str], *, seed: int, max_atoms: int) -> dict[str, Selected]:
    """The plan that a selector without a model makes for each question, by ID."""
    select = HARNESS[selector.kind]
    atoms = read_atoms()
    return {
        pool.question.question_id: select(pool, atoms[pool.question.context_id], seed=seed, max_atoms=max_atoms)
        for pool in read_pools(questions)
    }


def run() -> None:
    """Run the flow with a worker a core."""
    runner = ThreadPoolTaskRunner(max_workers=workers(pick_device(read_params().planner.device)))
    plan.with_options(task_runner=runner)()


if __name__ == "__main__":
    raise SystemExit(main(run))
