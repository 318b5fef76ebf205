"""Reading what retrieval, reranking and selectors found of each question's atoms."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plancheck.params.rankings import CrossEncoder, Ranking, made_of
from plancheck.plumbing.errors import all_problems
from plancheck.plumbing.files import DATA, read_table
from plancheck.records import Atom, Question
from plancheck.retrieval import ranking
from plancheck.retrieval.derived import derived, pool_first

PLANS = DATA / "plans.parquet"
FILES = ("rankings", "rerank", "rerank_tuned")  # of the stages retrieve, rerank and tune


@dataclass(frozen=True, slots=True)
class Known:
    """What earlier stages found for a question: rankings of its atoms, and the atom IDs that each selector named."""

    rankings: Mapping[str, ranking.Ranking]
    plans: Mapping[str, Sequence[str]]


def read_known(
    questions: Sequence[Question], atoms: Mapping[str, Sequence[Atom]], rankings: Mapping[str, Ranking]
) -> dict[str, Known]:
    """What is known of each question, by ID as given; a question without a plan has none.

    Args:
        questions: that retrieval ranked.
        atoms: of their contexts, by context.
        rankings: as declared.

    Raises:
        StudyError: the tables lack a ranking for a question.
    """
    stored, plans = read_ranked(), read_plans()
    found, problems = {}, defaultdict[str, int](int)
    for question in questions:
        rows = stored.get(question.question_id, {})
        own, missing = complete(rows, rankings, atoms[question.context_id], question.question_id)
        for name in missing:
            problems[name] += 1
        found[question.question_id] = Known(own, plans.get(question.question_id, {}))
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


def read_ranked() -> dict[str, dict[str, list[str]]]:
    """The ranked atom IDs, best first, by question and ranking."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    columns = ["question_id", "ranking", "atom_id", "rank"]
    for file in FILES:
        table = read_table(DATA / f"{file}.parquet", columns=columns).sort_by("rank")
        for question_id, name, atom_id, _ in zip(*(table[column].to_pylist() for column in columns), strict=True):
            found[question_id][name].append(atom_id)
    return found


def read_plans() -> dict[str, dict[str, list[str]]]:
    """The atom IDs of every plan, by question and selector; empty where the plan failed."""
    plans: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for row in read_table(PLANS, columns=["question_id", "selector", "atom_ids"]).to_pylist():
        plans[row["question_id"]][row["selector"]] = row["atom_ids"]
    return plans
