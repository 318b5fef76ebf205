"""Selectors that use no model: what a perfect, a middling and a null planner look like in every table."""

from collections.abc import Callable, Sequence
from typing import Final

from plancheck.packing import slices
from plancheck.planning.plans import Pool, Selected
from plancheck.planning.seeds import seed_of
from plancheck.plumbing.errors import StudyError
from plancheck.records import Atom


def evidence(pool: Pool, atoms: Sequence[Atom], *, seed: int, max_atoms: int) -> Selected:
    """The atoms that hold the question's evidence, in the order of its spans, whether candidates or not.

    A span is held by the first atom that holds it whole; where none does, by the atoms that hold it together. The plan
    is absent where no atom holds a character of the evidence, as a chunker of the user's own may leave characters out.

    Args:
        pool: the question with its candidates.
        atoms: all of its context, by position.
        seed: changes nothing here.
        max_atoms: most atoms of a plan; those after it are left out.

    Raises:
        StudyError: the benchmark does not say where the evidence is.
    """
    if not pool.question.evidence:
        raise StudyError(
            f"{pool.question.question_id}: its evidence is unknown, which selectors of kind evidence and evidence_half "
            "need. Drop them, or use benchmark.source=controlled."
        )
    held: dict[str, None] = {}
    for span in pool.question.evidence:
        whole = next((atom for atom in atoms if atom.start <= span.start and span.end <= atom.end), None)
        for atom_id in [whole.atom_id] if whole else [piece.atom_id for piece in slices(atoms, span)]:
            held.setdefault(atom_id)
    return Selected(tuple(held)[:max_atoms], None if held else "absent")


def evidence_half(pool: Pool, atoms: Sequence[Atom], *, seed: int, max_atoms: int) -> Selected:
    """The evidence atoms with probability one half, else as many random candidates; one toss a question.

    Absent where the plan of ``evidence`` is.
    """
    gold = evidence(pool, atoms, seed=seed, max_atoms=max_atoms)
    if gold.failure or seed_of(seed, "evidence_half", pool.question.question_id) % 2:
        return gold
    return Selected(shuffled(pool, seed, "evidence_half")[: len(gold.atom_ids)])


def random_plan(pool: Pool, atoms: Sequence[Atom], *, seed: int, max_atoms: int) -> Selected:
    """Random candidates in random order; every number from 1 to ``max_atoms`` (or all candidates) is as likely."""
    most = min(max_atoms, len(pool.candidates))
    count = 1 + seed_of(seed, "random_plan", pool.question.question_id) % most
    return Selected(shuffled(pool, seed, "random_plan")[:count])


def shuffled(pool: Pool, seed: int, name: str) -> tuple[str, ...]:
    """The candidates' IDs in random order, the same whatever order they come in."""
    ids = [atom.atom_id for atom in pool.candidates]
    return tuple(sorted(ids, key=lambda atom_id: seed_of(seed, name, pool.question.question_id, atom_id)))


# By kind of selector.
HARNESS: Final[dict[str, Callable[..., Selected]]] = {
    "evidence": evidence,
    "evidence_half": evidence_half,
    "random": random_plan,
}
