"""What the tables of the report are made from: the tables of earlier stages, read once and checked."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pandas as pd

from plancheck.benchmark.tables import read_questions
from plancheck.known import FILES, Known, read_known
from plancheck.params.rankings import Ranking
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.files import DATA, read_json, read_table
from plancheck.records import Atom, Question
from plancheck.reporting.results import Results, join_results
from plancheck.reporting.systems import read_systems
from plancheck.retrieval.ranking import ranks
from plancheck.tables import read_atoms, read_plan_rows, read_splits


@dataclass(frozen=True, slots=True)
class Material:
    """The tables of earlier stages.

    ``answered`` has the predictions of finished systems as well, each at every budget. ``atoms`` are by context;
    ``plans`` holds the selected ones by selector and question; ``rankings`` are those of the stages retrieve, rerank
    and tune together, ``known`` has all that are declared by question. ``leaked`` are the test questions that share an
    ID, a context or a wording with what was learned from.
    """

    questions: Mapping[str, Question]
    splits: Mapping[str, Sequence[str]]
    results: Results
    predictions: pd.DataFrame
    answered: pd.DataFrame
    packed: pd.DataFrame
    atoms: Mapping[str, Sequence[Atom]]
    plans: Mapping[str, Mapping[str, Sequence[Atom]]]
    rankings: pd.DataFrame
    candidates: pd.DataFrame
    known: Mapping[str, Known]
    routing: pd.DataFrame
    leaked: Set[str]

    @property
    def domains(self) -> dict[str, str]:
        """Domain by question ID."""
        return {question_id: question.domain for question_id, question in self.questions.items()}

    @property
    def contexts(self) -> dict[str, str]:
        """Context ID by question ID."""
        return {question_id: question.context_id for question_id, question in self.questions.items()}

    @property
    def atoms_of(self) -> dict[str, dict[str, Atom]]:
        """Atoms by question and ID."""
        by_id = {context_id: {atom.atom_id: atom for atom in own} for context_id, own in self.atoms.items()}
        return {question_id: by_id[context_id] for question_id, context_id in self.contexts.items()}

    @property
    def selected(self) -> dict[tuple[str, str], list[str]]:
        """Atom IDs of each plan by (question ID, selector)."""
        return {
            (question_id, selector): [atom.atom_id for atom in atoms]
            for selector, plans in self.plans.items()
            for question_id, atoms in plans.items()
        }

    def ranks(self, names: Iterable[str]) -> dict[str, dict[tuple[str, str], int]]:
        """By ranking, the rank of each atom by (question ID, atom ID)."""
        return {
            name: {
                (question_id, atom.atom_id): rank
                for question_id, question in self.questions.items()
                for atom, rank in zip(
                    self.atoms[question.context_id], ranks(self.known[question_id].rankings[name]), strict=True
                )
            }
            for name in names
        }

    def scores(self, names: Iterable[str]) -> dict[str, pd.DataFrame]:
        """By ranking, question_id and score of each atom that it scores; none for one that was not made."""
        own = self.rankings.dropna(subset="score")
        return {name: own.loc[own["ranking"] == name, ["question_id", "score"]] for name in names}


def read_material(
    *, rankings: Mapping[str, Ranking], selectors: Sequence[str], policies: Iterable[str], budgets_chars: Sequence[int]
) -> Material:
    """What earlier stages made.

    Args:
        rankings: as declared.
        selectors: of the plans, as declared.
        policies: with ``budgets_chars`` the conditions, each of which packed contexts and predictions must hold.

    Raises:
        StudyError: a file is missing, files do not hold the same questions or conditions, or the test split has fewer
            than 2 contexts.
    """
    splits = read_splits()
    questions = {question.question_id: question for question in read_questions()}
    predictions = read_table(DATA / "predictions.parquet").to_pandas()
    check_splits(splits, questions)
    answered = pd.concat([predictions, *read_systems(budgets_chars)], ignore_index=True)
    packed = read_table(DATA / "packed.parquet").to_pandas()
    conditions = set(product(questions, policies, budgets_chars))
    check_conditions("packed", packed, conditions, stage="pack")
    check_conditions("predictions", predictions, conditions, stage="answer")
    contexts = {question_id: question.context_group for question_id, question in questions.items()}
    if (found := len({contexts[question_id] for question_id in splits["test"]})) < 2:
        raise StudyError(
            f"data/splits.json: the test questions have {found} context; intervals need 2 or more. Put more questions "
            "into test (split.sizes, or the IDs that split.path lists)."
        )
    atoms = read_atoms()
    return Material(
        questions=questions,
        splits=splits,
        results=join_results(answered, contexts, splits),
        predictions=predictions,
        answered=answered,
        packed=packed,
        atoms=atoms,
        plans=read_plans(selectors, atoms, {name: question.context_id for name, question in questions.items()}),
        rankings=pd.concat([read_table(DATA / f"{name}.parquet").to_pandas() for name in FILES], ignore_index=True),
        candidates=read_table(DATA / "candidates.parquet").to_pandas(),
        known=read_known(list(questions.values()), atoms, rankings),
        routing=read_table(DATA / "routing.parquet").to_pandas(),
        leaked=read_leaked(splits["test"]),
    )


def read_leaked(test: Sequence[str], path: Path = Path("reports/leakage.json")) -> Set[str]:
    """The test questions that the leakage audit names.

    Raises:
        StudyError: the file is missing or damaged, or names others.
    """
    found = read_json(path)
    try:
        names = frozenset(found["test"]["concerned"])
    except (TypeError, KeyError) as error:
        raise StudyError(f"{path}: not what stage leakage writes. Run `dvc repro -f leakage`.") from error
    if not names <= set(test):
        raise StudyError(f"{path}: is of another split. Run `dvc repro -f leakage`.")
    return names


def check_splits(splits: Mapping[str, Sequence[str]], questions: Mapping[str, Question]) -> None:
    """Raise a StudyError that lists the questions which are not in both."""
    everyone = {question_id for ids in splits.values() for question_id in ids}
    problems = [f"{question_id}: not in data/questions.parquet" for question_id in sorted(everyone - set(questions))]
    problems += [f"{question_id}: in no split" for question_id in sorted(set(questions) - everyone)]
    if problems:
        raise all_problems(
            "data/splits.json: holds other questions than the benchmark:", problems, remedy="Run `dvc repro -f split`."
        )


def check_conditions(name: str, table: pd.DataFrame, expected: Set[tuple[str, str, int]], *, stage: str) -> None:
    """Raise a StudyError unless ``table`` has one row for each question, policy and budget.

    Args:
        name: of the table, for the message.
        table: columns question_id, policy, budget_chars.
        expected: these three of every condition.
        stage: what makes the table.
    """
    keys = ["question_id", "policy", "budget_chars"]
    counts = Counter(table[keys].itertuples(index=False, name=None))
    wrong = [
        *((key, "no row") for key in expected - set(counts)),
        *((key, "not in the study") for key in set(counts) - expected),
        *((key, f"{count} rows") for key, count in counts.items() if count > 1 and key in expected),
    ]
    if wrong:
        problems = [f"{question}, {policy} at {budget}: {what}" for (question, policy, budget), what in sorted(wrong)]
        raise all_problems(
            f"data/{name}.parquet: must hold one row for each question, policy and budget:",
            problems,
            remedy=f"Run `dvc repro -f {stage}`.",
        )


def read_plans(
    selectors: Sequence[str], by_context: Mapping[str, Sequence[Atom]], context_of: Mapping[str, str]
) -> dict[str, dict[str, list[Atom]]]:
    """The atoms of every plan, spans in their form, by selector as declared and by question."""
    atoms = {atom.atom_id: atom for found in by_context.values() for atom in found}
    plans: dict[str, dict[str, list[Atom]]] = {selector: {} for selector in selectors}
    for row in read_plan_rows(["question_id", "selector", "atom_ids", "starts", "ends"]):
        items = zip(row["atom_ids"], row["starts"], row["ends"], strict=True)
        plans[row["selector"]][row["question_id"]] = [
            atoms.get(item) or Atom(item, context_of[row["question_id"]], start, end, document=0)
            for item, start, end in items
        ]
    return plans
