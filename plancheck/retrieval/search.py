"""Retrieval for the questions of one context: every ranking that needs no cross-encoder, and the candidate pools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from plancheck.params.rankings import Bm25, CrossEncoder, Dense, Mmr, Ranking, Run, made_of, read_by_models
from plancheck.records import Atom, Question
from plancheck.retrieval.candidates import candidate_pool
from plancheck.retrieval.derived import Ranked, derived
from plancheck.retrieval.diversity import maximal_marginal_relevance
from plancheck.retrieval.lexical import LexicalIndex
from plancheck.retrieval.ports import Encoder
from plancheck.retrieval.query import query_text
from plancheck.retrieval.ranking import by_score, ranks
from plancheck.retrieval.runs import Hits, run_ranking
from plancheck.retrieval.vectors import Vectors
from plancheck.retrieval.weights import Change, changed
from plancheck.retrieval.words import words


@dataclass(frozen=True, slots=True)
class Found:
    """What retrieval finds for some questions.

    Attributes:
        rows: of data/rankings.parquet, by question as given, ranking as declared, and position.
        candidates: rows of data/candidates.parquet, by question as given and position.
        changes: by BM25 ranking, a question each: where it differs from that by Lucene's weights, None where every
            word of the question that some atom has weighs more than 0.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    candidates: list[dict[str, Any]] = field(default_factory=list)
    changes: dict[str, list[Change | None]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions of one context, whose rankings are made of what is here.

    Attributes:
        questions: that ask about the context.
        context: its text.
        atoms: all of it, by position.
        encoders: by role.
        runs: by ranking and question, what the user's run says; a question that it lacks has no entry.
    """

    questions: Sequence[Question]
    context: str
    atoms: Sequence[Atom]
    encoders: Mapping[str, Encoder]
    runs: Mapping[str, Hits] = field(default_factory=dict)


def search_context(
    asked: Asked, rankings: Mapping[str, Ranking], *, pool: Sequence[str], pool_size: int, batch_size: int
) -> Found:
    """Every atom of the context ranked for each question.

    Args:
        asked: the questions and their context.
        rankings: as declared; those that a cross-encoder has a part in are left out.
        pool: rankings that fill the candidate pool in turn.
        pool_size: atoms in a question's candidate pool.
        batch_size: texts encoded at once.
    """
    declared = {name: spec for name, spec in rankings.items() if not read_by_models(rankings, name)}
    search = Search(asked, declared, batch_size=batch_size)
    found = Found(changes={name: [] for name, spec in declared.items() if isinstance(spec, Bm25)})
    for number, question in enumerate(asked.questions):
        ranked = search.ranked(number)
        for name in declared:
            found.rows.extend(ranking_rows(question, asked.atoms, name, ranked[name], search.vectors.get(name)))
        for name, changes in found.changes.items():
            changes.append(search.change(name, number))
        chosen = candidate_pool([ranked[name].ranking for name in pool], size=pool_size)
        found.candidates.extend(
            {"question_id": question.question_id, "atom_id": asked.atoms[position].atom_id, "position": position}
            for position in sorted(chosen)
        )
    return found


def ranking_rows(
    question: Question, atoms: Sequence[Atom], name: str, ranked: Ranked, vectors: Vectors | None
) -> list[dict[str, Any]]:
    """The rows of one ranking of a question's atoms, by position; ``vectors`` of a dense one."""
    found = ranks(ranked.ranking)
    return [
        {
            "question_id": question.question_id,
            "ranking": name,
            "atom_id": atom.atom_id,
            "score": None if ranked.scores is None else ranked.scores[position],
            "rank": found[position],
            "tokens": vectors.tokens[position] if vectors else None,
            "truncated": vectors.truncated[position] if vectors else None,
        }
        for position, atom in enumerate(atoms)
    ]


class Search:
    """The rankings of one context's atoms; what does not depend on the question is made once."""

    def __init__(self, asked: Asked, rankings: Mapping[str, Ranking], *, batch_size: int) -> None:
        self._asked, self._rankings = asked, rankings
        texts = [asked.context[atom.start : atom.end] for atom in asked.atoms]
        self.vectors = {
            name: Vectors(texts, asked.questions, asked.encoders[spec.model], spec, batch_size=batch_size)
            for name, spec in rankings.items()
            if isinstance(spec, Dense)
        }
        lexical = {name: spec for name, spec in rankings.items() if isinstance(spec, Bm25)}
        atom_words = [words(text) for text in texts] if lexical else []
        self._words = [words(query_text(question)) for question in asked.questions] if lexical else []
        self._indexes = {
            name: LexicalIndex(atom_words, variant=spec.variant, k1=spec.k1, b=spec.b) for name, spec in lexical.items()
        }
        self._reference = cache(
            lambda name: LexicalIndex(atom_words, variant="lucene", k1=lexical[name].k1, b=lexical[name].b)
        )

    def ranked(self, number: int) -> dict[str, Ranked]:
        """Every ranking for a question, by name; each after those that it is made of."""
        found: dict[str, Ranked] = {}

        def rank(name: str) -> None:
            if name not in found:
                for part in made_of(self._rankings[name]):
                    rank(part)
                found[name] = self._rank(self._rankings[name], name, number, found)

        for name in self._rankings:
            rank(name)
        return found

    def _rank(self, spec: Ranking, name: str, number: int, found: Mapping[str, Ranked]) -> Ranked:
        question_id = self._asked.questions[number].question_id
        match spec:
            case Bm25():
                scores = [float(score) for score in self._indexes[name].scores(self._words[number])]
            case Dense():
                scores = [float(score) for score in self.vectors[name].scores(number)]
            case Mmr():
                vectors = self.vectors[spec.of]
                relevance = vectors.scores(number)
                nearest = vectors.nearest(number)
                return Ranked(maximal_marginal_relevance(relevance, nearest, trade_off=spec.trade_off))
            case Run():
                return run_ranking(self._asked.runs[name].get(question_id, ()), self._asked.atoms)
            case CrossEncoder():
                raise ValueError(f"{name}: a cross-encoder ranks the candidate pool, which is made here")
            case _:
                known = {other: ranked.ranking for other, ranked in found.items()}
                return derived(spec, known, self._asked.atoms, question_id=question_id)
        return Ranked(by_score(scores), scores)

    def change(self, name: str, number: int) -> Change | None:
        """Where a BM25 ranking differs from that by Lucene's weights; None where every weight is above 0."""
        index, asked = self._indexes[name], self._words[number]
        if index.lowest_weight(asked) > 0:
            return None
        return changed(by_score(index.scores(asked)), by_score(self._reference(name).scores(asked)))
