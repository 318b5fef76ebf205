"""Rankings as TREC runs, and gold evidence as the relevance judgements that score them."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from plancheck.known import FILES, complete, read_ranked
from plancheck.params.rankings import CrossEncoder, Ranking, reached
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.files import DATA
from plancheck.records import Atom, Question, Span
from plancheck.tables import read_atoms
from plancheck.trec import Hit, qrels_line, ranked, run_line

LOG = logging.getLogger("plancheck.export")
RETRIEVED, RERANKED, TUNED = FILES


def refuse_unknown_ranking(name: str, rankings: Mapping[str, Ranking]) -> None:
    """Raise a StudyError unless a ranking has the name."""
    if name not in rankings:
        raise StudyError(f"--ranking {name}: the study has no such ranking. Choose one of {', '.join(rankings)}.")


def tables_of(name: str, rankings: Mapping[str, Ranking], tuned_role: str) -> list[str]:
    """The tables that a ranking is read from: a ranking of stage retrieve needs no cross-encoder's."""
    readers = [rankings[part] for part in reached(rankings, name)]
    models = [reader.model for reader in readers if isinstance(reader, CrossEncoder)]
    reranked = [RERANKED] if any(model != tuned_role for model in models) else []
    return [RETRIEVED, *reranked, *([TUNED] if tuned_role in models else [])]


def files_of(tables: Iterable[str]) -> list[Path]:
    return [DATA / f"{table}.parquet" for table in tables]


def run_lines(
    questions: Sequence[Question], name: str, rankings: Mapping[str, Ranking], tables: Iterable[str]
) -> Iterator[str]:
    """A line of a TREC run for each atom of each question's context, best first; questions as given.

    Args:
        questions: that retrieval ranked.
        name: of the ranking, and the run's tag.
        rankings: as declared.
        tables: those that the ranking is read from.

    Raises:
        StudyError: the study has not made the ranking for every question.
    """
    parts = {part: rankings[part] for part in reached(rankings, name)}
    stored = read_ranked(tables)
    atoms = read_atoms({question.context_id for question in questions})
    found: dict[str, list[Hit]] = {}
    for question in questions:
        own, question_id = atoms[question.context_id], question.question_id
        made, _ = complete(stored.get(question_id, {}), parts, own, question_id)
        if name in made:
            found[question_id] = ranked([own[position].atom_id for position in made[name]])
    if lacking := [question.question_id for question in questions if question.question_id not in found]:
        raise all_problems(
            f"--ranking {name}: questions without this ranking:", lacking, remedy="Run `dvc repro` to make it."
        )
    for question_id, hits in found.items():
        yield from (run_line(question_id, hit, tag=name) for hit in hits)


def qrels_lines(questions: Sequence[Question]) -> Iterator[str]:
    """A line with relevance 1 for each atom that holds one of a question's evidence spans whole, by position.

    Questions are as given. A warning counts the spans that no atom holds whole, and the questions without a line.

    Raises:
        StudyError: of some question the evidence is not known.
    """
    unknown = [question.question_id for question in questions if question.evidence is None]
    if unknown:
        raise all_problems(
            "The benchmark does not say what the evidence of these questions is, so none of their atoms can be judged:",
            unknown,
            remedy="Use a benchmark with evidence spans, such as the generated one (benchmark.source: controlled).",
        )
    atoms = read_atoms({question.context_id for question in questions})
    torn = unjudged = 0
    for question in questions:
        own, spans = atoms[question.context_id], question.evidence or ()
        torn += sum(not any(holds(atom, span) for atom in own) for span in spans)
        relevant = [atom for atom in own if any(holds(atom, span) for span in spans)]
        unjudged += not relevant
        yield from (qrels_line(question.question_id, atom.atom_id, relevance=1) for atom in relevant)
    if torn or unjudged:
        LOG.warning(
            "%s evidence span(s) lie in no atom whole; %s of %s questions have no line, so that trec_eval leaves them "
            "out of its means",
            f"{torn:,}",
            f"{unjudged:,}",
            f"{len(questions):,}",
        )


def holds(atom: Atom, span: Span) -> bool:
    """Whether an atom has every character of a span."""
    return atom.start <= span.start and span.end <= atom.end
