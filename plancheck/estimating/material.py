"""What a study is made of, in numbers: from its tables, where they are there, or its benchmark, or a given size."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from plancheck.benchmark.pin import is_pin
from plancheck.benchmark.tables import QUESTIONS_FILE, read_chars, read_contexts, read_questions
from plancheck.params.benchmark import Split
from plancheck.params.study import Params
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import DATA
from plancheck.records import LETTERS, Atom, Benchmark, Question
from plancheck.stages.atoms import atoms_of, documents_of, multi_document_contexts
from plancheck.stages.benchmark import limited, load
from plancheck.tables import read_atoms, read_splits

QUESTION_CHARS, CHOICE_CHARS = 200, 60  # of a question that is only known to be one: rough means of LongBench-v2's


@dataclass(frozen=True, slots=True)
class Size:
    """A benchmark that is not here: so many questions, each with a context of its own of so many characters."""

    questions: int
    context_chars: int


@dataclass(frozen=True, slots=True)
class Material:
    """The questions and their contexts.

    Attributes:
        source: where they are from, for the reader.
        questions: by ID.
        atoms: of each context, by position.
        chars: length of each context.
        splits: number of questions of train, dev and test.
        text: of a context by its ID; None where only sizes are known.
    """

    source: str
    questions: tuple[Question, ...]
    atoms: Mapping[str, tuple[Atom, ...]]
    chars: Mapping[str, int]
    splits: Mapping[str, int]
    text: Callable[[str], str] | None


def read_material(params: Params, *, made: bool, size: Size | None) -> Material:
    """What the parameters make a study of.

    Args:
        params: of the study.
        made: whether the tables in data/ are of these parameters, and so are read where they are there.
        size: stands for the benchmark.

    Raises:
        StudyError: the benchmark cannot be read, or would first have to be fetched.
    """
    if size is not None:
        return stand_in(params, size)
    if made and QUESTIONS_FILE.exists() and (DATA / "atoms.parquet").exists() and (DATA / "splits.json").exists():
        questions = read_questions()
        splits = {name: len(ids) for name, ids in read_splits().items()}
        return Material(
            "the tables in data/",
            by_id(questions),
            read_atoms(),
            read_chars(),
            splits,
            lambda one: read_contexts([one])[one],
        )
    if params.benchmark.source == "file" and is_pin(params.benchmark.path):
        raise StudyError(
            f"benchmark.path: {params.benchmark.path} names a file of the hub, which nothing is fetched from here. Run "
            "`dvc repro split atoms` first, or give its size: --questions 503 --context-chars 900000."
        )
    benchmark = limited(load(params.benchmark), params.benchmark)
    chars = {context_id: len(text) for context_id, text in benchmark.contexts.items()}
    texts = benchmark.contexts
    source = "generated questions" if params.benchmark.source == "controlled" else str(params.benchmark.path)
    return Material(
        source,
        by_id(benchmark.questions),
        cut(benchmark, params),
        chars,
        split_sizes(params.split, len(benchmark.questions)),
        texts.__getitem__,
    )


def by_id(questions: Sequence[Question]) -> tuple[Question, ...]:
    return tuple(sorted(questions, key=lambda question: question.question_id))


def cut(benchmark: Benchmark, params: Params) -> dict[str, tuple[Atom, ...]]:
    """The atoms of every context, windows even where the user's own spans will be used."""
    multi_document = multi_document_contexts(benchmark.questions, benchmark.documents, params.atoms)
    atoms = {}
    for context_id, text in benchmark.contexts.items():
        multiple = context_id in multi_document
        found = documents_of(text, params.atoms, multi_document=multiple, given=benchmark.documents.get(context_id))
        atoms[context_id] = atoms_of(context_id, found, params.atoms, multi_document=multiple, chunks=None)
    return atoms


def split_sizes(split: Split, questions: int) -> dict[str, int]:
    """Questions of each split, as declared; of shares, rounded."""
    return {name: size if isinstance(size, int) else round(size * questions) for name, size in split.sizes.items()}


def stand_in(params: Params, size: Size) -> Material:
    """Questions of which only the number and the contexts' length are known; every one is of one document."""
    window = params.atoms.other
    step = window.window_chars - window.overlap_chars
    starts = range(0, max(size.context_chars - window.overlap_chars, 1), step)
    questions, atoms, chars = [], {}, {}
    for number in range(size.questions):
        name = f"{number:09}"
        atoms[name] = tuple(
            Atom(f"{name}-{start}", name, start, min(start + window.window_chars, size.context_chars), 0)
            for start in starts
        )
        chars[name] = size.context_chars
        questions.append(
            Question(
                question_id=name, domain="", sub_domain="", difficulty="", length="", question="x" * QUESTION_CHARS,
                choices=("x" * CHOICE_CHARS,) * 4, answer=LETTERS[0], context_id=name,
            )
        )  # fmt: skip
    named = f"{size.questions:,} questions of {size.context_chars:,} characters each, as given"
    return Material(named, tuple(questions), atoms, chars, split_sizes(params.split, size.questions), None)
