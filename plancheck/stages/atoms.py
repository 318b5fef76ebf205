"""Stage atoms: every context cut into windows, or as a chunker of the user's own cuts it."""

import logging
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from plancheck.atoms import chunked, opened, uncovered_chars, windowed
from plancheck.benchmark.domains import asked_for, unlike
from plancheck.benchmark.tables import each_context, read_chars, read_documents, read_questions
from plancheck.given.atoms import read_given_atoms
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
    A file of the user's own (atoms.path) says itself what the atoms are.

    Raises:
        StudyError: that file cannot be read or has faults.
    """
    settings = params.atoms
    questions = read_questions()
    tell_domains(questions, settings.multi_document.domains)
    given = read_documents()
    multi_document = multi_document_contexts(questions, given, settings)
    chunks = (
        read_given_atoms(settings.path, {one.question_id: one for one in questions}, read_chars())
        if settings.path
        else None
    )
    rows: list[dict[str, Any]] = []
    documents: list[int] = []
    uncovered: list[int] = []
    characters = 0
    ids = sorted({question.context_id for question in questions})
    for context_id, text in zip(ids, each_context(ids), strict=True):
        characters += len(text)
        multiple = context_id in multi_document
        opening = documents_of(text, settings, multi_document=multiple, given=given.get(context_id))
        own = chunks[context_id] if chunks else None
        atoms = atoms_of(context_id, opening, settings, multi_document=multiple, chunks=own)
        rows += [row(atom, position) for position, atom in enumerate(atoms)]
        uncovered.append(uncovered_chars(atoms, len(text)))
        if multiple:
            documents.append(len(opening))
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
    report = {"multi_document": found, "atoms": len(rows), "characters": characters}
    LOG.info("%s atoms of %s characters", f"{len(rows):,}", f"{characters:,}")
    if chunks:
        report["uncovered"] = left_out(uncovered, characters)
    write_json(REPORT, report)
    if documents:
        LOG.info("%s", documents_sentence(counts))


def left_out(uncovered: Sequence[int], characters: int) -> dict[str, Any]:
    """What is reported of the characters in no atom; tells it too. ``uncovered``: their number in each context."""
    contexts, total = sum(map(bool, uncovered)), sum(uncovered)
    share = total / characters if characters else 0.0
    LOG.info(
        "atoms.path: %s characters (%.1f %%) of %s of %s contexts are in no atom; no ranking and no plan of atoms can "
        "show them",
        f"{total:,}", 100 * share, f"{contexts:,}", f"{len(uncovered):,}",
    )  # fmt: skip
    return {"characters": total, "share": share, "contexts": contexts}


def multi_document_contexts(questions: Sequence[Question], given: Collection[str], settings: Atoms) -> set[str]:
    """IDs of the contexts that may hold several documents: those ``given`` as a list of them, and those with a question
    of a domain in ``atoms.multi_document.domains``.
    """
    domains = asked_for((question.domain for question in questions), settings.multi_document.domains)
    return {question.context_id for question in questions if question.domain in domains}.union(given)


def documents_of(text: str, settings: Atoms, *, multi_document: bool, given: Sequence[Span] | None) -> Sequence[Span]:
    return opened(
        text,
        separators=settings.multi_document.separators if multi_document else None,
        given=given,
        section_chars=settings.multi_document.window_chars,
    )


def atoms_of(
    context_id: str, found: Sequence[Span], settings: Atoms, *, multi_document: bool, chunks: Sequence[Span] | None
) -> tuple[Atom, ...]:
    """The atoms of a context of the documents ``found``: its windows, or the user's own ``chunks``."""
    if chunks is not None:
        return chunked(context_id, found, chunks)
    window = settings.multi_document if multi_document else settings.other
    return windowed(context_id, found, window_chars=window.window_chars, overlap_chars=window.overlap_chars)


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
