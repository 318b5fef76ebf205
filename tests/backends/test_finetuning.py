"""The published recipe's step counts, the same bytes each time, and going on after kill -9, on a tiny Qwen2."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from trl.trainer.sft_trainer import SFTTrainer

from plancheck.backends.adapters import adapter_digest, load_planner, refuse_idle
from plancheck.backends.finetuning import finetune, rows_an_epoch, total_steps
from plancheck.backends.generation import read_causal_model
from plancheck.backends.planner_trainer import PlannerTrainer, Shuffled
from plancheck.backends.repeatable import repeatable
from plancheck.backends.sft_rows import TokenRow
from plancheck.params.planning import Train
from plancheck.plumbing.errors import StudyError

PUBLISHED = Train(
    seed=111, lora_r=16, lora_alpha=32, lora_dropout=0.05, lora_targets="all-linear", learning_rate=5e-5, epochs=3,
    batch_size=2, accumulation=8,
    partial_accumulation="drop", early_step=16, max_tokens=32768, threads=1, device="cpu", dtype="bfloat16",
)  # fmt: skip
QUICK = PUBLISHED.model_copy(
    update={"epochs": 2, "accumulation": 2, "early_step": 3, "dtype": "float32", "learning_rate": 1e-2, "lora_r": 2}
)


def token_rows(count):
    """Rows of 30 to 32 tokens, of which the last 6 to 8 are supervised."""
    return [
        TokenRow(f"q{row}", tuple((7 * row + 3 * token) % 250 + 3 for token in range(30 + row % 3)), 24)
        for row in range(count)
    ]


def trained(folder, rows, settings, work, dev=()):
    half = settings.dtype == "bfloat16"
    with repeatable(settings.seed, threads=settings.threads):
        model, tokenizer = read_causal_model(folder, device="cpu", dtype=settings.dtype)
        return finetune(
            model, tokenizer, rows, dev, settings, work=work, device="cpu", half=half, base_name="tiny 1"
        )  # fmt: skip


@pytest.mark.parametrize(("partial", "steps"), [("drop", 24), ("keep", 27)])
def test_the_published_recipe_takes_24_steps_and_today_s_trainer_27(tiny_qwen2, tmp_path, partial, steps):
    settings = PUBLISHED.model_copy(update={"partial_accumulation": partial})
    result = trained(tiny_qwen2, token_rows(140), settings, tmp_path / "work")

    assert result.steps == steps
    assert len(result.losses) == steps
    assert result.resumed_at == 0


def test_two_trainings_write_the_same_bytes_and_leave_out_where_they_ran(tiny_qwen2, tmp_path):
    rows = token_rows(9)
    for name in ("one", "two"):
        trained(tiny_qwen2, rows, QUICK, tmp_path / name)

    for adapter in ("final", "early"):
        one, two = (
            {file.name: file.read_bytes() for file in (tmp_path / name / adapter).iterdir()} for name in ("one", "two")
        )
        assert one == two
        assert set(one) == {"adapter_config.json", "adapter_model.safetensors"}
        assert json.loads(one["adapter_config.json"])["base_model_name_or_path"] == "tiny 1"
        assert b"/" not in one["adapter_config.json"]
    assert adapter_digest(tmp_path / "one/final") != adapter_digest(tmp_path / "one/early")


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_loss_is_trl_s_own(tiny_qwen2, tmp_path, monkeypatch, dtype):
    settings = QUICK.model_copy(update={"dtype": dtype, "learning_rate": 1e-3, "early_step": 1})
    ours = trained(tiny_qwen2, token_rows(7), settings, tmp_path / "ours", dev=token_rows(3))
    monkeypatch.setattr(PlannerTrainer, "compute_loss", SFTTrainer.compute_loss)
    theirs = trained(tiny_qwen2, token_rows(7), settings, tmp_path / "theirs", dev=token_rows(3))

    tolerance = 1e-5 if dtype == "float32" else 1e-2
    assert ours.losses == pytest.approx(theirs.losses, rel=tolerance)
    assert ours.dev_loss == pytest.approx(theirs.dev_loss, rel=tolerance)


def test_the_seed_decides_the_adapter(tiny_qwen2, tmp_path):
    rows = token_rows(9)
    for seed in (1, 2):
        trained(tiny_qwen2, rows, QUICK.model_copy(update={"seed": seed}), tmp_path / str(seed))
    assert adapter_digest(tmp_path / "1/final") != adapter_digest(tmp_path / "2/final")


def test_training_lowers_the_loss_and_the_adapter_changes_what_is_said(tiny_qwen2, tmp_path):
    rows = token_rows(8)
    settings = QUICK.model_copy(update={"epochs": 8})
    result = trained(tiny_qwen2, rows, settings, tmp_path, dev=rows[:3])
    assert result.losses[-1] < result.losses[0]
    assert result.dev_loss < result.losses[0]

    tokens = rows[0].tokens[: rows[0].start]
    refuse_idle(tiny_qwen2, tmp_path / "final", tokens, device="cpu", dtype="float32")
    base = load_planner(tiny_qwen2, None, device="cpu", dtype="float32")
    choices = [[[5, 6], [7], [8], [9]]]
    plain = base.log_likelihoods([tokens], choices, pass_tokens=64)
    adapted = load_planner(tiny_qwen2, tmp_path / "final", device="cpu", dtype="float32")
    assert adapted.log_likelihoods([tokens], choices, pass_tokens=64) != plain
    assert base.log_likelihoods([tokens], choices, pass_tokens=64) == plain
    assert len(adapted.generate([list(tokens)], [4], max_new_tokens=3, pass_tokens=64, batch_size=1)) == 1


WORKER = """
    import os, sys
    from pathlib import Path
    import test_finetuning as shared
    from plancheck.backends import finetuning

    base, work, die_at = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    taken = []

    class Count(finetuning.Watch):
        def on_step_begin(self, args, state, control, **kwargs):
            if state.global_step == die_at:
                os.kill(os.getpid(), 9)
            taken.append(state.global_step)

    finetuning.Watch = Count
    shared.trained(base, shared.token_rows(9), shared.QUICK, work)
    print(len(taken))
"""


def run_worker(base, work, *, die_at):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(WORKER), str(base), str(work), str(die_at)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[2])])},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("die_at", [1, 2])
def test_a_killed_training_goes_on_to_the_same_adapter(tiny_qwen2, tmp_path, die_at):
    trained(tiny_qwen2, token_rows(9), QUICK, tmp_path / "whole")
    killed = run_worker(tiny_qwen2, tmp_path / "killed", die_at=die_at)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not (tmp_path / "killed/final").exists()

    (tmp_path / "killed/checkpoint-9").mkdir()  # as if it had died while it wrote one
    loads = []
    load = torch.load
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            torch, "load", lambda *args, **kwargs: loads.append(kwargs.get("weights_only")) or load(*args, **kwargs)
        )
        result = trained(tiny_qwen2, token_rows(9), QUICK, tmp_path / "killed")

    assert result.resumed_at == die_at
    assert result.steps == len(result.losses) == 4
    assert loads and all(loads), "nothing may be unpickled freely"
    for adapter in ("final", "early"):
        assert adapter_digest(tmp_path / "killed" / adapter) == adapter_digest(tmp_path / "whole" / adapter)


def test_too_few_rows_for_one_step_are_refused():
    with pytest.raises(StudyError, match=r"15 row\(s\), and one optimiser step takes 16.*partial_accumulation=keep"):
        total_steps(15, PUBLISHED)
    assert total_steps(15, PUBLISHED.model_copy(update={"partial_accumulation": "keep", "early_step": 1})) == 3


def test_an_early_step_that_never_comes_is_refused():
    with pytest.raises(StudyError, match=r"early_step is 16, but training on 32 row\(s\) takes 6 step\(s\)"):
        total_steps(32, PUBLISHED)


def test_a_training_that_diverges_is_stopped(tiny_qwen2, tmp_path):
    with pytest.raises(StudyError, match="diverged"):
        trained(tiny_qwen2, token_rows(9), QUICK.model_copy(update={"learning_rate": 1e30}), tmp_path)


def test_an_adapter_that_says_nothing_new_is_refused(tiny_qwen2, tmp_path):
    settings = QUICK.model_copy(update={"learning_rate": 1e-30})
    trained(tiny_qwen2, token_rows(9), settings, tmp_path)
    with pytest.raises(StudyError, match="changes nothing"):
        refuse_idle(tiny_qwen2, tmp_path / "final", [5, 6, 7], device="cpu", dtype="float32")


def test_every_epoch_has_an_order_of_its_own_that_seed_and_epoch_decide():
    sampler = Shuffled(range(10), kept=8, seed=3)
    first = list(sampler)
    sampler.set_epoch(1)
    second = list(sampler)
    again = Shuffled(range(10), kept=8, seed=3)
    again.set_epoch(1)

    assert list(again) == second != first
    assert len(set(first)) == len(first) == len(sampler) == 8
    assert rows_an_epoch(140, PUBLISHED) == 128


def test_named_layers_alone_are_adapted_and_unknown_ones_are_refused(tiny_qwen2, tmp_path):
    settings = QUICK.model_copy(update={"lora_targets": ["q_proj", "v_proj"]})
    trained(tiny_qwen2, token_rows(12), settings, tmp_path / "work")
    names = set(load_file(tmp_path / "work" / "final" / "adapter_model.safetensors"))
    assert {name.rsplit(".", 3)[1] for name in names} == {"q_proj", "v_proj"}

    unknown = QUICK.model_copy(update={"lora_targets": ["q_proj", "c_attn"]})
    with pytest.raises(StudyError, match=r"no linear layer 'c_attn'; it has down_proj, gate_proj, k_proj, o_proj, q_"):
        trained(tiny_qwen2, token_rows(12), unknown, tmp_path / "other")
