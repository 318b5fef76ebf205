import hashlib
import json
import os
import random
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.plumbing.errors import StudyError
from plancheck.records import Question
from plancheck.splits import shared_across_splits, split_questions, split_sizes

PUBLISHED = {"train": 301, "dev": 50, "test": 152}
DOMAINS = {
    "Single-Document QA": 175,
    "Multi-Document QA": 125,
    "Long In-context Learning": 81,
    "Code Repository Understanding": 50,
    "Long-dialogue History Understanding": 39,
    "Long Structured Data Understanding": 33,
}


def question(number, domain="d", context=None):
    return Question(f"q{number:04d}", domain, "", "", "", "?", ("a", "b", "c", "d"), "A", context or f"c{number}")


def published():
    domains = [domain for domain, count in DOMAINS.items() for _ in range(count)]
    return [question(number, domain) for number, domain in enumerate(domains)]


def test_the_published_sizes_come_out_exactly_and_every_domain_in_proportion():
    splits = split_questions(published(), PUBLISHED, seed=20260225, group_by="none")

    assert {split: len(ids) for split, ids in splits.items()} == PUBLISHED
    domain_of = {item.question_id: item.domain for item in published()}
    for split, size in PUBLISHED.items():
        found = Counter(domain_of[question_id] for question_id in splits[split])
        assert all(abs(found[domain] - count * size / 503) <= 1.5 for domain, count in DOMAINS.items())


def test_file_order_changes_nothing():
    shuffled = published()
    random.Random(1).shuffle(shuffled)

    assert split_questions(shuffled, PUBLISHED, seed=20260225, group_by="none") == split_questions(
        published(), PUBLISHED, seed=20260225, group_by="none"
    )


def test_another_process_with_another_hash_salt_splits_alike():
    code = (
        "import json; from tests_splits import published, PUBLISHED; from plancheck.splits import split_questions;"
        "print(json.dumps(split_questions(published(), PUBLISHED, seed=20260225, group_by='none')))"
    )
    loader = (
        "import importlib.util, sys; spec = importlib.util.spec_from_file_location('tests_splits', sys.argv[1]);"
        "module = importlib.util.module_from_spec(spec); sys.modules['tests_splits'] = module;"
        "spec.loader.exec_module(module);"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", loader + code, __file__],
            env={**os.environ, "PYTHONHASHSEED": salt},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for salt in ("0", "7")
    }

    assert found == {json.dumps(split_questions(published(), PUBLISHED, seed=20260225, group_by="none")) + "\n"}


def test_the_split_of_the_published_seed_is_pinned():
    splits = split_questions(published(), PUBLISHED, seed=20260225, group_by="none")

    digest = hashlib.sha256(json.dumps(splits, sort_keys=True).encode()).hexdigest()
    assert digest == "133946a14ff24018ca3008f32f4ff4588dbd61acfbf797e2d035dd8f5b4ec501"


def test_another_seed_splits_otherwise():
    one, other = (split_questions(published(), PUBLISHED, seed=seed, group_by="none") for seed in (1, 2))
    assert one != other


@pytest.mark.parametrize(
    ("sizes", "total", "expected"),
    [
        ({"train": 0.6, "dev": 0.1, "test": 0.3}, 12, {"train": 7, "dev": 1, "test": 4}),
        ({"train": 0.6, "dev": 0.1, "test": 0.3}, 10, {"train": 6, "dev": 1, "test": 3}),
        ({"train": 0.34, "dev": 0.33, "test": 0.33}, 4, {"train": 2, "dev": 1, "test": 1}),
    ],
)
def test_shares_are_rounded_by_largest_remainder(sizes, total, expected):
    assert split_sizes(sizes, total) == expected


def test_counts_that_do_not_sum_to_the_questions_name_the_remedy():
    with pytest.raises(StudyError, match=r"301 \+ 50 \+ 152 = 503, but the benchmark has 12 questions.*shares"):
        split_sizes(PUBLISHED, 12)


def test_a_share_that_leaves_a_split_empty_is_refused():
    with pytest.raises(StudyError, match="dev would be empty with 3 questions"):
        split_sizes({"train": 0.6, "dev": 0.1, "test": 0.3}, 3)


def test_one_shared_context_for_all_leaves_a_split_empty():
    questions = [question(number, context="same") for number in range(6)]
    with pytest.raises(StudyError, match=r"group_by=none"):
        split_questions(questions, {"train": 0.5, "dev": 0.25, "test": 0.25}, seed=1, group_by="context")


def test_overlap_lists_each_side_of_a_shared_context():
    questions = [question(1, context="x"), question(2, context="x"), question(3)]
    splits = {"train": ["q0002", "q0003"], "dev": [], "test": ["q0001"]}

    assert shared_across_splits(questions, splits) == {"x": {"train": ["q0002"], "test": ["q0001"]}}


@st.composite
def benchmarks(draw):
    contexts = draw(st.lists(st.integers(0, 30), min_size=10, max_size=60))
    return [question(i, f"d{draw(st.integers(0, 3))}", f"c{context}") for i, context in enumerate(contexts)]


@given(benchmarks(), st.integers(0, 5), st.sampled_from(["none", "context"]))
def test_splits_are_disjoint_and_complete_and_keep_contexts_together_when_asked(questions, seed, group_by):
    try:
        splits = split_questions(questions, {"train": 0.5, "dev": 0.2, "test": 0.3}, seed=seed, group_by=group_by)
    except StudyError:
        return  # too few contexts: said, not half done

    everyone = [question_id for ids in splits.values() for question_id in ids]
    assert sorted(everyone) == sorted(item.question_id for item in questions)
    if group_by == "context":
        assert shared_across_splits(questions, splits) == {}
    else:
        assert {s: len(ids) for s, ids in splits.items()} == split_sizes(
            {"train": 0.5, "dev": 0.2, "test": 0.3}, len(questions)
        )
