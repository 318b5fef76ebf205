"""Rankings of the user's: what a run says of a question's atoms."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from plancheck.plumbing.errors import all_problems
from plancheck.records import Atom
from plancheck.retrieval.derived import Ranked
from plancheck.trec import Hit, best_first, read_run

Hits = Mapping[str, Sequence[Hit]]  # by question


def run_ranking(hits: Sequence[Hit], atoms: Sequence[Atom]) -> Ranked:
    """The atoms by a run's score, then its rank, then position; those that it lacks follow in order of position.

    Args:
        hits: of one question, of ``atoms``, each once.
        atoms: of the question's context, by position.

    Returns:
        The score of an atom that the run lacks is None.
    """
    positions = {atom.atom_id: position for position, atom in enumerate(atoms)}
    first = [positions[hit.docid] for hit in best_first(hits, positions)]
    scores = {positions[hit.docid]: hit.score for hit in hits}
    rest = [position for position in range(len(atoms)) if position not in scores]
    return Ranked((*first, *rest), [scores.get(position) for position in range(len(atoms))])


def read_known_run(path: Path, atom_ids: Mapping[str, Collection[str]]) -> dict[str, list[Hit]]:
    """The run's hits by question; a question that it lacks has no entry.

    Args:
        path: of the run.
        atom_ids: of each question of the study.

    Raises:
        StudyError: it is no run, or names a question or an atom that there is not; all are listed.
    """
    run = read_run(path)
    problems = []
    for question_id, hits in run.items():
        if question_id not in atom_ids:
            problems.append(f"{question_id}: no question of the study")
            continue
        named, known = [hit.docid for hit in hits], set(atom_ids[question_id])
        problems += [f"{question_id}: {atom_id} is no atom of its context" for atom_id in dict.fromkeys(named)
                     if atom_id not in known]  # fmt: skip
    if problems:
        raise all_problems(
            f"{path}: not a run over this study's atoms:",
            problems,
            remedy="Make it from the IDs in data/atoms.parquet and data/questions.parquet as they are now.",
        )
    return run


def lacking(hits: Hits, atom_ids: Mapping[str, Collection[str]]) -> dict[str, int | float]:
    """What reports/retrieve.json says of a run: pairs of question and atom, and those that it lacks."""
    pairs = sum(map(len, atom_ids.values()))
    missing = pairs - sum(map(len, hits.values()))
    return {
        "questions": len(atom_ids),
        "questions_missing": len(set(atom_ids) - set(hits)),
        "atoms": pairs,
        "atoms_missing": missing,
        "missing_share": missing / pairs if pairs else 0.0,
    }
