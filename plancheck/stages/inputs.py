"""Stage ``inputs``: whether the study can be made of the benchmark, before a model is fetched or a table replaced.

The benchmark is read here and once more by stage ``benchmark``: DVC removes what a stage made before it runs the stage,
so a stage that refuses its input has already lost its output.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from plancheck.answering import prompt as answering
from plancheck.benchmark.groups import grouped
from plancheck.given.atoms import read_given_atoms
from plancheck.given.contexts import read_given_contexts
from plancheck.given.plans import read_given_plans
from plancheck.given.predictions import read_given_predictions
from plancheck.given.sources import refuse_test_questions, sources
from plancheck.params.rankings import run_files
from plancheck.params.selectors import NEED_EVIDENCE, Selector, plan_files
from plancheck.params.study import Params
from plancheck.planning import prompt as planning
from plancheck.plumbing.errors import Refusals, StudyError
from plancheck.plumbing.files import write_json
from plancheck.records import Benchmark, Question, Span
from plancheck.retrieval.runs import read_known_run
from plancheck.stages.atoms import atoms_of, documents_of, multi_document_contexts
from plancheck.stages.benchmark import limited, load
from plancheck.stages.split import checked_splits

REPORT = Path("reports/checks/inputs.json")


def run(params: Params) -> None:
    """Write reports/checks/inputs.json, which says nothing else: what follows runs again for what changed, not for it.

    Raises:
        StudyError: the benchmark cannot be read or has bad records, or the parameters or a template do not suit its
            questions; or a file of the user's has faults, or a system of theirs learned from test questions.
    """
    whole = load(params.benchmark)
    benchmark = grouped(limited(whole, params.benchmark))
    questions = benchmark.questions
    kept = {question.question_id for question in questions}
    left_out = {question.question_id for question in whole.questions} - kept
    splits = checked_splits(questions, params.split, left_out=left_out)
    check_evidence(questions, params.selectors)
    check_prompts(params, benchmark)
    check_given(params, benchmark)
    files = sources(params.atoms, params.rankings, params.selectors, params.contexts, params.predictions)
    refuse_test_questions(files, splits["test"])
    write_json(REPORT, {"inputs": "can be used"})


def check_given(params: Params, benchmark: Benchmark) -> None:
    """Read the atoms, plans, texts, answers and runs that files give, as later stages will.

    Raises:
        StudyError: files cannot be read or have faults; what is wrong with each is told.
    """
    questions = {question.question_id: question for question in benchmark.questions}
    refusals = Refusals()
    for answers in params.predictions.values():
        with refusals.of(answers.path):
            read_given_predictions(answers, questions)
    for texts in params.contexts.values():
        with refusals.of(texts.path):
            read_given_contexts(texts, questions, params.pack.budgets_chars)
    chunks = None
    if path := params.atoms.path:
        chars = {context_id: len(text) for context_id, text in benchmark.contexts.items()}
        with refusals.of(path):
            chunks = read_given_atoms(path, questions, chars)
    if params.atoms.path is None or chunks is not None:
        check_plans_and_runs(params, benchmark, chunks, refusals)
    refusals.raise_any()


def check_plans_and_runs(
    params: Params, benchmark: Benchmark, chunks: Mapping[str, Sequence[Span]] | None, refusals: Refusals
) -> None:
    """Read what names atoms: of the user's ``chunks``, or of ours."""
    files, runs = plan_files(params.selectors), run_files(params.rankings)
    if not files and not runs:
        return
    questions = {question.question_id: question for question in benchmark.questions}
    multi_document = multi_document_contexts(benchmark.questions, benchmark.documents, params.atoms)
    atoms = {}
    for context_id, text in benchmark.contexts.items():
        multiple = context_id in multi_document
        found = documents_of(text, params.atoms, multi_document=multiple, given=benchmark.documents.get(context_id))
        own = chunks[context_id] if chunks else None
        atoms[context_id] = atoms_of(context_id, found, params.atoms, multi_document=multiple, chunks=own)
    for path in files.values():
        with refusals.of(path):
            read_given_plans(path, questions, benchmark.contexts, atoms)
    atom_ids = {name: [atom.atom_id for atom in atoms[question.context_id]] for name, question in questions.items()}
    for path in runs.values():
        with refusals.of(path):
            read_known_run(path, atom_ids)


def check_prompts(params: Params, benchmark: Benchmark) -> None:
    """Refuse templates that leave out what a model must be shown: of made-up questions, then of the study's own.

    The planner's template is tried on the made-up ones alone: what it shows of a context is not known yet.

    Raises:
        StudyError: one does, or is no template. The first question is named.
    """
    counts = {len(question.choices) for question in benchmark.questions}
    answering.refuse_incomplete(params.answer, counts)
    planning.refuse_incomplete(params.planner, counts)
    if params.answer.prompt:
        ask = answering.asker(params.answer)
        for question in benchmark.questions:
            for budget in (0, *params.pack.budgets_chars):
                try:
                    ask(question, benchmark.contexts[question.context_id][:budget])
                except StudyError as error:
                    raise StudyError(
                        f"{error} This is question {question.question_id}, with {budget:,} characters of its context."
                    ) from error


def check_evidence(questions: Sequence[Question], selectors: Mapping[str, Selector]) -> None:
    """Refuse selectors that read the evidence where a question does not say what it is.

    Raises:
        StudyError: there is such a question.
    """
    needing = [name for name, selector in selectors.items() if selector.kind in NEED_EVIDENCE]
    unknown = [question.question_id for question in questions if not question.evidence]
    if needing and unknown:
        raise StudyError(
            f"selectors: {' and '.join(needing)} need each question's evidence, which {len(unknown)} of "
            f"{len(questions)} questions do not name (the first is {unknown[0]}). Drop them and their policies "
            "(profile smollm2 has neither), or use benchmark.source=controlled."
        )
