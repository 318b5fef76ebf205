"""Stage atoms: every context cut into windows."""

import logging

from plancheck.atoms import cut
from plancheck.benchmark.tables import read_contexts, read_questions
from plancheck.files import DATA, write_table
from plancheck.params.study import Params
from plancheck.records import ATOMS

LOG = logging.getLogger("plancheck.atoms")


def run(params: Params) -> None:
    """Write data/atoms.parquet, by context ID and position."""
    multi, other = params.atoms.multi_document, params.atoms.other
    questions = read_questions()
    multi_document = {question.context_id for question in questions if question.domain in multi.domains}
    rows = []
    characters = 0
    for context_id in sorted({question.context_id for question in questions}):
        text = read_contexts([context_id])[context_id]
        characters += len(text)
        window, separators = (multi, multi.separators) if context_id in multi_document else (other, [])
        atoms = cut(
            context_id,
            text,
            window_chars=window.window_chars,
            overlap_chars=window.overlap_chars,
            separators=separators,
        )
        rows += [
            {
                "atom_id": atom.atom_id,
                "context_id": context_id,
                "position": position,
                "start": atom.start,
                "end": atom.end,
                "document": atom.document,
            }
            for position, atom in enumerate(atoms)
        ]
    write_table(DATA / "atoms.parquet", rows, ATOMS)
    LOG.info("%s atoms of %s characters", f"{len(rows):,}", f"{characters:,}")
