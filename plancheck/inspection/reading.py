"""What `plancheck inspect` reads of the study in the current folder."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from plancheck.answering.prompt import asker
from plancheck.benchmark.tables import each_context, read_questions
from plancheck.inspection.cases import Case, case
from plancheck.inspection.conditions import Rows, read_rows, refuse_unmade, selected
from plancheck.inspection.lookup import question_meant
from plancheck.inspection.wins import Win, wins
from plancheck.params.study import Params, read_params
from plancheck.plumbing.errors import all_problems
from plancheck.plumbing.files import DATA
from plancheck.records import Question
from plancheck.tables import read_splits
from plancheck.visible import in_a_line


@dataclass(frozen=True, slots=True)
class Study:
    """Its parameters, its questions by ID, and the split of each where they are split."""

    params: Params
    questions: Mapping[str, Question]
    split_of: Mapping[str, str]

    @classmethod
    def read(cls) -> "Study":
        """Read them.

        Raises:
            StudyError: the folder holds no study, or it has no questions yet.
        """
        params = read_params()
        questions = {question.question_id: question for question in read_questions()}
        splits = read_splits() if (DATA / "splits.json").exists() else {}
        split_of = {question_id: split for split, ids in splits.items() for question_id in ids}
        return cls(params, questions, split_of)

    def meant(self, wanted: str) -> str:
        """The ID of the question that is meant, see ``question_meant``."""
        return question_meant(wanted, list(self.questions))

    def cases(self, rows: Rows, wanted: Sequence[tuple[str, Sequence[str]]]) -> Iterator[Case]:
        """The view of each question, with the conditions of these names in full.

        Args:
            rows: of these questions.
            wanted: question IDs, each with names of conditions; none asks for the overview alone.

        Raises:
            StudyError: nothing was packed or answered yet, or a question has no condition of a name.
        """
        in_full = [selected(rows.conditions[question_id], names) for question_id, names in wanted]
        policies = self.params.pack.policies
        questions = [self.questions[question_id] for question_id, _ in wanted]
        contexts = each_context([question.context_id for question in questions])
        for question, context, own in zip(questions, contexts, in_full, strict=True):
            yield case(
                question,
                context,
                split=self.split_of.get(question.question_id, ""),
                conditions=rows.conditions[question.question_id],
                in_full=own,
                plans=rows.plans[question.question_id],
                selectors={name: policy.selector for name, policy in policies.items()},
                mode=self.params.answer.mode,
                ask=asker(self.params.answer),
            )

    def wins(self, winner: str, loser: str, *, budget_chars: int | None) -> list[Win]:
        """The questions that one policy or finished system answers right and the other does not, see ``wins``.

        Raises:
            StudyError: the study has no policy or system of a name, or they have no answers to compare.
        """
        known = [*self.params.shown, *self.params.predictions]
        if unknown := [name for name in (winner, loser) if name not in known]:
            problems = [f"{in_a_line(name)}: the nearest are {', '.join(nearest(name, known))}" for name in unknown]
            raise all_problems("--wins: no policy or finished system of this name:", problems, remedy="Name another.")
        rows = self.rows(list(self.questions), policies=(winner, loser))
        return wins(list(self.questions.values()), rows, winner, loser, budget_chars=budget_chars)

    def rows(self, question_ids: Sequence[str], *, policies: Sequence[str] | None = None) -> Rows:
        """What the tables hold of these questions, see ``read_rows``.

        Raises:
            StudyError: nothing was packed or answered yet.
        """
        rows = read_rows(question_ids, policies=policies)
        refuse_unmade(rows)
        return rows


def nearest(name: str, known: Sequence[str]) -> list[str]:
    return get_close_matches(name, known, n=3) or list(known)
