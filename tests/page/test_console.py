"""What a run of the study ends with on the console: the page's first sentences, then Table 1."""

import yaml

from flows.results import SENTENCES, show
from plancheck.page.answer import answer
from plancheck.params.study import parse_params
from plancheck.stages.report import read_study


def test_the_pages_first_sentences_and_table_1_come_last(made, monkeypatch, capsys):
    monkeypatch.chdir(made.folder)
    params = parse_params(yaml.safe_load((made.folder / "params.yaml").read_text()), name="params.yaml")

    show(params)

    said = capsys.readouterr().out
    words = " ".join(said.split())
    sentences = answer(read_study(params))
    assert SENTENCES == 3
    assert len(sentences) > SENTENCES
    places = [words.index(" ".join(sentence.split())) for sentence in sentences[:SENTENCES]]
    assert places == sorted(places)
    assert places[-1] < words.index("Table 1.")
    assert sentences[SENTENCES] not in words
    assert said.splitlines()[-1] == "The report: reports/index.html. Every table: reports/tables"
