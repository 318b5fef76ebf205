"""All contracts on the files at hand: what is judged, what is missing, and the index of the Data Docs."""

import json
import shutil
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from plancheck.records import TABLES
from validation import contracts
from validation.gates import GATES
from validation.inputs import LEAKAGE_FILE, SPLITS_FILE, table_file


@pytest.fixture
def folder(make_study, tmp_path, monkeypatch):
    """A working folder with a whole study; ``folder.write()`` writes it again after changes."""
    monkeypatch.chdir(tmp_path)
    study = make_study()
    monkeypatch.setattr(contracts, "read_params", lambda: study.params)
    study.write()
    study.path = tmp_path
    return study


def index(folder):
    return (folder.path / "reports/data_docs/index.html").read_text(encoding="utf-8")


def test_all_contracts_hold_and_the_index_lists_every_suite_with_links_that_lead_somewhere(folder, capsys):
    assert contracts.main([]) == 0
    said = capsys.readouterr()
    assert "expectations of" in said.out and said.err == ""
    page = index(folder)
    assert "suites that were judged here hold" in page and "http" not in page.replace("http-equiv", "")
    links = [part.split('"')[0] for part in page.split('href="')[1:]]
    docs = folder.path / "reports/data_docs"
    assert len(links) > 60 and all((docs / link).is_file() for link in links if not link.startswith(".."))
    judged = {name for gate in GATES.values() for name in gate.tables}
    assert judged == set(TABLES) | {"router_features"}, "a table of the study that no gate reads"


def test_what_is_missing_is_named_with_the_suites_that_wait_for_it_and_the_rest_is_judged(folder, capsys):
    table_file("rankings").unlink()
    LEAKAGE_FILE.unlink()
    assert contracts.main([]) == 1
    said = capsys.readouterr()
    assert said.out == "" and "hold, but not every contract could be judged" in said.err
    for part in ("data/rankings.parquet: no such file", "reports/leakage.json: no such file", "suites of retrieval",
                 "suites of leakage", "`dvc pull`"):  # fmt: skip
        assert part in said.err
    page = index(folder)
    assert "Not judged" in page and "data/rankings.parquet: no such file" in page and "predictions" in page


def test_a_broken_contract_is_named_with_its_suite_rule_and_first_records(folder, capsys):
    path = table_file("predictions")
    table = pq.read_table(path)
    place = table.column_names.index("correct")
    flipped = [not value for value in table["correct"].to_pylist()]
    pq.write_table(table.set_column(place, table.schema.field(place), [flipped]), path)
    assert contracts.main([]) == 1
    said = capsys.readouterr().err
    assert "expectations do not hold" in said and "predictions" in said and "q" in said
    assert "broken" in index(folder)


@pytest.mark.parametrize("damage", [b"PAR1 and no more", b""])
def test_a_file_that_cannot_be_read_is_named_and_the_rest_is_judged(folder, capsys, damage):
    table_file("packed").write_bytes(damage)
    SPLITS_FILE.write_text(json.dumps([]))
    assert contracts.main([]) == 1
    said = capsys.readouterr().err
    assert "data/packed.parquet" in said and "data/splits.json" in said and "Traceback" not in said


def test_an_empty_folder_holds_nothing_that_could_be_judged(folder, capsys):
    shutil.rmtree(folder.path / "data")
    shutil.rmtree(folder.path / "reports")
    assert contracts.main([]) == 1
    assert "data/questions.parquet: no such file" in capsys.readouterr().err


def test_no_model_library_is_loaded():
    heavy = ("torch", "transformers", "prefect", "dvc")
    code = f"import sys, validation.contracts; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
