"""`plancheck lock`, and stages that refuse to start."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from flows.entry import main as flow_main
from plancheck.backends.models import LOCK as MODELS
from plancheck.given.sources import prompt_rows
from plancheck.locking.asked import asked, write_asked
from plancheck.locking.declaration import declaration
from plancheck.locking.machine import gpu_driver, gpus, machine
from plancheck.locking.preregistration import preregistration
from plancheck.locking.record import LOCK, moment, read_lock, write_lock
from plancheck.locking.state import code
from plancheck.params.study import read_params
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import write_json
from plancheck.stages import models
from validation import gate

ROOT = Path(__file__).parents[2]
TEMPLATE = Path("given/prompts/mine.jinja")
PLANS = Path("given/plans/mine.jsonl")
GPU = "Model: \t\t NVIDIA H200\nIRQ:   \t\t 0\n"


@pytest.fixture
def study(tmp_path, monkeypatch, tiny_qwen2):
    """A study's folder with a template, plans and an installed package of its own, and a model in a folder."""
    monkeypatch.chdir(tmp_path)
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    shutil.copytree(tiny_qwen2, "model")
    params["models"]["other"] = {"source": "path", "path": "model"}
    params["selectors"]["reader"] = {"kind": "planner", "model": "other"}
    params["selectors"]["mine"] = {"kind": "plans", "path": str(PLANS)}
    params["answer"]["prompt"] = str(TEMPLATE)
    for path, text in ((TEMPLATE, "{{ context }} {{ question }}"), (PLANS, '{"question_id": "q"}\n')):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    Path("plancheck/benchmark").mkdir(parents=True)
    shutil.copy(ROOT / "plancheck/benchmark/lexicon.yaml", "plancheck/benchmark")
    Path("requirements.lock").write_text("toy-package==1.0\n")
    install("1.0")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    LOCK.write_text("{}\n")
    write(params)
    return params


def write(params, *, locked=False):
    Path("params.yaml").write_text(yaml.safe_dump(params | ({"run": {"locked": True}} if locked else {})))


def install(version):
    shutil.rmtree("site", ignore_errors=True)
    info = Path(f"site/toy_package-{version}.dist-info")
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: toy-package\nVersion: {version}\n")


def pin_model():
    """What stage models writes of a model in a folder."""
    entry = models.put(Path("model"), "path", "model", None)
    write_json(MODELS, {"environment": {}, "models": {"m": entry}, "roles": {"other": "m"}})


def margin(params):
    params["analyze"]["margin"] = 0.02


def template(_):
    TEMPLATE.write_text("{{ question }} {{ context }}")


def plans(_):
    PLANS.write_text('{"question_id": "other"}\n')


def package(_):
    install("2.0")


def model_file(_):
    config = Path("model/generation_config.json")
    config.write_text(config.read_text().replace("{", '{"top_k": 7,', 1))
    pin_model()


HEX = "'[0-9a-f]{16}…'"
CHANGES = {
    margin: r"parameter analyze\.margin: locked 0\.05, now 0\.02",
    template: rf"prompt template answer\.sha256: locked {HEX}, now {HEX}",
    plans: rf"file given/plans/mine\.jsonl: locked {HEX}, now {HEX}",
    package: r"package toy-package: locked '1\.0', now '2\.0'",
    model_file: rf"model other\.files\.generation_config\.json: locked {HEX}, now {HEX}",
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_locked_run_refuses_what_changed_and_names_it_with_both_values(change, study, plancheck):
    pin_model()
    assert plancheck("lock")[0] == 0
    assert plancheck("lock", "--diff")[:2] == (0, f"Nothing differs from {LOCK}.\nNot compared, for no stage has made "
                                                  "it yet: dataset, split.\n")  # fmt: skip
    change(study)
    write(study, locked=True)

    status, _, said = plancheck("benchmark")
    assert status == 1
    listed = [line for line in said.splitlines() if line.startswith("  - ")]
    named = [line for line in listed if re.fullmatch(rf"  - {CHANGES[change]}", line)]
    # The revision of a folder of models is the digest of its files.
    assert len(named) == 1 and len(listed) == 1 + (change is model_file)
    assert "To go on as locked, " in said and "plancheck lock --force" in said and "run.locked=false" in said
    assert not Path("data").exists()

    status, out, _ = plancheck("lock", "--diff")
    assert (status, out.splitlines()[: len(listed)]) == (1, [line.removeprefix("  - ") for line in listed])


@pytest.mark.parametrize("start", [lambda: flow_main(lambda: pytest.fail("begun")), lambda: gate.main(["split"])])
def test_flows_and_gates_refuse_as_other_stages_do(start, study, plancheck, capfdbinary):
    plancheck("lock")
    margin(study)
    write(study, locked=True)
    assert start() == 1
    assert b"analyze.margin: locked 0.05, now 0.02" in capfdbinary.readouterr().err


def test_a_locked_run_starts_where_nothing_differs(study, plancheck):
    plancheck("lock")
    write(study, locked=True)
    assert plancheck("benchmark")[0] == 0
    assert Path("data/questions.parquet").exists()


def test_without_run_locked_nothing_is_refused(study, plancheck):
    plancheck("lock")
    margin(study)
    write(study)
    assert plancheck("benchmark")[0] == 0


def test_a_changed_switch_and_a_missing_file_are_differences(study, plancheck, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    plancheck("lock")
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    PLANS.unlink()
    out = plancheck("lock", "--diff")[1].splitlines()
    assert re.fullmatch(rf"file given/plans/mine\.jsonl: locked {HEX}, now None", out[0])
    assert out[1] == "environment variable OMP_NUM_THREADS: locked None, now '7'"


def test_a_locked_run_without_a_lock_is_refused(study, plancheck):
    write(study, locked=True)
    assert plancheck("benchmark")[::2] == (
        1,
        f"error: run.locked is true, and {LOCK} locks nothing. Run `plancheck lock` first, or set run.locked=false.\n",
    )


def test_a_lock_is_completed_by_what_became_known_and_replaced_by_force_alone(study, plancheck):
    plancheck("lock")
    first = read_lock()
    assert (first.models, first.dataset, first.split, first.completed) == (None, None, None, {})
    assert plancheck("benchmark")[0] == 0
    assert plancheck("split")[0] == 0
    assert "completed by dataset, split" in plancheck("lock")[1]
    second = read_lock()
    assert second.split | {"sha256": ""} == {"train": 30, "dev": 6, "test": 84, "sha256": ""}
    assert set(second.completed) == {"dataset", "split"}
    assert second.model_copy(update={"dataset": None, "split": None, "completed": {}}) == first
    assert "nothing differs from what was locked" in plancheck("lock")[1]

    margin(study)
    write(study)
    before = LOCK.read_bytes()
    status, _, said = plancheck("lock")
    assert status == 1 and "analyze.margin: locked 0.05, now 0.02" in said and "--force" in said
    assert LOCK.read_bytes() == before
    assert plancheck("lock", "--force")[0] == 0
    assert read_lock().declaration["margin"] == 0.02 and read_lock().completed == {}


def test_a_file_that_is_not_there_cannot_be_locked(study, plancheck):
    PLANS.unlink()
    status, _, said = plancheck("lock")
    assert status == 1 and str(PLANS) in said
    assert LOCK.read_text() == "{}\n"


@pytest.mark.parametrize("text", ["[]", "{", '{"format": 2}', '{"written": "yesterday"}'])
def test_what_is_no_lock_is_refused_with_its_remedy(text, study, plancheck):
    LOCK.write_text(text)
    status, _, said = plancheck("lock", "--diff")
    assert status == 1 and str(LOCK) in said
    assert plancheck("lock", "--force")[0] == 0


def test_a_pipe_in_the_locks_place_is_refused_and_its_remedy_is_the_locks(study, plancheck):
    LOCK.unlink()
    for put in (os.mkfifo, Path.mkdir, lambda path: path.write_bytes(b"\xff")):
        put(Path("run.lock.json"))
        status, _, err = plancheck("lock", "--diff")
        assert status == 1 and "plancheck lock --force" in err and "dvc repro" not in err
        remove(Path("run.lock.json"))


def remove(path):
    path.rmdir() if path.is_dir() else path.unlink()


def test_a_lock_names_no_folder_of_this_machine(study, plancheck, tmp_path):
    study["models"]["other"]["path"] = str(tmp_path / "model")
    write(study)
    plancheck("lock")
    assert str(tmp_path) not in LOCK.read_text()


def test_the_lock_tells_the_revision_and_what_is_not_of_it(study, plancheck):
    assert "no git repository" in plancheck("lock")[1]
    for arguments in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *arguments], check=True)
    assert "not clean" not in plancheck("lock", "--force")[1]
    commit = read_lock().git["commit"]
    assert read_lock().git == {"commit": commit, "clean": True, "changed": []}
    assert re.fullmatch("[0-9a-f]{40}", commit)
    Path("new.py").write_text("")
    assert "The tree is not clean (new.py)" in plancheck("lock", "--force")[1]
    assert read_lock().git == {"commit": commit, "clean": False, "changed": ["new.py"]}
    # To commit the lock makes another commit, which is no difference.
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", "lock"], check=True)
    assert plancheck("lock", "--diff")[0] == 0


def test_changed_code_is_named(tmp_path):
    for name in ("plancheck/a.py", "flows/b.py", "plancheck/own.jinja", "tests/c.py", "plancheck/__pycache__/a.pyc"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    found = code(tmp_path, besides=[tmp_path / "plancheck/own.jinja"])
    assert list(found) == ["plancheck/a.py", "flows/b.py"]
    (tmp_path / "flows/b.py").write_text("other")
    assert [name for name, sha in code(tmp_path, besides=[]).items() if found.get(name, sha) != sha] == ["flows/b.py"]


def test_the_declaration_holds_what_is_compared_and_on_how_many_questions(study):
    found = declaration(read_params())
    assert found["comparisons"]["plan_bm25"] == {
        "treatment": "sft+bm25", "control": "bm25", "budget_chars": "largest", "split": "all", "family": "published",
    }  # fmt: skip
    assert found["tiers"]["retrieval"] == ["bm25", "dense", "hybrid", "hybrid_anchor"]
    assert (found["margin"], found["budgets_chars"]) == (0.05, [900, 450, 300])
    assert found["questions"]["generated"] == 120
    assert found["questions"]["split"] == {"train": 30, "dev": 6, "test": 84}


def test_processor_and_gpus_are_read_as_linux_tells_them(tmp_path):
    cpu = tmp_path / "cpuinfo"
    cpu.write_text(
        "processor\t: 0\nmodel name\t: Some CPU\nflags\t\t: fpu avx2 sse amx_bf16 fma\n\nmodel name\t: Other\n"
    )
    for number in ("1", "0"):
        information = tmp_path / "gpus" / number / "information"
        information.parent.mkdir(parents=True)
        information.write_text(GPU)
    (tmp_path / "version").write_text("NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Tue\n")
    found = machine(cpu, tmp_path)
    assert (found["processor"], found["instructions"]) == ("Some CPU", "amx_bf16 avx2 fma")
    assert (gpus(tmp_path), gpu_driver(tmp_path)) == (["NVIDIA H200"] * 2, "570.86.15")
    assert (gpus(tmp_path / "none"), gpu_driver(tmp_path / "none")) == ([], None)


@pytest.mark.parametrize(
    ("made", "undated", "before"), [([], 0, 0), ([0], 1, 0), ([86_400, 0, 60, 61], 1, 1), ([59, 60, 0, 0], 2, 2)]
)
def test_answers_are_counted_by_whether_they_are_older_than_the_lock(study, plancheck, made, undated, before):
    assert asked(made, None) == {"lock": None, "replies": len(made), "undated": undated, "before_lock": None}
    plancheck("lock")
    told = "1970-01-01T00:01:00Z"
    lock = read_lock().model_copy(update={"written": told})
    assert asked(made, lock) == {"lock": told, "replies": len(made), "undated": undated, "before_lock": before}


def judge(*, given=(), prompts=None):
    params = read_params()
    rows = prompt_rows(params.answer, params.planner) if prompts is None else prompts
    return preregistration(params, given=given, prompts=rows)


def test_declared_before_the_run_needs_a_lock_older_than_the_first_answer_and_what_it_declares(study, plancheck):
    assert judge() is None
    plancheck("lock")
    written = int(moment(read_lock().written).timestamp())
    assert judge()["reasons"] == ["there was no lock when the answers were written"]
    for first in (written - 1, written):
        write_asked([first, written + 9])
        assert judge()["reasons"] == ["1 of 2 replies were given before the lock was written"]
    write_asked([0, written + 9])
    assert judge()["reasons"] == ["of 1 of 2 replies it is not known when they were given"]
    write_asked([written + 1, written + 9])
    found = judge()
    assert (found["declared_before"], found["reasons"], found["elsewhere"]) == (True, [], [])
    locked = read_lock()
    write_lock(locked.model_copy(update={"written": "2020-01-01T00:00:00Z"}))
    assert judge()["reasons"] == [f"the answers were written when the lock was another one, of {locked.written}"]
    write_lock(locked)

    margin(study)
    write(study)
    found = judge()
    assert (found["declared_before"], found["reasons"]) == (False, ["parameter analyze.margin: locked 0.05, now 0.02"])


def test_other_prompts_and_given_files_than_the_locked_ones_were_not_declared(study, plancheck):
    plancheck("lock")
    write_asked([int(moment(read_lock().written).timestamp()) + 1])
    sha = read_lock().files[str(PLANS)]
    prompts = [{"section": name, "sha256": entry["sha256"]} for name, entry in read_lock().prompts.items()]
    given = [{"section": "selectors", "name": "mine", "file": PLANS.name, "sha256": sha}]
    assert judge(given=given, prompts=prompts)["declared_before"]
    other = [{**prompts[0], "sha256": "0" * 64}, *prompts[1:]]
    assert judge(prompts=other)["reasons"][0].startswith("prompt template answer: locked '")
    assert judge(given=[given[0] | {"sha256": "0" * 64}], prompts=prompts)["reasons"] == [
        "file mine.jsonl of selectors.mine is not one that was locked"
    ]


def test_the_check_loads_no_model_library_and_no_orchestrator(study, plancheck):
    # The package of this test lies where this process alone looks for it.
    Path("requirements.lock").write_text("")
    plancheck("lock")
    write(study, locked=True)
    asks = "from plancheck.locking.guard import *; from plancheck.params.study import read_params; import sys; "
    code = f"{asks}refuse_changed(read_params()); print(*{{name.partition('.')[0] for name in sys.modules}})"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}  # this folder has a plancheck/ too
    ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert not {"torch", "transformers", "prefect", "dvc", "great_expectations", "altair"} & set(ended.stdout.split())


def test_files_of_a_model_that_are_not_the_pinned_ones_are_named_with_both_digests(study):
    from plancheck.backends.models import locked

    pin_model()
    (config,) = Path("models/weights").glob("*/generation_config.json")
    config.write_text("{}")
    with pytest.raises(StudyError, match=r"config\.json: changed: SHA-256 \w{16}… in the lock, \w{16}… now"):
        locked("other")
