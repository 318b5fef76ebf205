"""Records that hold several questions about one context, as a record a question."""

from collections.abc import Iterator

from plancheck.benchmark.json_records import RawRecord


def unnested(records: Iterator[RawRecord], field: str | None) -> Iterator[RawRecord]:
    """A record for each question in a record's ``field``, with the record's other fields beside its own.

    A field of the question hides one of the record. Records without the field are given as they are, and what is no
    list or no question as the value that it is: it is no record, and is told as such. None for ``field``: nothing is
    nested.
    """
    for record in records:
        if field is None or not isinstance(record.value, dict) or field not in record.value:
            yield record
            continue
        shared = {name: value for name, value in record.value.items() if name != field}
        questions = record.value[field]
        if not isinstance(questions, list):
            yield RawRecord(f"{record.place}, {field}", questions)
            continue
        for number, question in enumerate(questions, start=1):
            value = shared | question if isinstance(question, dict) else question
            yield RawRecord(f"{record.place}, question {number}", value)
        del record, shared, questions
