"""`plancheck inspect`: what it prints, whom it finds, and that no text of others steers terminal or page."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from plancheck.visible import visible

HOSTILE = {
    "terminal escapes": "\x1b[2J\x1b]0;owned\x07 \x9b31m \rgone\b",
    "markup of rich": "[bold red]x[/bold red] [/] :smile: [link=file:///etc]y[/link]",
    "markup of pages": "</pre></main><script>alert(1)</script><img src=x onerror=alert(1)> {{ 7 * 7 }} &amp;",
    "reversed": "\u202egnorw\u202c \u2066x\u2069 שלום",
    "lines that are none": "a\u2028b\u2029c\x85d\x0c",
}


def row(out, name):
    return re.split(r"\s{2,}", next(line for line in out.splitlines() if line.startswith(f"  {name} ")).strip())


def test_the_overview_has_a_row_a_condition_with_letter_outcome_and_what_was_shown(inspected):
    out = inspected("mill-1")
    assert "Where is the mill?" in out
    assert "A. Tarn   <- gold" in out
    assert "evidence at 0-20" in out
    assert row(out, "bm25@900") == ["bm25@900", "B", "wrong", "0.300", "48", "1.00", "2"]
    assert row(out, "sft+bm25@900") == ["sft+bm25@900", "C", "right", "0.200", "48", "1.00", "2"]
    assert row(out, "prompted+bm25@900")[-1] == "failed"
    assert row(out, "theirs") == ["theirs", "A", "right", "-", "-", "-", "-"]
    assert row(inspected("mill-2"), "bm25@900")[1:3] == ["-", "wrong (cut_off)"]
    assert "the benchmark does not say what its evidence is" in inspected("oaks")


def test_a_condition_in_full_shows_plan_pieces_strip_prompt_and_reasons(inspected):
    out = inspected("mill-1", "--condition", "sft+bm25@900")
    for part in (
        "Right: the gold letter is A, and choice C has the same text.",
        "probabilities: A* 0.200  B 0.200  C 0.400  D 0.200",
        "plan of sft: n 0 (0-24)",
        "[[The mill is in Tarn.]] The",
        "Where is the mill?",
    ):
        assert part in out
    strip, marks = next(
        (line, after) for line, after in zip(out.splitlines(), out.splitlines()[1:], strict=False) if line[:1] == "|"
    )
    assert strip == f"|{'1' * 24}{'.' * 16}{'2' * 22}{'.' * 18}|"
    assert marks == f" {'^' * 20}"
    assert row(out, "    1") == ["1", "n 0", "0", "24", "24", "plan", "whole"]
    assert row(out, "    2")[-1] == "fill"


def test_a_failed_plan_and_the_conditions_of_the_same_text_are_told(inspected):
    out = inspected("mill-1", "--condition", "prompted+bm25")
    assert "plan of prompted: failed (unparsable); only the fill is shown" in out
    assert "The same text is shown by bm25@900." in out


def test_a_policy_alone_is_all_its_budgets(inspected):
    out = inspected("mill-2", "--condition", "bm25")
    assert "bm25@900: wrong (cut_off)" in out
    assert "bm25@450: right" in out


@pytest.mark.parametrize(
    ("arguments", "parts"),
    {
        "unknown": (["mil-1"], ["mil-1: no question has this ID, of 3.", "mill-1"]),
        "several": (["mill"], ["mill: 2 questions begin so:", "mill-1", "mill-2"]),
        "unknown budget": (["oaks", "--condition", "bm25@90"], ["bm25@90: its budgets are bm25@900"]),
        "unknown policy": (["mill-1", "--condition", "stf+bm25@900"], ["the nearest policies are sft+bm25"]),
        "nothing": ([], ["Name a question, or --wins A B"]),
        "wins and question": (["oaks", "--wins", "bm25", "mmr"], ["leave QUESTION and --condition out"]),
        "wins of none": (["--wins", "bm25", "bm26"], ["bm26: the nearest are bm25"]),
        "wins at no budget": (["--wins", "bm25", "sft+bm25", "--budget", "450"], ["They do at 900."]),
        "budget of a question": (["oaks", "--budget", "900"], ["--budget: goes with --wins"]),
        "folder": (["oaks", "--html", "."], ["is a folder"]),
    }.values(),
)
def test_what_cannot_be_shown_is_refused_with_what_is_near(arguments, parts, study, plancheck):
    status, _, err = plancheck("inspect", *arguments)
    assert status == 1
    assert [part for part in parts if part not in err] == []


def test_a_beginning_that_one_question_has_will_do(inspected):
    assert inspected("oa").startswith("oaks -")


def test_wins_are_listed_with_what_differs_and_then_shown_with_both_conditions(inspected):
    out = inspected("--wins", "sft+bm25", "bm25")
    assert out.startswith("2 question(s) that sft+bm25 answers right and bm25 does not, sft+bm25@900 against bm25@900:")
    assert row(out, "mill-1") == [
        "mill-1",
        "train",
        "C / B",
        "evidence 1 of 1 against 1 of 1; gold letter 0.20 against 0.30",
    ]
    assert row(out, "mill-2")[3] == "the other failed: wrong (cut_off); evidence 1 of 2 against 0 of 2"
    assert out.index("sft+bm25@900: right") < out.index("bm25@900: wrong")
    assert inspected("--wins", "bm25", "sft+bm25").startswith("0 question(s) that bm25 answers right")


def test_what_is_not_made_yet_is_told(inspected, study, plancheck):
    for name in ("predictions", "given_predictions"):
        Path(f"data/{name}.parquet").unlink()
    out = inspected("mill-1")
    assert "data/predictions.parquet: not made yet. Run `dvc repro answer`." in out
    assert row(out, "bm25@900")[1:3] == ["-", "not answered"]
    Path("data/packed.parquet").unlink()
    status, _, err = plancheck("inspect", "mill-1")
    assert status == 1
    assert "data/packed.parquet: not made yet. Run `dvc repro pack`." in err


class Elements(HTMLParser):
    """The elements of a page and what it shows of text, marked text apart."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.open, self.text, self.marked, self.addresses = [], [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.open.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href", "data", "action")]

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        self.text.append(data)
        if "mark" in self.open:
            self.marked.append(data)


def page_of(inspected, *arguments):
    inspected(*arguments, "--html", "page.html", "--force")
    return Elements(Path("page.html").read_text(encoding="utf-8"))


def test_a_page_shows_the_same_and_asks_for_nothing_from_elsewhere(inspected):
    page = page_of(inspected, "mill-1", "--condition", "sft+bm25@900")
    text = "".join(page.text)
    assert "Right: the gold letter is A, and choice C has the same text." in text
    assert page.marked == ["The mill is in Tarn."]
    assert page.addresses == []
    assert not {"script", "link", "img", "iframe", "object"} & set(page.elements)
    walk = page_of(inspected, "--wins", "sft+bm25", "bm25")
    assert walk.addresses == ["#q1", "#q2"]
    assert walk.elements.count("article") == 4
    assert "theirs" in "".join(page_of(inspected, "mill-1").text)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_steer_neither_terminal_nor_page(text, study, inspected):
    plain = page_of(inspected, "mill-1", "--condition", "bm25@900").elements
    study.write(f"The mill is in Tarn. {text}{study.text[20:]}", (text, f"{text}2", "c", "d"))
    shown = visible(text)
    out = inspected("mill-1", "--condition", "bm25@900", "--full")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", out)
    assert f"A. {shown}" in out or len(shown) > 90
    page = page_of(inspected, "mill-1", "--condition", "bm25@900")
    assert page.elements == plain
    assert shown in "".join(page.text)
    raw = Path("page.html").read_text(encoding="utf-8")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", raw)


def test_a_page_that_is_there_is_kept_unless_it_is_forced(inspected, plancheck):
    Path("page.html").write_text("mine")
    assert plancheck("inspect", "oaks", "--html", "page.html")[0] == 1
    assert Path("page.html").read_text() == "mine"


def test_a_context_of_16_million_characters_takes_a_strip_and_a_short_page(study, inspected):
    study.write(study.text + "x" * 16_000_000)
    out = inspected("mill-1", "--condition", "bm25@900")
    assert f"|1{'.' * 99}|" in out
    assert len(out) < 10_000
    assert len(inspected("mill-1", "--condition", "bm25@900", "--full")) < 10_000
    page_of(inspected, "mill-1", "--condition", "bm25@900")
    assert Path("page.html").stat().st_size < 50_000
