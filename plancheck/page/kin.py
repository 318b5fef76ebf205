"""Policies that differ from another in one thing alone: what a policy can be compared with like for like."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plancheck.params.pack import Policy
from plancheck.params.rankings import Position, Random, Ranking


@dataclass(frozen=True, slots=True)
class Yardstick:
    """The policy that follows a selector of the harness as the judged planner follows its own.

    Args:
        policy: the planner's own with its selector replaced; None where the study declares none.
        alone: the plan alone, without fill or anchors, in the selector's own order; None where none is declared.
    """

    policy: str | None
    alone: str | None


def yardstick(policies: Mapping[str, Policy], planner: str, selector: str | None) -> Yardstick:
    """What ``selector`` makes of ``planner``'s anchors, fill and order, and what its plan is alone. None: neither."""
    if selector is None:
        return Yardstick(None, None)
    alone = declared(policies, Policy(selector=selector, fill="none"))
    if planner not in policies:  # a finished system has no fill to share
        return Yardstick(None, alone)
    same = policies[planner].model_copy(update={"selector": selector})
    return Yardstick(declared(policies, same), alone)


def tuned_and_not(policies: Mapping[str, Policy], untuned: Mapping[str, str]) -> tuple[str, str] | None:
    """The first control that fills by a tuned cross-encoder and the one that fills by the untuned, else alike; or None.

    Args:
        policies: by name.
        untuned: by ranking of a tuned cross-encoder, that of the untuned.
    """
    for name, policy in policies.items():
        if isinstance(policy.fill, str) and policy.fill in untuned and not policy.selector:
            other = declared(policies, policy.model_copy(update={"fill": untuned[policy.fill]}))
            return (name, other) if other else None
    return None


def searchless(
    tiers: Mapping[str, Sequence[str]], policies: Mapping[str, Policy], rankings: Mapping[str, Ranking]
) -> list[str]:
    """The tiers of whose controls none searches: each is a policy without a plan, in no order but position's or chance.

    Of a system that a user brings nobody knows how it chose, so its tier is none of these.
    """
    return [
        tier
        for tier, members in tiers.items()
        if all(name in policies and not searches(policies[name], rankings) for name in members)
    ]


def searches(policy: Policy, rankings: Mapping[str, Ranking]) -> bool:
    return policy.selector is not None or not all(
        isinstance(rankings[name], (Random, Position)) for name in policy.rankings
    )


def declared(policies: Mapping[str, Policy], wanted: Policy) -> str | None:
    """The name of the first policy that is packed as ``wanted``, or None."""
    return next((name for name, policy in policies.items() if policy == wanted), None)
