"""params.yaml as a whole, read once at a stage's entry, with the rules that hold between its sections."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import yaml
from pydantic import Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from plancheck.params.analyze import Analyze, Compared
from plancheck.params.answer import Answer, Route
from plancheck.params.benchmark import BenchmarkParams, Split
from plancheck.params.given import ContextsFile, PredictionsFile
from plancheck.params.models import Models, ServedModel, TunedModel
from plancheck.params.pack import Pack, planners
from plancheck.params.planning import Mine, Plan, Planner, Train, Tune
from plancheck.params.ranking_rules import Ranked, ranking_problems
from plancheck.params.rankings import CrossEncoder, Dense, Rankings
from plancheck.params.retrieval import Atoms, Rerank, Retrieve
from plancheck.params.runtime import Runtime
from plancheck.params.section import Name, Section
from plancheck.params.selectors import PlannerSelector, RankingSelector, Selector
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.strict_yaml import yaml_value

PARAMS = Path("params.yaml")


class Run(Section):
    """How the study is run. No stage watches it: it decides whether a stage may start, and never what it makes."""

    locked: bool = Field(default=False, description="refuse to start a stage when something differs from run.lock.json")


class Params(Section):
    profile: str
    run: Run = Field(default_factory=Run)
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
    selectors: dict[Name, Selector] = Field(default_factory=dict)
    contexts: dict[Name, ContextsFile] = Field(
        default_factory=dict, description="policies that show texts of the user's own"
    )
    predictions: dict[Name, PredictionsFile] = Field(
        default_factory=dict, description="finished systems, of which only the answers are known"
    )
    tune: Tune
    pack: Pack
    answer: Answer
    route: Route
    analyze: Analyze
    runtime: Runtime = Field(default_factory=Runtime, description="where shards are worked on; decides no output")

    @model_validator(mode="after")
    def policies_have_what_they_use(self) -> Self:
        users: dict[str, list[str]] = {}
        for name, policy in self.pack.policies.items():
            if policy.selector and policy.selector not in self.selectors:
                users.setdefault(policy.selector, []).append(name)
        problems = [
            f"selectors: lacks {selector!r}, which pack.policies {', '.join(names)} use; add it or drop them"
            for selector, names in users.items()
        ]
        problems += [
            f"selectors.{name}.ranking: there is no ranking {selector.ranking!r}; there are {', '.join(self.rankings)}"
            for name, selector in self.selectors.items()
            if isinstance(selector, RankingSelector) and selector.ranking not in self.rankings
        ]
        names = [*self.shown_twice, *(name for name in self.predictions if name in self.shown)]
        problems += [f"{name!r} is the name of two policies or systems; call one differently" for name in names]
        problems += self.unknown_planner()
        problems += ranking_problems(
            Ranked(
                self.rankings,
                self.models,
                self.retrieve.pool.rankings,
                self.pack.policies,
                self.selectors,
                self.tune,
                self.planner.snippet_chars,
            )
        )
        problems += self.unpacked_routes()
        problems += self.shared_questions()
        problems += self.unservable()
        problems += self.analyze.problems(self.compared)
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @property
    def compared(self) -> Compared:
        """What the ladder and the declared comparisons can name."""
        own = frozenset(planners(self.pack.policies, self.selectors))
        return Compared((*self.shown, *self.predictions), own, tuple(self.pack.budgets_chars))

    @property
    def shown(self) -> tuple[str, ...]:
        """Every policy: those that pack atoms, then those that show texts of the user's own."""
        return (*self.pack.policies, *self.contexts)

    @property
    def shown_twice(self) -> list[str]:
        return [name for name in self.contexts if name in self.pack.policies]

    def unknown_planner(self) -> list[str]:
        """What is wrong with the system that the report is about."""
        name = self.analyze.planner
        tiers = [tier for tier, members in self.analyze.tiers.items() if name in members]
        if name is None or (name in self.treatments and not tiers):
            return []
        if tiers:
            return [f"analyze.planner: {name!r} is a control of tier {tiers[0]!r}"]
        return [f"analyze.planner: {name!r} is none of {', '.join(self.treatments)}"]

    @property
    def treatments(self) -> dict[str, str | None]:
        """By policy or finished system that is set against controls, its selector, as declared."""
        controls = {name for members in self.analyze.tiers.values() for name in members}
        return planners(self.pack.policies, self.selectors) | {
            name: None for name in (*self.contexts, *self.predictions) if name not in controls
        }

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

    def unservable(self) -> list[str]:
        """What is asked of served models that no server can do, or not without their tokenizer."""
        served = {role: model for role, model in self.models.items() if isinstance(model, ServedModel)}
        rankers = {spec.model for spec in self.rankings.values() if isinstance(spec, Dense | CrossEncoder)}
        problems = [
            f"models.{role}: is served, but a server is asked for answers and plans alone; give it another source"
            for role in served
            if role in rankers
        ]
        problems += [
            f"selectors.{name}.adapter: models.{selector.model} is served, so no adapter can be laid on it here; let "
            "the server load one, give a role the name that it has there, and name that role as the selector's model"
            for name, selector in self.selectors.items()
            if isinstance(selector, PlannerSelector) and selector.model in served and selector.adapter is not None
        ]
        chats = {role for role, model in served.items() if model.tokenizer is None}
        if "answer" in chats and self.answer.mode == "likelihood":
            problems.append(
                "models.answer: a server scores choices as tokens, so answer.mode=likelihood needs its tokenizer; name "
                "the folder, or use answer.mode=generate"
            )
        if "planner" in chats and self.mine.begin_reply:
            problems.append(
                "models.planner: a reply is begun in tokens, so mine.begin_reply needs its tokenizer; name the folder, "
                "or use mine.begin_reply=false"
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
    return parse_params(yaml_values(path), name=str(path))


def yaml_values(path: Path) -> Any:
    """What a YAML file holds.

    Raises:
        StudyError: the file is missing or not YAML.
    """
    try:
        return yaml_value(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise StudyError(f"{path}: no such file. Run inside the project's folder.") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise StudyError(f"{path}: not readable as YAML ({error}). Mend it or run `git checkout {path}`.") from error


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
