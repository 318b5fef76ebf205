"""What keeps rankings, the policies that use them and the models that they need from fitting together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from plancheck.params.models import CAUSAL, Model, PathModel, TunedModel
from plancheck.params.pack import NO_ATOMS, OWN_ORDER, PACKING_ORDER, Policy
from plancheck.params.planning import Tune
from plancheck.params.rankings import (
    RUNS,
    CrossEncoder,
    Dense,
    Mmr,
    Ranking,
    Run,
    cross_encoders,
    made_of,
    reached,
    read_by_models,
)
from plancheck.params.selectors import TRAINED, Selector, adapter_roles, planner_roles

ADAPTERS: Final = PurePosixPath("given/adapters")  # what stage models depends on, as RUNS is for stage retrieve
SIDES: Final = ("control", "planner")


@dataclass(frozen=True, slots=True)
class Ranked:
    """The sections that name rankings, or models that they need; of retrieve the pool's rankings."""

    rankings: Mapping[str, Ranking]
    models: Mapping[str, Model]
    pool: list[str]
    policies: Mapping[str, Policy]
    selectors: Mapping[str, Selector]
    tune: Tune
    snippet_chars: int | None


def ranking_problems(given: Ranked) -> list[str]:
    """A sentence for each rule that is broken: the place, the rule and what to do."""
    found = list(unknown_rankings(given))
    if not found:  # what a ranking is made of can be followed
        found += [*cycles(given.rankings), *misused(given)]
    return [*found, *read_wrongly(given), *role_problems(given), *tune_problems(given)]


def unknown_rankings(given: Ranked) -> Iterator[str]:
    named = {f"pack.policies.{name}": policy.rankings for name, policy in given.policies.items()}
    named |= {f"rankings.{name}": made_of(ranking) for name, ranking in given.rankings.items()}
    named["retrieve.pool.rankings"] = tuple(given.pool)
    known = ", ".join(given.rankings)
    for place, names in named.items():
        for name in names:
            if name not in given.rankings:
                yield f"{place}: there is no ranking {name!r}; declare it in rankings, or name one of {known}"
    for name in given.rankings:
        if name in NO_ATOMS:
            yield f"rankings.{name}: {name!r} is a fill that orders no atoms; call your ranking differently"
        if name in (OWN_ORDER, PACKING_ORDER):
            yield f"rankings.{name}: {name!r} is an order that is no ranking's; call your ranking differently"
        if name in SIDES:
            yield f"rankings.{name}: {name!r} is what router features call a policy; call your ranking differently"


def cycles(rankings: Mapping[str, Ranking]) -> Iterator[str]:
    for name, ranking in rankings.items():
        if any(name in reached(rankings, part) for part in made_of(ranking)):
            yield f"rankings.{name}: is made of itself, by way of {', '.join(made_of(ranking))}; break the circle"


def misused(given: Ranked) -> Iterator[str]:
    """Rankings where one of another kind is needed."""
    for name, ranking in given.rankings.items():
        if isinstance(ranking, Mmr) and not isinstance(given.rankings[ranking.of], Dense):
            kind = given.rankings[ranking.of].kind
            yield f"rankings.{name}.of: {ranking.of!r} is of kind {kind} and has no vectors; name one of kind dense"
    for name in given.pool:
        if read_by_models(given.rankings, name):
            yield (
                f"retrieve.pool.rankings: {name!r} needs a cross-encoder, which reads the pool; name rankings without "
                "one"
            )


def read_wrongly(given: Ranked) -> Iterator[str]:
    """Rankings that cannot read what they are to read."""
    for name, ranking in given.rankings.items():
        if isinstance(ranking, CrossEncoder) and ranking.coverage == "snippet" and given.snippet_chars is None:
            yield (
                f"rankings.{name}.coverage: is 'snippet', what the planner is shown of a candidate, but "
                "planner.snippet_chars is null and shows it whole; give characters there, or use coverage windows to "
                "read all of it"
            )
        if isinstance(ranking, Run):
            place = PurePosixPath(ranking.path.as_posix())
            if not place.is_relative_to(RUNS) or ".." in place.parts:
                yield f"rankings.{name}.path: {place}: put the run into {RUNS}/, so that DVC sees when it changes"
    for role in sorted(adapter_roles(given.selectors)):
        if isinstance(model := given.models.get(role), PathModel):
            place = PurePosixPath(model.path.as_posix())
            if place == ADAPTERS or not place.is_relative_to(ADAPTERS) or ".." in place.parts:
                yield (
                    f"models.{role}.path: {place}: put the adapter's folder into {ADAPTERS}/, so that DVC sees when it "
                    "changes"
                )


def role_problems(given: Ranked) -> Iterator[str]:
    """Roles that are not there, are of the wrong sort or that nothing uses."""
    known = ", ".join(given.models)
    used = {role: f"models: there is no role {role!r}, which every study has; add it" for role in CAUSAL}
    for place, role in planner_roles(given.selectors).items():
        used.setdefault(role, f"{place}: there is no role {role!r} in models ({known})")
    tuned = cross_encoders(given.rankings, given.tune.role, tuned=True)
    for name, ranking in given.rankings.items():
        if isinstance(ranking, Dense | CrossEncoder) and name not in tuned:
            used.setdefault(
                ranking.model, f"rankings.{name}.model: there is no role {ranking.model!r} in models ({known})"
            )
    if tuned:
        base = given.tune.base
        used.setdefault(base, f"tune.base: there is no role {base!r} in models ({known})")
    for role, model in given.models.items():
        if isinstance(model, TunedModel):
            used.setdefault(
                model.encoder, f"models.{role}.encoder: there is no role {model.encoder!r} in models ({known})"
            )
    yield from (problem for role, problem in used.items() if role not in given.models)
    yield from (f"models.{role}: nothing uses it; use it or drop it" for role in given.models if role not in used)
    yield from wrong_sorts(given)


def wrong_sorts(given: Ranked) -> Iterator[str]:
    """Roles that want another model than a cross-encoder, which source tuned makes, or one that is no adapter."""
    adapters = adapter_roles(given.selectors)
    for role in given.models:
        if role in TRAINED:
            yield f"models.{role}: {role!r} is what selectors call an adapter of stage train; call it differently"
    encoders = {
        f"rankings.{name}.model": item.model for name, item in given.rankings.items() if isinstance(item, Dense)
    }
    encoders |= {
        f"models.{role}.encoder": item.encoder for role, item in given.models.items() if isinstance(item, TunedModel)
    }
    wanted = {f"models.{role}": role for role in CAUSAL} | encoders | planner_roles(given.selectors)
    for place, role in wanted.items():
        if isinstance(given.models.get(role), TunedModel):
            yield f"{place}: source tuned makes a cross-encoder, and this must be another model"
        if role in adapters and not place.endswith(".adapter"):
            yield f"{place}: {role!r} is an adapter of another selector, and this must be a model"


def tune_problems(given: Ranked) -> Iterator[str]:
    role, rankings = given.tune.role, cross_encoders(given.rankings, given.tune.role, tuned=True)
    names = ", ".join(rankings)
    if role in given.models:
        yield f"tune.role: {role!r} is in models, and stage tune makes a model of that role; call it differently"
    if rankings and not given.tune.enabled:
        yield (
            f"tune.enabled: is false, but rankings {names} use {role!r}, which stage tune makes; set it to true or "
            "drop them"
        )
    if len({ranking.coverage for ranking in rankings.values()}) > 1:
        yield f"rankings {names}: differ in coverage, and {role!r} learns from what it reads; give them one"


def untuned(rankings: Mapping[str, Ranking], tune: Tune) -> dict[str, str]:
    """By ranking of the model that stage tune makes, the ranking that is the same but for the model it is made of."""
    found = {}
    for name, ranking in cross_encoders(rankings, tune.role, tuned=True).items():
        wanted = ranking.model_copy(update={"model": tune.base})
        same = next((other for other, spec in rankings.items() if spec == wanted), None)
        if same is not None:
            found[name] = same
    return found
