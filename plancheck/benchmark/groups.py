"""Groups of contexts that are the same but for white space at ends and the Unicode form: one text to learn or test."""

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from plancheck.records import Benchmark


def grouped(benchmark: Benchmark) -> Benchmark:
    """The benchmark with the group of its context in every question."""
    groups = context_groups(benchmark.contexts)
    questions = tuple(replace(question, context_group=groups[question.context_id]) for question in benchmark.questions)
    return replace(benchmark, questions=questions)


def context_groups(contexts: Mapping[str, str]) -> dict[str, str]:
    """The group of each context, by context ID; a group is named by the least ID of its contexts.

    So a context that no other resembles is a group of its own name.
    """
    alike: dict[str, list[str]] = defaultdict(list)
    for context_id, text in contexts.items():
        alike[common_form(text)].append(context_id)
    return {context_id: min(ids) for ids in alike.values() for context_id in ids}


def common_form(text: str) -> str:
    """SHA-256 of the form that near-equal texts share.

    That is the composed Unicode form (NFC) with line feeds as line ends, no white space at the end of a line, and none
    and no byte-order mark around the text. Case, and white space within a line, keep texts apart.
    """
    lines = (line.rstrip() for line in unicodedata.normalize("NFC", text).splitlines())
    return hashlib.sha256("\n".join(lines).strip().removeprefix("\ufeff").strip().encode("utf-8")).hexdigest()
