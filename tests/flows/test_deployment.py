"""The study as a deployment: its form, its names, and what a run leaves in Prefect."""

import json
import sys
from pathlib import Path

import httpx
import pytest
import yaml
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import DeploymentScheduleCreate
from prefect.client.schemas.schedules import CronSchedule
from prefect.settings import PREFECT_API_URL, temporary_settings
from prefect.utilities.callables import parameter_schema

from flows import artifacts
from flows.graph import declared_stages
from flows.serving import ONE_AT_A_TIME, end_what_was_left, kept_schedules, known, refuse_wrong, schedule, serve
from flows.stages import StageRefused, study
from flows.study import Request, main
from plancheck.plumbing.errors import StudyError
from plancheck.reporting.ladder import LADDER
from plancheck.reporting.main_table import MAIN
from plancheck.reporting.writing import write_table

ROOT = Path(__file__).parents[2]
TOLD = """
import os, sys
from plancheck.plumbing.errors import StudyError, say
open("run", "w").write(os.environ["PLANCHECK_STUDY_RUN"])
say(StudyError("check_split: 1 of 2 expectations do not hold:\\n  - data/splits.json, suite splits: broken."))
sys.exit(1)
"""


def chosen(schema: dict) -> list[str]:
    return next(kind for kind in schema["anyOf"] if kind["type"] == "string")["enum"]


def test_the_form_offers_the_profiles_and_stages_and_explains_every_parameter(monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    found = parameter_schema(study).model_dump()["properties"]
    assert list(found) == ["profile", "overrides", "until", "force"]
    assert chosen(found["profile"]) == ["demo", "demo_large", "longbench_v2", "smollm2"]
    assert chosen(found["until"]) == list(yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"])
    assert (found["overrides"]["type"], found["overrides"]["items"]) == ("array", {"type": "string"})
    assert (found["force"]["type"], found["force"]["default"]) == ("boolean", False)
    assert all(parameter["description"] for parameter in found.values())
    assert parameter_schema(study).model_dump().get("required", []) == []


def test_a_folder_without_a_study_offers_free_text(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert declared_stages() == []
    found = parameter_schema(study).model_dump()["properties"]["until"]
    assert {"type": "string"} in found["anyOf"]


def test_the_deployment_of_prefect_yaml_is_the_one_that_is_served() -> None:
    [deployment] = yaml.safe_load((ROOT / "prefect.yaml").read_text())["deployments"]
    path, name = deployment["entrypoint"].split(":")
    assert (ROOT / path).is_file()
    assert (Path(path).stem, name) == (study.fn.__module__.rpartition(".")[2], study.fn.__name__)
    assert deployment["concurrency_limit"] == {
        "limit": ONE_AT_A_TIME.limit, "collision_strategy": ONE_AT_A_TIME.collision_strategy.value
    }  # fmt: skip
    assert not any(each["active"] for each in deployment["schedules"])


def test_a_schedule_is_in_utc_and_a_wrong_one_the_users_to_mend() -> None:
    made = schedule("0 3 * * *", active=False)
    assert made is not None
    assert (made.cron, made.timezone, made.active) == ("0 3 * * *", "UTC", False)
    assert schedule(None, active=True) is None
    with pytest.raises(StudyError, match="--cron 'often' is no schedule"):
        schedule("often", active=True)


def test_schedules_of_the_ui_stay_as_they_are_and_get_the_slug_that_prefect_asks_for(server: str, project) -> None:
    made = [
        DeploymentScheduleCreate(schedule=CronSchedule(cron="0 4 * * *"), active=True),
        DeploymentScheduleCreate(schedule=CronSchedule(cron="0 3 * * *"), active=False),
    ]
    with temporary_settings({PREFECT_API_URL: server}), get_client(sync_client=True) as client:
        assert known(client) is None
        name = project.name
        client.create_deployment(client.create_flow(study), name=name, schedules=made, concurrency_limit=1)
        found = known(client)
        assert found is not None
        kept = kept_schedules(found)
        end_what_was_left(client, found)
    assert {(each.schedule.cron, each.active) for each in kept} == {("0 4 * * *", True), ("0 3 * * *", False)}
    assert len({each.slug for each in kept} - {None}) == 2


def test_serving_needs_a_server_and_right_parameters(monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    with temporary_settings({PREFECT_API_URL: None}), pytest.raises(StudyError, match="make ui"):
        serve(Request(), cron=None, active=True)
    for wrong, said in ((Request(profile="nope"), "no profile"), (Request(until="nope"), "No stage nope")):
        with pytest.raises(StudyError, match=said):
            refuse_wrong(wrong)


def test_options_of_serving_alone_are_refused(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["--cron", "0 3 * * *"])
    assert "go with --serve" in capsys.readouterr().err


def test_a_failed_gate_is_named_in_the_runs_state_and_among_its_artifacts(project: Path, server: str) -> None:
    (project / "gate.py").write_text(TOLD)
    command = f"PYTHONPATH={ROOT} {sys.executable} gate.py"
    (project / "dvc.yaml").write_text(f"stages:\n  check_split:\n    cmd: {command}\n    outs: [out]\n")
    with temporary_settings({PREFECT_API_URL: server}), pytest.raises(StageRefused) as raised:
        study()
    assert raised.value.brief == "Stage check_split failed, for the reason above. Finished stages are kept."

    def last(what: str, sort: str, **among: dict) -> dict:
        return httpx.post(f"{server}/{what}/filter", json={"sort": sort, "limit": 1, **among}).json()[0]

    run = last("flow_runs", "START_TIME_DESC")
    assert (project / "run").read_text() == run["id"]
    message = run["state"]["message"]
    assert all(part in message for part in ("Stage check_split failed", "1 of 2", "data/splits.json, suite splits"))
    gates = last("artifacts", "CREATED_DESC", artifacts={"key": {"any_": ["gates"]}})
    assert (gates["key"], json.loads(gates["data"])[0]["gate"]) == ("gates", "check_split")
    assert "suite splits" in json.loads(gates["data"])[0]["outcome"]


def test_a_table_is_that_of_the_report_for_all_questions(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    row = {
        "policy": "bm25", "budget_chars": 900, "questions": 12, "correct": 6, "accuracy": 0.5, "wilson_low": 0.254,
        "wilson_high": 0.746, "chance": 0.25, "failures": 0, "failed_plans": 0,
    }  # fmt: skip
    frame = MAIN.frame([row | {"split": split} for split in ("all", "test")])
    write_table(artifacts.TABLES, MAIN, frame)
    [shown] = artifacts.table_rows(MAIN)
    assert (shown["Policy"], shown["Budget, characters"], shown["Accuracy, % [Wilson]"]) == (
        "bm25", "900", "50.0 [25.4, 74.6]"
    )  # fmt: skip
    assert next(iter(artifacts.table_rows(MAIN, ["chance"])[0])) == "Chance, %"


def test_artifacts_hold_what_the_stages_wrote(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    artifacts.TABLES.mkdir(parents=True)
    for table in (MAIN, LADDER):
        table.frame([]).to_csv(artifacts.TABLES / f"{table.name}.csv", index=False)
        assert artifacts.table_rows(table) == []
    artifacts.CHECKS.mkdir()
    suites = {"splits": {"file": "data/splits.json", "expectations": [{}, {}]}}
    (artifacts.CHECKS / "split.json").write_text(json.dumps({"suites": suites}))
    rows = artifacts.gate_rows(["split", "check_split"], ("check_rows", "why"))
    assert [(row["gate"], row["suite"], row["expectations"], row["outcome"]) for row in rows] == [
        ("check_split", "splits", "2", "hold"), ("check_rows", "", "", "why")
    ]  # fmt: skip
    Path("reports/index.html").write_text("")
    assert artifacts.page_links(report=True, docs=True) == f"- [The report]({tmp_path.as_uri()}/reports/index.html)"
    monkeypatch.setenv(artifacts.REPORTS_URL, "http://127.0.0.1:1/reports")
    assert artifacts.page_links(report=True, docs=False) == "- [The report](http://127.0.0.1:1/reports/index.html)"
    assert artifacts.page_links(report=False, docs=False) == ""
