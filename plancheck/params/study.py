"""params.yaml as a whole, read once at a stage's entry, with the rules that hold between its sections."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import yaml
from pydantic import ValidationError, model_validator
from pydantic_core import ErrorDetails

from plancheck.params.analyze import Analyze
from plancheck.params.answer import Answer, Route
from plancheck.params.benchmark import BenchmarkParams, Split
from plancheck.params.models import Models, TunedModel
from plancheck.params.pack import Pack
from plancheck.params.planning import Mine, Plan, Planner, Selector, Train, Tune
from plancheck.params.ranking_rules import Ranked, ranking_problems
from plancheck.params.rankings import Rankings
from plancheck.params.retrieval import Atoms, Rerank, Retrieve
from plancheck.params.section import Section
from plancheck.plumbing.errors import StudyError, all_problems

PARAMS = Path("params.yaml")


class Params(Section):
    profile: str
    models: Models
    benchmark: BenchmarkParams
    split: Split
    atoms: Atoms
    rankings: Rankings
    retrieve: Retrieve
    rerank: Rerank
    planner: Planner
    mine: Mine
    train: Train
    plan: Plan
    tune: Tune
    pack: Pack
    answer: Answer
    route: Route
    analyze: Analyze

    @model_validator(mode="after")
    def policies_have_what_they_use(self) -> Self:
        users: dict[Selector, list[str]] = {}
        for name, policy in self.pack.policies.items():
            if policy.selector and policy.selector not in self.plan.selectors:
                users.setdefault(policy.selector, []).append(name)
        problems = [
            f"plan.selectors: lacks {selector!r}, which pack.policies {', '.join(names)} use; add it or drop them"
            for selector, names in users.items()
        ]
        problems += ranking_problems(
            Ranked(
                self.rankings,
                self.models,
                self.retrieve.pool.rankings,
                self.pack.policies,
                self.tune,
                self.planner.snippet_chars,
            )
        )
        problems += self.unpacked_routes()
        problems += self.shared_questions()
        problems += self.analyze.problems(self.pack)
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def unpacked_routes(self) -> list[str]:
        """What section route names and section pack does not have."""
        problems = [
            f"route.{side}: {name!r} is not in pack.policies; name one of {', '.join(self.pack.policies)}"
            for side, name in (("control", self.route.control), ("planner", self.route.planner))
            if name not in self.pack.policies
        ]
        if self.route.budget_chars not in self.pack.budgets_chars:
            budgets = ", ".join(map(str, self.pack.budgets_chars))
            problems.append(
                f"route.budget_chars: {self.route.budget_chars} is not in pack.budgets_chars; use one of {budgets}"
            )
        return problems

    def shared_questions(self) -> list[str]:
        """A cross-encoder must not be tuned on the questions it is studied on."""
        if self.benchmark.source != "controlled":
            return []
        return [
            f"models.{role}.seed: is {model.seed} and so is benchmark.seed, so the cross-encoder would be tuned on the "
            "study's own questions; change it"
            for role, model in self.models.items()
            if isinstance(model, TunedModel) and model.seed == self.benchmark.seed
        ]


def read_params(path: Path = PARAMS) -> Params:
    """The parameters in ``path``, every rule checked.

    Raises:
        StudyError: the file is missing or not YAML, or breaks rules; all of them are listed.
    """
    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise StudyError(f"{path}: no such file. Run inside the project's folder.") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise StudyError(f"{path}: not readable as YAML ({error}). Mend it or run `git checkout {path}`.") from error
    return parse_params(loaded, name=str(path))


def parse_params(value: Any, *, name: str) -> Params:
    """Parameters from plain values; ``name`` is how messages call their origin."""
    if not isinstance(value, Mapping):
        raise StudyError(f"{name}: holds no mapping of sections. Mend it or run `git checkout {name}`.")
    try:
        return Params.model_validate(value)
    except ValidationError as error:
        problems = [broken_rule(item) for item in error.errors(include_url=False)]
        raise all_problems(
            f"{name}: {len(problems)} parameter(s) break a rule:",
            problems,
            remedy="Mend them in conf/ or give others with `-S section.name=value`; `dvc exp run -S profile=NAME` "
            "composes params.yaml anew from there (profiles: conf/profile/).",
        ) from error


def broken_rule(item: ErrorDetails) -> str:
    """Place, rule and value; a rule between sections names its places itself."""
    rule = item["msg"].removeprefix("Value error, ")
    if not item["loc"]:
        return rule
    shown = "" if item["type"] in ("missing", "extra_forbidden") else f", got {item['input']!r:.80}"
    return f"{'.'.join(str(part) for part in item['loc'])}: {rule}{shown}"
