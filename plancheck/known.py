"""Reading what retrieval, reranking and selectors found of each question's atoms."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from plancheck.params.rankings import CrossEncoder, Ranking, made_of
from plancheck.plumbing.errors import all_problems
from plancheck.plumbing.files import DATA, read_table
from plancheck.records import Atom, Piece, Question
from plancheck.retrieval import ranking
from plancheck.retrieval.derived import derived, pool_first
from plancheck.tables import read_plan_rows

FILES = ("rankings", "rerank", "rerank_tuned")  # of the stages retrieve, rerank and tune


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a question: rankings of its atoms, and the atoms or spans that each selector named."""

    rankings: Mapping[str, ranking.Ranking]
    plans: Mapping[str, Sequence[Piece]]


def read_known(
    questions: Sequence[Question], atoms: Mapping[str, Sequence[Atom]], rankings: Mapping[str, Ranking]
) -> dict[str, Known]:
    """What is known of each question, by ID as given; a question without a plan has none.

    Args and errors are those of ``read_rankings``.
    """
    found, plans = read_rankings(questions, atoms, rankings), read_plans()
    return {question_id: Known(own, plans.get(question_id, {})) for question_id, own in found.items()}


def read_rankings(
    questions: Sequence[Question], atoms: Mapping[str, Sequence[Atom]], rankings: Mapping[str, Ranking]
) -> dict[str, dict[str, ranking.Ranking]]:
    """Every declared ranking of each question's atoms, by question ID as given and by name.

    Args:
        questions: which retrieval ranked the atoms for.
        atoms: by context, by position.
        rankings: as declared.

    Raises:
        StudyError: rankings are missing; all are named.
    """
    stored = read_ranked()
    found: dict[str, dict[str, ranking.Ranking]] = {}
    problems = defaultdict[str, int](int)
    for question in questions:
        rows = stored.get(question.question_id, {})
        own, missing = complete(rows, rankings, atoms[question.context_id], question.question_id)
        for name in missing:
            problems[name] += 1
        found[question.question_id] = own
    if problems:
        raise all_problems(
            f"{', '.join(f'{DATA}/{name}.parquet' for name in FILES)}: rankings are not there:",
            [f"{name}: for {count:,} of {len(questions):,} questions" for name, count in problems.items()],
            remedy="Run `dvc repro` to make them.",
        )
    return found


def complete(
    stored: Mapping[str, Sequence[str]], rankings: Mapping[str, Ranking], atoms: Sequence[Atom], question_id: str
) -> tuple[dict[str, ranking.Ranking], list[str]]:
    """Every declared ranking of all of a question's atoms, and the names of those that cannot be made.

    Args:
        stored: atom IDs best first, by ranking; of a cross-encoder those of the pool.
        rankings: as declared, without circles.
        atoms: of the question's context, by position.
        question_id: of the question.
    """
    positions = {atom.atom_id: position for position, atom in enumerate(atoms)}
    found: dict[str, ranking.Ranking] = {}
    missing: list[str] = []

    def make(name: str) -> None:
        if name in found or name in missing:
            return
        spec, ranked = rankings[name], [positions[atom_id] for atom_id in stored.get(name, ())]
        for part in made_of(spec):
            make(part)
        if any(part in missing for part in made_of(spec)):
            missing.append(name)
        elif ranked:
            found[name] = pool_first(ranked, found[spec.rest]) if isinstance(spec, CrossEncoder) else tuple(ranked)
        elif spec.kind == "fusion":  # of a cross-encoder's ranking, which no stage before could make
            found[name] = derived(spec, found, atoms, question_id=question_id).ranking
        else:
            missing.append(name)

    for name in rankings:
        make(name)
    return found, missing


def read_ranked(files: Iterable[str] = FILES) -> dict[str, dict[str, list[str]]]:
    """The ranked atom IDs in these tables, best first, by question and ranking."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    columns = ["question_id", "ranking", "atom_id", "rank"]
    for file in files:
        table = read_table(DATA / f"{file}.parquet", columns=columns).sort_by("rank")
        for question_id, name, atom_id, _ in zip(*(table[column].to_pylist() for column in columns), strict=True):
            found[question_id][name].append(atom_id)
    return found


def read_plans() -> dict[str, dict[str, list[Piece]]]:
    """What every plan selects, by question and selector; nothing where the plan failed."""
    plans: dict[str, dict[str, list[Piece]]] = defaultdict(dict)
    for row in read_plan_rows(["question_id", "selector", "atom_ids", "starts", "ends"]):
        plans[row["question_id"]][row["selector"]] = list(map(Piece, row["atom_ids"], row["starts"], row["ends"]))
    return plans
