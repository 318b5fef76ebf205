"""Section rankings: by name, what puts the atoms of a context in an order for a question."""

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field, PositiveInt

from plancheck.params.section import FilePath, Name, Section, Seed, Share

Variant = Literal["okapi", "plus", "l", "lucene"]
RUNS: Final = PurePosixPath("given/runs")  # what stage retrieve depends on; DVC cannot depend on files named elsewhere


class Bm25(Section):
    """BM25 over the words of question and choices, from rank-bm25."""

    kind: Literal["bm25"]
    variant: Variant = Field(description="okapi is rank-bm25's usual one; the others have no weight of 0 or below")
    k1: Annotated[float, Field(ge=0)] = 1.5
    b: Share = 0.75


class Dense(Section):
    """Cosine of question and atom by a sentence encoder."""

    kind: Literal["dense"]
    model: Name
    coverage: Literal["head", "windows"] = Field(
        description="of an atom the encoder reads the beginning; or all of it, in parts of which the nearest counts"
    )
    query_prefix: str = Field("", description="put before question and choices, as the encoder was trained")
    passage_prefix: str = Field("", description="put before each atom or part of it")


class Mmr(Section):
    """Maximal marginal relevance over the vectors of a dense ranking."""

    model_config = ConfigDict(serialize_by_alias=True)

    kind: Literal["mmr"]
    of: Name
    trade_off: Share = Field(alias="lambda", description="1 is pure relevance, 0 pure novelty")


class CrossEncoder(Section):
    """The candidate pool by a cross-encoder; the other atoms follow in the order of another ranking."""

    kind: Literal["cross_encoder"]
    model: Name
    coverage: Literal["head", "windows", "snippet"] = Field(
        description="of a candidate the cross-encoder reads the beginning; or all of it, or all that the planner is "
        "shown of it, in parts of which the best counts"
    )
    rest: Name = Field(description="ranking of the atoms outside the pool")

    @property
    def in_parts(self) -> bool:
        """Whether it reads all that it is given, in parts, or the beginning."""
        return self.coverage != "head"

    def chars(self, snippet_chars: int | None) -> int | None:
        """Characters of a candidate that the cross-encoder is given, as ``planner.snippet_chars``; None for all."""
        return snippet_chars if self.coverage == "snippet" else None


Weights = dict[Name, Annotated[float, Field(gt=0)] | PositiveInt]


class Fusion(Section):
    """Reciprocal-rank fusion of rankings."""

    kind: Literal["fusion"]
    weights: Annotated[Weights, Field(min_length=1)]
    k: PositiveInt = 60


class Run(Section):
    """Of the user: a run in TREC's format, a question's ID and an atom's in each line."""

    kind: Literal["run"]
    path: FilePath


class Random(Section):
    """At random, for each question anew."""

    kind: Literal["random"]
    seed: Seed


class Position(Section):
    """As the atoms stand in the context."""

    kind: Literal["position"]


Ranking = Annotated[Bm25 | Dense | Mmr | CrossEncoder | Fusion | Run | Random | Position, Field(discriminator="kind")]
Rankings = Annotated[dict[Name, Ranking], Field(min_length=1)]


def run_files(rankings: Mapping[str, Ranking]) -> dict[str, Path]:
    """The file of each ranking of kind run, by name as declared."""
    return {name: ranking.path for name, ranking in rankings.items() if isinstance(ranking, Run)}


def made_of(ranking: Ranking) -> tuple[str, ...]:
    """The names of the rankings that it is made of; none for most kinds."""
    match ranking:
        case Mmr():
            return (ranking.of,)
        case Fusion():
            return tuple(ranking.weights)
        case CrossEncoder():
            return (ranking.rest,)
    return ()


def reached(rankings: Mapping[str, Ranking], name: str) -> Iterator[str]:
    """The ranking and all that it is made of, directly or not, each once, itself first; undeclared names too."""
    found, todo = dict[str, None](), [name]
    while todo:
        if (here := todo.pop()) not in found:
            found[here] = None
            yield here
            todo += made_of(rankings[here]) if here in rankings else ()


def read_by_models(rankings: Mapping[str, Ranking], name: str) -> bool:
    """Whether a cross-encoder has a part in the ranking, which stage retrieve then cannot make."""
    return any(isinstance(rankings[other], CrossEncoder) for other in reached(rankings, name) if other in rankings)


def scorers(rankings: Mapping[str, Ranking], tuned_role: str) -> dict[str, Ranking]:
    """The rankings by a score of their own that learned nothing from the study's gold letters, as declared.

    They are what routers know of a pool and what wins are told from losses by. A run of the user's need not score
    every atom, so it is none.
    """
    return {
        name: ranking
        for name, ranking in rankings.items()
        if isinstance(ranking, Bm25 | Dense) or (isinstance(ranking, CrossEncoder) and ranking.model != tuned_role)
    }


def cross_encoders(rankings: Mapping[str, Ranking], tuned_role: str, *, tuned: bool) -> dict[str, CrossEncoder]:
    """The rankings by a cross-encoder that stage tune makes (``tuned``), or by another, as declared."""
    return {
        name: ranking
        for name, ranking in rankings.items()
        if isinstance(ranking, CrossEncoder) and (ranking.model == tuned_role) == tuned
    }
