"""Questions from a data file in LongBench-v2's format, or in another four-choice format through a column mapping."""

import logging
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from plancheck.benchmark.choices import CHOICES, index_base, is_number, is_wanted, wanted_names
from plancheck.benchmark.entries import OPTIONAL, Entry, broken_rules, entry, id_text, letter_of, shown
from plancheck.benchmark.json_records import RawRecord
from plancheck.benchmark.reading import read_records
from plancheck.benchmark.texts import Texts
from plancheck.params.benchmark import Columns
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.records import Benchmark, Question

ONLY_DOMAIN = "all"

log = logging.getLogger("plancheck.benchmark")


def read_benchmark(path: Path, columns: Columns) -> Benchmark:
    """The questions of ``path`` in the file's order, and each distinct context once.

    Every record needs an ID (text, or a whole number, which is kept as decimal text), a question, four choices, a
    context (all of them text with something other than white space) and an answer. With a field for each choice the
    answer is exactly A, B, C or D. In a list of choices (``columns.choices``) it may also be a choice's exact text or
    number; numbers count from 0 where the file has a 0, from 1 where it has a 4, and are refused with neither or both.
    Texts are kept as they are. Choices of one question may be equal, and questions may repeat: the ID is the key.

    An optional field may be absent, null or NaN, which reads as "" (for the domain: absent from every record, which
    puts all of them in the one domain "all"; a domain in some records only is a mistake). An optional field whose name
    was changed in ``columns`` must be in the file: a misspelt name must not pass for an absent field.

    Raises:
        StudyError: the file cannot be read, needs more memory than there is, or has records that break these rules;
            all of them are listed.
    """
    check_distinct(columns)
    records = read_records(path, fields=wanted_names(columns), wanted=partial(is_wanted, columns=columns))
    try:
        return parse_records(records, columns, name=str(path))
    except MemoryError as error:
        raise StudyError(
            f"{path}: takes more memory than there is. JSON Lines (one object a line) need three times the largest "
            "record, and the contexts once; a JSON array needs its own size besides, Parquet that of a row group. "
            "Write the file as JSON Lines, or give the machine more memory."
        ) from error


def check_distinct(columns: Columns) -> None:
    choices = CHOICES if columns.choices is None else ("choices",)
    used = ("question_id", "question", *choices, "answer", "context", *OPTIONAL)
    names = [name for field in used if (name := getattr(columns, field)) is not None]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise StudyError(f"benchmark.columns: {', '.join(doubled)} named for two fields. Give each field its own name.")


def parse_records(records: Iterable[RawRecord], columns: Columns, *, name: str) -> Benchmark:
    """Checked records as a benchmark; ``name`` is how messages call their origin."""
    contexts = Texts()
    # By map: a name for the raw record would keep it while the next one is read.
    entries = list(map(partial(entry, columns=columns, contexts=contexts), records))
    needed = needed_fields(entries, columns)
    refuse_other_names(entries, needed, columns, name=name)
    problems = unclear_numbers(entries, columns)
    base = index_base(answers(entries))
    places: dict[str, str] = {}
    for found in entries:
        broken = broken_rules(found, needed, columns, base)
        question_id = id_text(found.values.get("question_id"))
        if question_id is not None:
            earlier = places.setdefault(question_id, found.place)
            if earlier != found.place:
                broken.append(f"{columns.question_id} is also the ID of {earlier}; IDs must be unique")
        label = found.place if question_id is None else f"{found.place} ({columns.question_id} {shown(question_id)})"
        problems.extend(f"{label}: {rule}" for rule in broken)
    if problems:
        raise all_problems(
            f"{name}: {len(problems)} problem(s) in {len(entries)} record(s):",
            problems,
            remedy="Mend or remove these records; where the file names its fields differently, set benchmark.columns "
            "(benchmark.columns.choices for one field that holds a list of choices).",
        )
    if columns.choices is not None and base is not None:
        log.info("answers that are numbers count the choices from %d", base)
    return Benchmark(tuple(to_question(found, columns, base) for found in entries), contexts)


def refuse_other_names(entries: Sequence[Entry], needed: Sequence[str], columns: Columns, *, name: str) -> None:
    """Refuse a file no record of which has some needed field: its fields have other names.

    Raises:
        StudyError: there is such a field; one sentence for all records.
    """
    lacking = [ours for ours in needed if not any(ours in found.values for found in entries)]
    known = [found for found in entries if found.fields]
    if not lacking or len(known) < 2 or any(found.broken for found in entries):
        return  # a single record is told by its place
    theirs = dict.fromkeys(field for found in known for field in found.fields)
    example = ", ".join(f"{ours}: FIELD" for ours in lacking)
    raise StudyError(
        f"{name}: no record has {', '.join(getattr(columns, ours) for ours in lacking)}. The file's fields are "
        f"{', '.join(theirs)}. Say which of them are meant: -S 'benchmark.columns={{{example}}}' "
        "(benchmark.columns.choices for one field that holds a list of choices)."
    )


def answers(entries: Iterable[Entry]) -> list[object]:
    return [found.values["answer"] for found in entries if "answer" in found.values]


def unclear_numbers(entries: Iterable[Entry], columns: Columns) -> list[str]:
    """The problem that answers are numbers which do not say what the first choice's is, if they are."""
    numbers = [answer for answer in answers(entries) if isinstance(answer, int) and is_number(answer)]
    if columns.choices is None or not numbers:
        return []
    if are_texts(entries):
        return [
            f"{columns.answer}: every number is the text of a choice, and another choice's place; write letters A to D "
            "instead"
        ]
    if index_base(numbers) is not None:
        return []
    return [
        f"{columns.answer}: the numbers go from {min(numbers)} to {max(numbers)}, which does not say whether they "
        "count the choices from 0 (then a 0 and no 4 is among them) or from 1 (a 4 and no 0); write letters "
        "A to D instead"
    ]


def are_texts(entries: Iterable[Entry]) -> bool:
    """Whether each answer that is a number is also the text of a choice, in some record of another than it counts."""
    numbered = [found for found in entries if is_number(found.values.get("answer"))]
    base = index_base(answers(numbered))
    places = []
    for found in numbered:
        texts = [str(found.values.get(choice)).strip() for choice in CHOICES]
        answer = str(found.values["answer"])
        if texts.count(answer) != 1:
            return False
        places.append(texts.index(answer) == found.values["answer"] - (base or 0))
    return not all(places)


def needed_fields(entries: Sequence[Entry], columns: Columns) -> tuple[str, ...]:
    """The required fields, the renamed optional ones that no record has, and the domain if any record has it."""
    choices = CHOICES if columns.choices is None else ()
    present = {field for found in entries for field in found.values}
    misnamed = [field for field in OPTIONAL if field not in present and getattr(columns, field) not in (field, None)]
    domain = ["domain"] if "domain" in present else []
    return ("question_id", "question", *choices, "answer", "context", *misnamed, *domain)


def to_question(found: Entry, columns: Columns, base: int | None) -> Question:
    """A record that breaks no rule as a question."""
    values = found.values
    a, b, c, d = (values[choice] for choice in CHOICES)
    letter = letter_of(found, columns, base)
    if letter is None:
        raise ValueError(f"{found.place} has no gold letter")
    return Question(
        question_id=str(values["question_id"]),
        domain=values.get("domain") or ONLY_DOMAIN,
        sub_domain=values.get("sub_domain", ""),
        difficulty=values.get("difficulty", ""),
        length=values.get("length", ""),
        question=values["question"],
        choices=(a, b, c, d),
        answer=letter,
        context_id=values["context"],
    )
