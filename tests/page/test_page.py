"""The whole page, made by stage report from a small study's files."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
import yaml

from plancheck.page.families import families
from plancheck.page.kin import Yardstick
from plancheck.page.page import page
from plancheck.page.study import Study
from plancheck.params.study import Params, parse_params
from plancheck.plumbing.errors import StudyError
from plancheck.reporting.main_table import KINDS
from plancheck.reporting.tables import TABLES
from plancheck.stages import report

ROOT = Path(__file__).parents[2]
AT_LARGEST = {"ladder", "domains", "composition"}  # tables of which the page shows the largest budget alone


class Numbers(HTMLParser):
    """The headings, and the ``data`` elements of each row, of the table with a caption."""

    def __init__(self, caption):
        super().__init__()
        self.caption, self.inside, self.heard, self.heading, self.rows, self.headers = (
            caption,
            False,
            False,
            False,
            [],
            [],
        )

    def handle_starttag(self, tag, attributes):
        self.heard, self.heading = tag == "caption", tag == "th"
        if self.inside and tag == "tr":
            self.rows.append([])
        if self.inside and tag == "data":
            self.rows[-1].append(dict(attributes)["value"])

    def handle_data(self, text):
        if self.heard and text.startswith(self.caption):
            self.inside = True
        if self.inside and self.heading:
            self.headers.append(text)

    def handle_endtag(self, tag):
        self.heading = False
        if tag == "table":
            self.inside = False


def test_the_page_answers_first_and_shows_every_section_in_order(made):
    html = made.html
    order = ["<h1>", 'class="verdict"', 'id="tiers-chart"', 'id="caveats"', 'id="ladder"', 'id="accuracy"',
             'id="controls"', 'id="comparisons"', 'id="domains"', 'id="routing"', 'id="composition"', 'id="evidence"',
             'id="mechanisms"', 'id="training"', 'id="power"', 'id="questions"', 'id="provenance"']  # fmt: skip
    places = [html.index(mark) for mark in order]
    assert places == sorted(places)
    assert "The planner (sft+hybrid_anchor) is " in html
    assert "each reply was begun for the base model" in html
    assert "must tie. That explains " in html and "bm25 in 3 of 40 questions" in html
    assert "concerns 20 of 40 questions: in 7 another atom comes first" in html


def test_planners_that_cannot_tell_are_one_line_and_folded_out_they_are_all_there(made):
    ladder = pd.read_csv(made.folder / "reports" / "tables" / "ladder.csv")
    silent = ["prompted+nothing", "random_plan+nothing"]
    rows = ladder.assign(verdict=ladder["verdict"].where(~ladder["planner"].isin(silent), "cannot_tell"))
    rows.loc[~ladder["planner"].isin(silent), "verdict"] = "not_supported"
    family_of = {"prompted+nothing": "control", "random_plan+nothing": "harness"}
    study = Study(
        {"ladder": rows}, None, family_of=dict.fromkeys(rows["planner"], "router") | family_of, **named("p", "c")
    )

    html = page(study, questions=letters("q1"), provenance=origin())

    glance, folded = html[html.index("At a glance") :].split('<details class="silent">')[:2]
    assert folded.startswith("\n<summary>2 planners cannot tell at any tier on n = 14 to 40 questions; about ")
    assert "questions would tell a gain of 5 points</summary>" in folded
    folded = folded[: folded.index("</details>")]
    for name in dict.fromkeys(rows["planner"]):
        shown = f"</span>{name.replace('+', '+<wbr>').replace('_', '_<wbr>')}</th>"
        assert (shown in glance, shown in folded) == (name not in silent, name in silent)
    assert html.count('<div class="rung cannot_tell">') == (rows["verdict"] == "cannot_tell").sum()


def test_no_benchmark_text_is_in_the_page(made):
    assert made.secret in (pd.read_parquet(made.folder / "data" / "questions.parquet")["question"]).iloc[0]
    assert made.secret not in made.html


def test_the_page_names_no_place_on_this_machine(made):
    assert str(made.folder) not in made.html
    assert str(Path.home()) not in made.html
    assert "/home/ada" not in made.html
    assert "…/questions.json" in made.html


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_number_is_the_csv_s_to_the_letter_under_the_declared_headings(made, table):
    whole = pd.read_csv(made.folder / "reports" / "tables" / f"{table.name}.csv", dtype=str, keep_default_na=False)
    rows = whole[whole["budget_chars"] == "1800"] if table.name in AT_LARGEST else whole
    sources = [name for column in table.shown if column.kind != "text" for name in column.sources]
    numbers = Numbers(f"{table.title}{', at 1,800 characters' if table.name in AT_LARGEST - {'ladder'} else ''}.")
    numbers.feed(made.html)

    assert numbers.headers == ([column.header for column in table.shown] if len(whole) else [])
    assert [row for row in numbers.rows if row] == [
        [row[name] for name in sources if row[name]] for row in rows.to_dict("records")
    ]


def test_two_processes_and_two_folders_make_the_same_bytes(made, tmp_path, write, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    (tmp_path / "params.yaml").write_bytes((made.folder / "params.yaml").read_bytes())
    for salt in ("1", "2"):
        subprocess.run(
            [sys.executable, "-m", "plancheck", "report"],
            cwd=tmp_path, env=os.environ | {"PYTHONHASHSEED": salt, "PYTHONPATH": str(ROOT)}, check=True,
            capture_output=True,
        )  # fmt: skip
        assert (tmp_path / "reports" / "index.html").read_text(encoding="utf-8") == made.html


def test_sentences_stand_in_for_harness_matched_control_evidence_and_training(tmp_path, write, monkeypatch, settings):
    monkeypatch.chdir(tmp_path)
    selectors = {"bm25": None, "hybrid_anchor": None, "rerank": None, "sft+hybrid_anchor": "sft"}
    tiers = {"retrieval": ["bm25", "hybrid_anchor"], "rerank": ["rerank"]}
    write(tmp_path, selectors=selectors, tiers=tiers, trained=False)

    report.run(settings(selectors, tiers))

    html = (tmp_path / "reports" / "index.html").read_text(encoding="utf-8")
    assert "No planner was trained in this study." in html
    assert "so recall is unknown" in html
    assert "the perfect planner" not in html and "the same rows" not in html
    assert "order.csv holds no row" in html


def test_an_empty_study_is_a_page_of_sentences(made):
    study = Study({}, None, family_of={}, **named("p", "c"))
    html = page(study, questions=letters("q1"), provenance=origin())
    assert "gives no answer" in html and "has an interval to draw" in html
    assert "ladder.csv holds no row" in html


def test_hostile_names_are_escaped(made):
    hostile = "<script>alert(1)</script>"
    main = pd.DataFrame(
        [
            {"policy": hostile, "budget_chars": 9, "split": split, "questions": 2, "correct": 1, "accuracy": 0.5,
             "wilson_low": 0.1, "chance": 0.25, "wilson_high": 0.9, "evidence_recall": None, "failures": 0,
             "failed_plans": 0, **dict.fromkeys(KINDS.values(), 0)}
            for split in ("all", "test")
        ]
    )  # fmt: skip
    study = Study(
        {"main": main}, {"losses": [1.0], "rows": 1}, family_of={hostile: "router"}, **named(hostile, hostile)
    )
    html = page(study, questions=letters(hostile), provenance=origin())
    assert hostile not in html
    assert "&lt;script&gt;alert(1)" in html
    assert html.count("<script") == html.count("</script") == made.html.count("<script")


def test_missing_tables_are_all_named_and_the_user_s_to_mend(tmp_path, write, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    for name in ("ladder", "power"):
        (report.TABLES / f"{name}.csv").unlink()
    with pytest.raises(StudyError) as caught:
        report.read_tables(report.TABLES)
    assert all(part in str(caught.value) for part in ("ladder.csv", "power.csv", "dvc repro -f analyze"))
    assert "main.csv" not in str(caught.value)


@pytest.mark.parametrize("name", ["atoms", "benchmark", "rerank", "retrieve"])
def test_what_a_stage_reports_and_is_missing_is_named(name, tmp_path, write, monkeypatch, settings):
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    report.FACTS[name].unlink()
    with pytest.raises(StudyError, match=f"{name}.json: no such file"):
        report.run(settings())


@pytest.mark.parametrize("content", ["[]", "null", "3", '"losses"'])
def test_a_training_report_that_is_no_mapping_is_the_user_s_to_mend(content, tmp_path):
    (tmp_path / "train.json").write_text(content)
    with pytest.raises(StudyError, match=r"train.json: holds no mapping .* Run `dvc repro -f train`"):
        report.read_training(tmp_path / "train.json")


@pytest.mark.parametrize("names", [("nan", "null"), ("1", "2"), ("true", "false")])
def test_the_page_takes_policies_by_names_that_csv_reads_as_something_else(
    names, tmp_path, write, monkeypatch, settings
):
    monkeypatch.chdir(tmp_path)
    treatment, control = names
    controls = dict.fromkeys((control, "bm25", "rerank", "hybrid_anchor"))
    selectors = controls | {treatment: "sft", "sft+hybrid_anchor": "sft"}
    tiers = {"retrieval": [control]}
    write(tmp_path, selectors=selectors, tiers=tiers, questions=20)
    report.run(settings(selectors, tiers))
    html = (tmp_path / "reports" / "index.html").read_text(encoding="utf-8")
    assert f">{control}<" in html


def test_the_stage_lists_every_section_for_the_page_shows_them_all():
    stage = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]["report"]
    assert set(stage["params"]) == set(Params.model_fields)


def test_the_parameters_on_the_page_are_the_study_s(made):
    params = parse_params(yaml.safe_load((made.folder / "params.yaml").read_text()), name="params.yaml")
    assert f"resamples: {params.analyze.resamples}" in made.html


def named(planner, control):
    """The rest of what a Study takes."""
    return {
        "planner": planner, "control": control, "budgets_chars": [9], "confidence": 0.95, "margin": 0.05, "power": 0.8,
        "selector_of": {}, "selectors": {}, "families": families({}, []),
        "perfect": Yardstick(None, None), "null": Yardstick(None, None), "tuned": None,
    }  # fmt: skip


def letters(question_id):
    return {
        "policies": ["p"], "budgets": [9], "domains": ["d"], "failures": {},
        "questions": [[question_id, 0, "test", "A"]], "letters": [["A"]],
    }  # fmt: skip


def origin():
    return {
        "profile": "demo", "parameters": "", "models": [], "given": [], "prompts": [], "environment": {},
        "splits": {"test": 1}, "split_digest": "0", "files": {},
    }  # fmt: skip
