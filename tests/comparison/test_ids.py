"""IDs that two files write in other ways, pairs that were shown one text, and differences without variance."""

import pytest

from plancheck.comparison.ids import look_alikes


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        ("007", "7", True),
        ("7.0", "7", True),
        ("7.0", "007", True),
        ("q007", "q7", True),
        (" q7", "q7", True),
        ("Q 7", "q7", True),
        ("ｑ７", "q7", True),
        ("000", "0", True),
        ("0", "0.0", True),
        ("70", "7", False),
        ("1.05", "1.5", False),
        ("1.50", "1.5", False),
        ("10", "1.0", False),
        ("-7", "7", False),
    ],
)
def test_ids_look_alike_but_for_zeros_blanks_and_case(a, b, alike):
    assert look_alikes([a], [b]) == ([(a, b)] if alike else [])


def test_an_id_looks_like_one_other_at_most():
    assert look_alikes(["01", "1.0"], ["1"]) == [("01", "1")]


def scores(ids):
    return [{"id": key, "score": number % 2} for number, key in enumerate(ids)]


def test_ids_that_look_alike_are_pointed_out(compare, results):
    a, b = results("a", scores(["000", "001", "010", "1e", "x"])), results("b", scores(["0", "1", "10", "1E", "x"]))
    status, _, err = compare(a, b)
    assert status == 1
    assert "'000' in A and '0' in B, '001' in A and '1' in B, '010' in A and '10' in B, and 1 more" in err
    status, _, err = compare(a, b, "--intersect")
    assert status == 1 and "share 1 questions" in err and "write their IDs alike" in err


def test_ids_that_look_alike_are_pointed_out_beside_the_common_questions(compare, results):
    a, b = results("a", scores(["x", "y", "1.0"])), results("b", scores(["x", "y", "1"]))
    status, out, _ = compare(a, b, "--intersect")
    assert status == 0 and "'1.0' in A and '1' in B." in out


def test_ids_of_other_questions_are_not(compare, results):
    status, _, err = compare(results("a", scores("xyz")), results("b", scores("uvw")))
    assert status == 1 and "share 0 questions: IDs of A are such as 'x', of B 'u'" in err
    assert "--id, once for each file" in err and "--intersect" not in err and "alike" not in err


def predictions(policy, shown, right):
    return [
        {"question_id": n, "policy": policy, "packed_id": text, "correct": c}
        for n, (text, c) in enumerate(zip(shown, right, strict=True))
    ]


def test_pairs_that_were_shown_the_same_text_are_counted(compare, figures, results):
    a = results("a", predictions("planner", "stuvw", [1, 0, 1, 1, 0]))
    b = results("b", predictions("bm25", "stuxy", [1, 0, 1, 0, 0]))
    assert figures(a, b)["identical"] == {"pairs": 3, "ties": 3}
    assert "Of 4 ties, 3 saw the same text." in compare(a, b)[1]
    assert "Both saw the same text in all 5 questions: this comparison says nothing." in compare(a, a)[1]


def test_files_that_do_not_say_what_was_shown_are_not_counted(figures, results):
    a, b = results("a", predictions("planner", "stuvw", [1, 0, 1, 1, 0])), results("b", scores("01234"))
    assert figures(a, b)["identical"] is None


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ([1, 0, 1], [1, 0, 1], "A and B score the same on every question: the differences have no variance"),
        ([1, 1, 1], [0, 0, 0], "Every question has the same difference: the differences have no variance"),
        ([0.3, 0.4, 0.7], [0.2, 0.3, 0.6], "Every question has the same difference: the differences have no variance"),
        ([0.3, 0.4], [0.3, 0.4], "A and B score the same on every question: the differences have no variance"),
    ],
)
def test_differences_without_variance_are_told_as_such(compare, figures, results, a, b, words):
    paths = [results(name, [{"id": n, "score": s} for n, s in enumerate(arm)]) for name, arm in (("a", a), ("b", b))]
    status, out, _ = compare(*paths)
    assert status == 0 and words in out
    assert "none: the differences have no variance" in out and "too few" not in out
    assert figures(*paths)["constant"] is True


def test_too_few_differences_are_told_as_such(compare, figures, results):
    paths = [
        results(name, [{"id": n, "score": s} for n, s in enumerate(arm)]) for name, arm in (("a", "110"), ("b", "100"))
    ]
    status, out, _ = compare(*paths)
    assert status == 0 and "none: too few questions differ" in out and "variance" not in out
    assert figures(*paths)["constant"] is False
