"""The arithmetic of tables of counts: the published figures agree, and each wrong cell is named."""

import os

import pytest

from plancheck.plumbing.errors import StudyError
from plancheck.verification.counts import check_counts


def checked(tmp_path, text):
    path = tmp_path / "counts.csv"
    path.write_text(text, encoding="utf-8")
    return check_counts(path, confidence=0.95)


@pytest.mark.parametrize(
    "text",
    [
        "n,wins,losses,ties,p\n152,12,20,120,0.215\n",
        "wins,losses,p\n37,56,0.061\n",
        "n,k,accuracy,wilson_low,wilson_high\n503,182,36.18%,32.10 %,40.47%\n",
        "questions,wins,losses,p,difference\n503,68,59,0.478,1.79%\n",
        "n,treatment_correct,control_correct,treatment_accuracy,control_accuracy,difference\n"
        "152,56,64,36.84%,42.11%,−5.26%\n",
        "n,accuracy\n503,0.3598\n",
        "wins,losses,p\n40,5,<0.001\n",
        "n,wins,losses,ties\n\"1,503\",3,500,1000\n",
    ],
)  # fmt: skip
def test_published_figures_agree(text, tmp_path):
    found = checked(tmp_path, text)
    assert found.cells and found.problems == [] and found.left == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name,n,wins,losses,ties\nours,152,12,20,121\n", "line 2, ours: ties makes 153 with wins and losses, of 152"),
        ("n,wins,losses\n10,6,5\n", "wins makes 11 with losses, of 10"),
        ("wins,losses,p\n12,20,0.216\n", "p is 0.216, the counts give 0.215"),
        ("wins,losses,p\n12,20,<0.2\n", "p is <0.2, the counts give 0.215"),
        ("n,k,accuracy\n503,182,36.19%\n", "accuracy is 36.19%, the counts give 0.361829"),
        ("n,k,wilson_low\n503,182,32.2%\n", "wilson_low is 32.2%"),
        ("n,wins,losses,difference\n503,68,59,1.78%\n", "difference is 1.78%, the counts give 0.0178926"),
        ("n,accuracy\n503,36.25%\n", "accuracy is 36.25%, which no count of 503 questions gives"),
        ("n,k\n10,11\n", "correct is 11, of 10"),
        ("n,k,accuracy\n10,5.5,0.55\n", "no whole number"),
        ("n,k,accuracy\n10,5,many\n", "no number"),
        ("n,k,accuracy\n10,5,NaN\n", "no number"),
        ("n,k,accuracy\n10,5,50\n", "a percentage has a sign"),
        ("wins,losses,treatment_correct,control_correct\n3,1,5,4\n", "wins less losses is +2"),
        ("n,wins,losses,treatment_accuracy,control_accuracy,difference\n10,3,1,0.50,0.40,0.2\n",
         "treatment_accuracy less control_accuracy is 0.1"),
    ],
)  # fmt: skip
def test_a_wrong_cell_is_named(text, told, tmp_path):
    assert any(told in problem for problem in checked(tmp_path, text).problems), checked(tmp_path, text).problems


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "a header and a row"),
        ("a,b\n1,2\n", "nothing in it can be checked"),
        ("n,questions\n1,2\n", "a column comes twice"),
        ("n,k\n1\n", "line 2"),
    ],
)
def test_a_file_without_counts_is_refused(text, told, tmp_path):
    with pytest.raises(StudyError, match=told):
        checked(tmp_path, text)


def test_the_tables_of_a_study_agree_with_themselves(study, plancheck):
    for name in ("main", "comparisons", "ladder"):
        status, out, err = plancheck("--counts", study.folder / "reports" / "tables" / f"{name}.csv")
        assert (status, err) == (0, "") and out.endswith("Verified.\n")


def test_a_decimal_comma_is_no_count_and_lines_are_numbered_as_in_the_file(tmp_path):
    found = checked(tmp_path, 'name,n,k\n\n"two\nlines",12,5\n , ,\n\x1b[2J,"1,5","1,234"\n')
    assert [problem.split(":")[0] for problem in found.problems] == ["line 6, \x1b[2J"]
    assert "questions is '1,5', no whole number" in found.problems[0]


@pytest.mark.parametrize("text", ["1_0", "٠.٥"])
def test_what_python_alone_takes_for_a_number_is_none(text, tmp_path):
    assert checked(tmp_path, f"n,k,accuracy\n10,5,{text}\n").problems[0].endswith("no number")


def test_what_is_no_plain_file_is_refused_and_escapes_do_not_reach_the_terminal(tmp_path, plancheck):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero", tmp_path):
        status, _, err = plancheck("--counts", path)
        assert (status, err) == (1, f"error: {path}: is no plain file.\n")
    (tmp_path / "c.csv").write_text("name,n,k\n\x1b[2J,10,11\n")
    _, _, err = plancheck("--counts", tmp_path / "c.csv")
    assert "line 2, \\x1b[2J: correct is 11, of 10" in err
