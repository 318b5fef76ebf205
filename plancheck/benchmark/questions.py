"""Questions from a data file: multiple choice among 2 to 10, under field names that are known or given."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from plancheck.benchmark.answers import gold_letter, is_undeclared
from plancheck.benchmark.entries import OPTIONAL, Entry, broken_rules, entry, lacks, shown_field
from plancheck.benchmark.further import is_wanted, wanted_names
from plancheck.benchmark.json_records import RawRecord
from plancheck.benchmark.nested import unnested
from plancheck.benchmark.reading import read_records
from plancheck.benchmark.texts import Texts
from plancheck.benchmark.values import id_text, shown
from plancheck.params.formats import AnswerIndex, Columns
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.records import Benchmark, Question

ONLY_DOMAIN = "all"


def read_benchmark(path: Path, columns: Columns, answer_index: AnswerIndex | None = None) -> Benchmark:
    """The questions of ``path`` in the file's order, and each distinct context once.

    Every record needs an ID (text, or a whole number, which is kept as decimal text), a question, 2 to 10 choices and a
    context, all of them text with something other than white space, and an answer that means one choice: its label or
    letter, its exact text, or its index, if ``answer_index`` says what the first choice's is. Texts are kept as they
    are. Choices of one question may be equal, and questions may repeat: the ID is the key. A context may be a list of
    documents, which are joined and remembered; evidence may be spans or quotes of the context.

    An optional field may be absent, null or NaN, which reads as "" (for the domain: absent from every record, which
    puts all of them in the one domain "all"; a domain in some records only is a mistake). An optional field whose name
    is not ours must be in the file: a misspelt name must not pass for an absent field.

    Raises:
        StudyError: the file cannot be read, needs more memory than there is, or has records that break these rules;
            all of them are listed.
    """
    check_distinct(columns)
    records = read_records(path, fields=wanted_names(columns), wanted=partial(is_wanted, columns=columns))
    try:
        return parse_records(unnested(records, columns.questions), columns, answer_index, name=str(path))
    except MemoryError as error:
        raise StudyError(
            f"{path}: takes more memory than there is. JSON Lines (one object a line) need three times the largest "
            "record, and the contexts once; a JSON array needs its own size besides, Parquet that of a row group. "
            "Write the file as JSON Lines, or give the machine more memory."
        ) from error


def check_distinct(columns: Columns) -> None:
    others = (name for ours, name in columns.model_dump().items() if ours != "choices" and name is not None)
    names = [*others, *columns.choice_fields]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise StudyError(f"benchmark.columns: {', '.join(doubled)} named for two fields. Give each field its own name.")


def parse_records(
    records: Iterator[RawRecord], columns: Columns, answer_index: AnswerIndex | None, *, name: str
) -> Benchmark:
    """Checked records as a benchmark; ``name`` is how messages call their origin."""
    contexts = Texts()
    # By map: a name for the raw record would keep it while the next one is read.
    entries = list(map(partial(entry, columns=columns, contexts=contexts), records))
    if not entries:
        raise StudyError(f"{name}: no record has a question in its {columns.questions}. Use another file.")
    needed = needed_fields(entries, columns)
    refuse_other_names(entries, needed, columns, name=name)
    problems = undeclared_index(entries, columns, answer_index)
    ids: dict[str, str] = {}
    cuts: dict[str, Entry] = {}
    for found in entries:
        broken = broken_rules(found, needed, columns, answer_index)
        question_id = id_text(found.values.get("question_id"))
        if question_id is not None:
            earlier = ids.setdefault(question_id, found.place)
            if earlier != found.place:
                broken.append(f"{columns.question_id} is also the ID of {earlier}; IDs must be unique")
        first = cuts.setdefault(found.values.get("context", ""), found)
        if first.documents != found.documents and found.values.get("context"):
            broken.append(f"{columns.context} has the text of that of {first.place}, but other documents")
        label = found.place if question_id is None else f"{found.place} ({columns.question_id} {shown(question_id)})"
        problems.extend(f"{label}: {rule}" for rule in broken)
    if problems:
        raise all_problems(
            f"{name}: {len(problems)} problem(s) in {len(entries)} record(s):",
            problems,
            remedy="Mend or remove these records; where the file names its fields differently, set benchmark.format or "
            "benchmark.columns.",
        )
    documents = {name: found.documents for name, found in cuts.items() if found.documents is not None}
    return Benchmark(tuple(to_question(found, answer_index) for found in entries), contexts, documents)


def refuse_other_names(entries: Sequence[Entry], needed: Sequence[str], columns: Columns, *, name: str) -> None:
    """Refuse a file no record of which has some needed field: its fields have other names.

    Raises:
        StudyError: there is such a field; one sentence for all records.
    """
    lacking = [ours for ours in needed if all(lacks(found, ours) for found in entries)]
    known = [found for found in entries if found.fields]
    if not lacking or len(known) < 2 or any(found.broken for found in entries):
        return  # a single record is told by its place
    theirs = dict.fromkeys(field for found in known for field in found.fields)
    example = ", ".join(f"{ours}: FIELD" for ours in lacking)
    raise StudyError(
        f"{name}: no record has {', '.join(shown_field(ours, columns) for ours in lacking)}. The file's fields are "
        f"{', '.join(theirs)}. Say which of them are meant: -S 'benchmark.columns={{{example}}}' (choices: one field "
        "with a list or a mapping, or [FIELD, FIELD, ...]), or choose another benchmark.format."
    )


def undeclared_index(entries: Iterable[Entry], columns: Columns, answer_index: AnswerIndex | None) -> list[str]:
    """The problem that answers are indices and nothing says what the first choice's is, if they are."""
    numbers = [
        int(found.values["answer"])
        for found in entries
        if found.choices and is_undeclared(found.values.get("answer"), found.choices, answer_index)
    ]
    if not numbers:
        return []
    return [
        f"{columns.answer}: {len(numbers)} answer(s) are numbers, from {min(numbers)} to {max(numbers)}, and nothing "
        "says whether the first choice is 0 or 1; say it: -S benchmark.answer_index=0 (or 1)"
    ]


def needed_fields(entries: Sequence[Entry], columns: Columns) -> tuple[str, ...]:
    """The required fields, the renamed optional ones that no record has, and the domain if any record has it."""
    present = {field for found in entries for field in found.values}
    misnamed = [field for field in OPTIONAL if field not in present and getattr(columns, field) not in (field, None)]
    domain = ["domain"] if "domain" in present else []
    return ("question_id", "question", "choices", "answer", "context", *misnamed, *domain)


def to_question(found: Entry, answer_index: AnswerIndex | None) -> Question:
    """A record that breaks no rule as a question."""
    values = found.values
    letter = gold_letter(values["answer"], found.choices, answer_index) if found.choices else None
    if found.choices is None or letter is None:
        raise ValueError(f"{found.place} has no gold letter")
    return Question(
        question_id=str(values["question_id"]),
        domain=values.get("domain") or ONLY_DOMAIN,
        sub_domain=values.get("sub_domain", ""),
        difficulty=values.get("difficulty", ""),
        length=values.get("length", ""),
        question=values["question"],
        choices=found.choices.texts,
        answer=letter,
        context_id=values["context"],
        evidence=found.evidence,
    )
