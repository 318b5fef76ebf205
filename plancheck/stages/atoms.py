"""Stage atoms: every context cut into windows, or as the user's own chunker cuts it."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from plancheck.atoms import chosen, cut, uncovered
from plancheck.benchmark.domains import asked_for, unlike
from plancheck.benchmark.tables import each_context, read_documents, read_questions
from plancheck.given.atoms import read_given_atoms
from plancheck.params.retrieval import Atoms
from plancheck.params.study import Params
from plancheck.plumbing.files import DATA, read_table, write_json, write_table
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
    own = read_own(settings, questions, read_lengths())
    multi_document = multi_document_contexts(questions, settings) | set(given)
    rows: list[dict[str, Any]] = []
    documents: list[int] = []
    characters = 0
    left_out: list[int] = []
    ids = sorted({question.context_id for question in questions})
    for context_id, text in zip(ids, each_context(ids), strict=True):
        characters += len(text)
        atoms = atoms_of(
            context_id,
            text,
            settings,
            multi_document=context_id in multi_document,
            given=given.get(context_id),
            own=own.get(context_id),
        )
        left_out.append(uncovered(atoms, len(text)))
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
    report = {"multi_document": found, "atoms": len(rows), "characters": characters}
    LOG.info("%s atoms of %s characters", f"{len(rows):,}", f"{characters:,}")
    if settings.path:
        report["uncovered"] = {"characters": sum(left_out), "contexts": sum(map(bool, left_out))}
        tell_uncovered(settings.path, left_out, characters)
    write_json(REPORT, report)
    if documents:
        LOG.info("%s", documents_sentence(counts))


def read_lengths() -> dict[str, int]:
    """The characters of each context, by ID."""
    table = read_table(DATA / "contexts.parquet", columns=["context_id", "chars"])
    return dict(zip(table["context_id"].to_pylist(), table["chars"].to_pylist(), strict=True))


def read_own(
    settings: Atoms, questions: Sequence[Question], lengths: Mapping[str, int]
) -> Mapping[str, Sequence[Span]]:
    """The spans of the user's own chunker by context; none where the study cuts windows.

    Raises:
        StudyError: their file has faults.
    """
    if settings.path is None:
        return {}
    return read_given_atoms(settings.path, {question.question_id: question for question in questions}, lengths)


def tell_uncovered(path: Path, left_out: Sequence[int], characters: int) -> None:
    """Warn of the characters that no policy of atoms can show."""
    if missing := sum(left_out):
        LOG.warning(
            "%s: leaves out %s of %s characters (%.1f %%), in %s of %s contexts; only head and head_tail can show them",
            path, f"{missing:,}", f"{characters:,}", 100 * missing / characters,
            f"{sum(map(bool, left_out)):,}", f"{len(left_out):,}",
        )  # fmt: skip


def multi_document_contexts(questions: Sequence[Question], settings: Atoms) -> set[str]:
    """IDs of the contexts with a question of a domain in ``atoms.multi_document.domains``."""
    domains = asked_for((question.domain for question in questions), settings.multi_document.domains)
    return {question.context_id for question in questions if question.domain in domains}


def atoms_of(
    context_id: str,
    text: str,
    settings: Atoms,
    *,
    multi_document: bool,
    given: Sequence[Span] | None,
    own: Sequence[Span] | None = None,
) -> tuple[Atom, ...]:
    """The atoms of a context: ``own`` where the user's chunker made them, else windows; ``given`` are its documents."""
    window = settings.multi_document if multi_document else settings.other
    separators = settings.multi_document.separators if multi_document else None
    if own is not None:
        return chosen(context_id, text, own, section_chars=window.window_chars, separators=separators, given=given)
    return cut(
        context_id,
        text,
        window_chars=window.window_chars,
        overlap_chars=window.overlap_chars,
        separators=separators,
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
