"""Policies: ways to order the atoms of a context for a question, as declared in params.yaml."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plancheck.params.pack import Policy
from plancheck.records import Atom
from plancheck.retrieval.fusion import reciprocal_rank
from plancheck.retrieval.ranking import Ranking, ranks


@dataclass(frozen=True, slots=True)
class Rankings:
    """What is known of a question's n atoms; every ranking is a permutation of positions 0..n-1.

    ``rerank`` and ``rerank_tuned`` rank the candidate pool first, the other atoms follow in hybrid order;
    ``rerank_tuned`` is None in a study without that control.
    """

    bm25: Ranking
    dense: Ranking
    mmr: Ranking
    hybrid: Ranking
    rerank: Ranking
    rerank_tuned: Ranking | None = None

    def of(self, name: str) -> Ranking:
        """The ranking of that name.

        Raises:
            ValueError: there is none.
        """
        known = {"bm25": self.bm25, "dense": self.dense, "mmr": self.mmr, "rerank": self.rerank}
        if self.rerank_tuned is not None:
            known["rerank_tuned"] = self.rerank_tuned
        if name not in known:
            raise ValueError(f"ranking must be among {sorted(known)}, got {name!r}")
        return known[name]


def order(
    policy: Policy,
    rankings: Rankings,
    atoms: Sequence[Atom],
    *,
    plan: Sequence[Atom] = (),
    question_id: str,
    seed: int,
    rrf_k: int,
) -> list[Atom]:
    """The atoms in a policy's order, each once: those of its plan, then its anchors, then its fill.

    Fills "head" and "head_tail" are spans of the context and order no atoms; here they are an error.

    Args:
        policy: as declared.
        rankings: of ``atoms``.
        atoms: of one context, by position.
        plan: atoms, or spans in their form, that the policy's selector named, in its order; empty when the plan failed,
            which leaves the anchors and the fill, or nothing at all for fill "none".
        question_id: what the random fill is drawn for.
        seed: of the random fill.
        rrf_k: constant of a fusion.
    """
    selected = in_order(plan, atoms, rankings.hybrid) if policy.order == "hybrid" else plan
    anchors = rankings.of(policy.anchors.ranking)[: policy.anchors.atoms] if policy.anchors else ()
    fill = fill_ranking(policy, rankings, atoms, question_id=question_id, seed=seed, rrf_k=rrf_k)
    return list(dict.fromkeys((*selected, *(atoms[position] for position in (*anchors, *fill)))))


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


def fill_ranking(
    policy: Policy, rankings: Rankings, atoms: Sequence[Atom], *, question_id: str, seed: int, rrf_k: int
) -> Ranking:
    if isinstance(policy.fill, Mapping):
        return reciprocal_rank([rankings.of(name) for name in policy.fill], k=rrf_k, weights=list(policy.fill.values()))
    if policy.fill == "none":
        return ()
    if policy.fill == "random":
        return tuple(sorted(range(len(atoms)), key=lambda position: random_key(seed, question_id, atoms[position])))
    if policy.fill in ("head", "head_tail"):
        raise ValueError(f"{policy.fill} orders no atoms: it shows spans of the context")
    return rankings.of(policy.fill)


def random_key(seed: int, question_id: str, atom: Atom) -> str:
    return hashlib.sha256(f"{seed}:{question_id}:{atom.atom_id}".encode()).hexdigest()


def rerank_first(pool: Sequence[tuple[int, int]], hybrid: Ranking) -> Ranking:
    """The pool by rerank rank, then the other atoms in hybrid order.

    Args:
        pool: (position, rerank rank) of each candidate.
        hybrid: ranking of all atoms.
    """
    first = [position for position, _ in sorted(pool, key=lambda item: item[1])]
    taken = set(first)
    return (*first, *(position for position in hybrid if position not in taken))
