"""What a run of the study ends with on the console: the page's answer, then Table 1."""

import yaml

from flows.results import show
from plancheck.page.answer import answer
from plancheck.params.study import parse_params
from plancheck.stages.report import read_study


def test_the_page_s_answer_without_its_caveats_and_table_1_come_last(made, monkeypatch, capsys):
    monkeypatch.chdir(made.folder)
    params = parse_params(yaml.safe_load((made.folder / "params.yaml").read_text()), name="params.yaml")

    show(params)

    said = capsys.readouterr().out
    words = " ".join(said.split())
    told = answer(read_study(params))
    places = [words.index(" ".join(sentence.split())) for sentence in (told.verdict, *told.points)]
    assert len(places) > 3 and places == sorted(places)
    assert places[-1] < words.index("Table 1.")
    assert told.caveats and not [text for text in told.caveats if text in words]
    assert said.splitlines()[-1] == "The report: reports/index.html. Every table: reports/tables"
