"""Stage atoms: every context cut into windows."""

import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plancheck.atoms import cut
from plancheck.benchmark.domains import asked_for, unlike
from plancheck.benchmark.tables import each_context, read_documents, read_questions
from plancheck.params.retrieval import Atoms
from plancheck.params.study import Params
from plancheck.plumbing.files import DATA, write_json, write_table
from plancheck.records import ATOMS, Atom, Question, Span

REPORT = Path("reports") / "atoms.json"
MOST_DOCUMENTS = {"1": 1, "2-5": 5, "6-50": 50}

LOG = logging.getLogger("plancheck.atoms")


def run(params: Params) -> None:
    """Write data/atoms.parquet, by context ID and position, and reports/atoms.json.

    A context that came as a list of documents is cut at these, whatever its domain, in windows of several documents.
    """
    settings = params.atoms
    questions = read_questions()
    tell_domains(questions, settings.multi_document.domains)
    given = read_documents()
    multi_document = multi_document_contexts(questions, settings) | set(given)
    rows: list[dict[str, Any]] = []
    documents: list[int] = []
    characters = 0
    ids = sorted({question.context_id for question in questions})
    for context_id, text in zip(ids, each_context(ids), strict=True):
        characters += len(text)
        atoms = atoms_of(
            context_id, text, settings, multi_document=context_id in multi_document, given=given.get(context_id)
        )
        rows += [row(atom, position) for position, atom in enumerate(atoms)]
        if context_id in multi_document:
            documents.append(1 + max((atom.document for atom in atoms), default=0))
    write_table(DATA / "atoms.parquet", rows, ATOMS)
    counts = histogram(documents)
    found = {
        "contexts": len(documents),
        "documents": counts,
        "domains": {
            "asked": settings.multi_document.domains,
            "present": sorted({question.domain for question in questions}),
        },
    }
    write_json(REPORT, {"multi_document": found, "atoms": len(rows), "characters": characters})
    LOG.info("%s atoms of %s characters", f"{len(rows):,}", f"{characters:,}")
    if documents:
        LOG.info("%s", documents_sentence(counts))


def multi_document_contexts(questions: Sequence[Question], settings: Atoms) -> set[str]:
    """IDs of the contexts with a question of a domain in ``atoms.multi_document.domains``."""
    domains = asked_for((question.domain for question in questions), settings.multi_document.domains)
    return {question.context_id for question in questions if question.domain in domains}


def atoms_of(
    context_id: str, text: str, settings: Atoms, *, multi_document: bool, given: Sequence[Span] | None
) -> tuple[Atom, ...]:
    window = settings.multi_document if multi_document else settings.other
    return cut(
        context_id,
        text,
        window_chars=window.window_chars,
        overlap_chars=window.overlap_chars,
        separators=settings.multi_document.separators if multi_document else None,
        given=given,
    )


def row(atom: Atom, position: int) -> dict[str, Any]:
    return {
        "atom_id": atom.atom_id,
        "context_id": atom.context_id,
        "position": position,
        "start": atom.start,
        "end": atom.end,
        "document": atom.document,
    }


def histogram(documents: Sequence[int]) -> dict[str, int]:
    """Contexts by their number of documents: 1, 2-5, 6-50, more."""
    classes = Counter(
        next((name for name, most in MOST_DOCUMENTS.items() if number <= most), "more") for number in documents
    )
    return {name: classes[name] for name in (*MOST_DOCUMENTS, "more")}


def documents_sentence(found: dict[str, int]) -> str:
    """How many contexts have how many documents, and what to set where most have one."""
    parts = [f"{found['1']} have 1 document", *(f"{found[name]} have {name}" for name in ("2-5", "6-50", "more"))]
    said = f"of {sum(found.values())} multi-document contexts {', '.join(parts)}"
    if 2 * found["1"] <= sum(found.values()):
        return said
    return f"{said}; what opens a document is atoms.multi_document.separators, in contexts of ...domains"


def tell_domains(questions: Sequence[Question], asked: Sequence[str]) -> None:
    """Warn of domains in ``atoms.multi_document.domains`` that the benchmark spells otherwise or lacks."""
    present = sorted({question.domain for question in questions})
    respelled, absent = unlike(present, asked)
    for name in respelled:
        found = ", ".join(sorted(asked_for(present, [name])))
        LOG.warning("atoms.multi_document.domains has %r; the benchmark's %s is taken for it", name, found)
    if absent:
        LOG.warning(
            "atoms.multi_document.domains: no question is of %s, so no context is cut into documents for it. The "
            "benchmark's domains are: %s",
            ", ".join(absent),
            ", ".join(present),
        )
