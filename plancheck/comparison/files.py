"""Two files of per-question results, compared question by question."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import filterfalse
from pathlib import Path

import numpy as np

from plancheck.comparison import ids
from plancheck.comparison.reading import read_results
from plancheck.comparison.selection import ScoredFile, Selection, scored_results
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.statistics.comparison import Comparison, compare
from plancheck.statistics.pairs import Pairs, SameText, common_pairs, same_text

# Measured: 1 + 2 times 4 bytes a character at worst, and 0.5 kB for a result of two fields.
NEED = "up to 9 times its size unpacked and 0.5 kB a result"


@dataclass(frozen=True, slots=True)
class FileComparison:
    """File A (the treatment) against file B (the control).

    ``left_out`` counts questions in one file only, ``look_alikes`` are pairs of their IDs that may be one question.
    ``identical`` counts pairs that were shown the same text, None where the files do not say what was shown.
    ``other_golds`` counts pairs whose gold answers differ.
    """

    a: ScoredFile
    b: ScoredFile
    comparison: Comparison
    left_out: tuple[int, int]
    look_alikes: tuple[tuple[str, str], ...]
    identical: SameText | None
    other_golds: int
    resamples: int
    seed: int


def compare_files(
    path_a: Path,
    path_b: Path,
    *,
    selection_a: Selection,
    selection_b: Selection,
    intersect: bool = False,
    seed: int = 0,
    resamples: int = 10_000,
) -> FileComparison:
    """Compare the selected results of two files, joined by question ID; the bootstrap's clusters are those of file A.

    Args:
        path_a: the treatment; differences are A minus B.
        path_b: the control; may be the same file with another selection.
        selection_a: of file A.
        selection_b: of file B; its cluster field is not used.
        intersect: compare the common questions and count the others, instead of refusing them.
        seed: of the bootstrap, at least 0.
        resamples: of the bootstrap.

    Raises:
        StudyError: a file is unusable or does not fit into memory, questions are in one file only, documents of one ID
            differ, or there are fewer than 2 questions or clusters.
    """
    with _fits_into_memory(path_a):
        a = scored_results(read_results(path_a), selection_a)
    with _fits_into_memory(path_b):
        b = scored_results(read_results(path_b), selection_b)
    only_a, only_b = _in_one_only(a.scored, b.scored)
    alike = ids.look_alikes(only_a, only_b)
    if len(only_a) == len(a.scored):
        few = f"{path_a} and {path_b} share 0 questions: IDs of A are such as {only_a[0]!r}, of B {only_b[0]!r}."
        raise StudyError(f"{few} {ids.told(alike) or 'Name the fields of the IDs with --id, once for each file.'}")
    if (only_a or only_b) and not intersect:
        raise all_problems(
            "questions in one file only",
            [f"{path_a} only: {key}" for key in only_a] + [f"{path_b} only: {key}" for key in only_b],
            remedy="Compare files of the same questions, or the common questions with --intersect. "
            f"{ids.told(alike)}".rstrip(),
        )
    _check_documents(a, b)
    pairs = common_pairs(a.scored, b.scored)
    independent = {a.clusters[key] for key in pairs.question_ids} if a.clusters else pairs.question_ids
    if len(independent) < 2:
        what = "clusters" if a.clusters else "questions"
        few = f"{path_a} and {path_b} share {len(independent)} {what}. At least 2 can be compared."
        raise StudyError(" ".join(filter(None, (few, ids.told(alike)))))
    clusters = [a.clusters[key] for key in pairs.question_ids] if a.clusters else None
    return FileComparison(
        a,
        b,
        compare(pairs, generator=np.random.default_rng(seed), clusters=clusters, resamples=resamples),
        (len(only_a), len(only_b)),
        tuple(alike),
        _identical(pairs, a, b),
        sum(gold != b.golds.get(key, gold) for key, gold in a.golds.items()),
        resamples,
        seed,
    )


def _in_one_only(a: Mapping[str, float], b: Mapping[str, float]) -> tuple[list[str], list[str]]:
    """Questions of A alone and of B alone, in ascending order."""
    only_a = sorted(filterfalse(b.__contains__, a))
    common = len(a) - len(only_a)
    return only_a, sorted(filterfalse(a.__contains__, b)) if len(b) > common else []


@contextmanager
def _fits_into_memory(path: Path) -> Iterator[None]:
    try:
        yield
    except MemoryError as error:
        raise StudyError(
            f"{path}: does not fit into memory; reading it takes {NEED}. Write it again with the fields that are "
            "compared, without prompts and replies."
        ) from error


def _identical(pairs: Pairs, a: ScoredFile, b: ScoredFile) -> SameText | None:
    if not all(key in a.shown and key in b.shown for key in pairs.question_ids):
        return None
    return same_text(pairs, a.shown, b.shown)


def _check_documents(a: ScoredFile, b: ScoredFile) -> None:
    """lm-evaluation-harness numbers the documents of a run; its hash tells whether two runs numbered the same ones."""
    differing = [key for key, digest in a.hashes.items() if b.hashes.get(key, digest) != digest]
    if differing:
        raise all_problems(
            f"{a.file.path} and {b.file.path}: other documents under the same ID (their doc_hash differs)",
            differing,
            remedy="Compare runs of one version of one task, or name a field that identifies a document with --id.",
        )
