"""Policies: ways to order the atoms of a context for a question, as declared in params.yaml."""

from collections.abc import Mapping, Sequence

from plancheck.params.pack import NO_ATOMS, OWN_ORDER, SPANS, Policy
from plancheck.records import Atom
from plancheck.retrieval.fusion import K, reciprocal_rank
from plancheck.retrieval.ranking import Ranking, ranks


def order(
    policy: Policy, rankings: Mapping[str, Ranking], atoms: Sequence[Atom], *, plan: Sequence[Atom] = ()
) -> list[Atom]:
    """The atoms in a policy's order, each once: those of its plan, then its anchors, then its fill.

    Fills "head" and "head_tail" are spans of the context and order no atoms; here they are an error.

    Args:
        policy: as declared.
        rankings: of ``atoms``, by name; all that the policy uses.
        atoms: of one context, by position.
        plan: atoms, or spans in their form, that the policy's selector named, in its order; empty when the plan failed,
            which leaves the anchors and the fill, or nothing at all for fill "none".
    """
    selected = plan if policy.order == OWN_ORDER else in_order(plan, atoms, rankings[policy.order])
    anchors = rankings[policy.anchors.ranking][: policy.anchors.atoms] if policy.anchors else ()
    following = (*anchors, *fill_ranking(policy, rankings))
    return list(dict.fromkeys((*selected, *(atoms[position] for position in following))))


def in_order(selected: Sequence[Atom], atoms: Sequence[Atom], ranking: Ranking) -> list[Atom]:
    """The selected in a ranking's order: a span that is no atom comes where the first atom that it overlaps does.

    Args:
        selected: atoms, or spans in their form; what comes at one place stays in the order given.
        atoms: of the context, by position.
        ranking: of ``atoms``.
    """
    rank_of = dict(zip((atom.atom_id for atom in atoms), ranks(ranking), strict=True))

    def place(item: Atom) -> int:
        if item.atom_id in rank_of:
            return rank_of[item.atom_id]
        touched = [rank_of[atom.atom_id] for atom in atoms if atom.start < item.end and item.start < atom.end]
        return min(touched, default=len(atoms) + 1)

    return sorted(selected, key=place)


def fill_ranking(policy: Policy, rankings: Mapping[str, Ranking]) -> Ranking:
    if isinstance(policy.fill, Mapping):
        return reciprocal_rank([rankings[name] for name in policy.fill], k=K, weights=list(policy.fill.values()))
    if policy.fill in SPANS:
        raise ValueError(f"{policy.fill} orders no atoms: it shows spans of the context")
    return () if policy.fill in NO_ATOMS else rankings[policy.fill]
