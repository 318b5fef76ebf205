"""`plancheck estimate` on the demo's own parameters, and on tables of a small study of known counts."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from plancheck.backends.counting import chat_tokens, token_counter
from plancheck.benchmark.tables import write_contexts, write_questions
from plancheck.cli import app
from plancheck.estimating import showing
from plancheck.estimating.composed import composed
from plancheck.estimating.cost import Rates, counted_lines, seconds
from plancheck.estimating.demand import NOTHING, Amount, Line
from plancheck.estimating.material import Size, read_material
from plancheck.params.pack import Pack
from plancheck.params.study import read_params
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import DATA, write_json, write_table
from plancheck.records import GIVEN_CONTEXTS, PLANS, RANKINGS
from plancheck.stages import atoms, pack
from plancheck.stages.benchmark import limited, load

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A study's folder in which nothing has been run."""
    for name in ("conf", "params.yaml", "plancheck"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(*arguments):
    found = CliRunner().invoke(app, ["estimate", "--json", *arguments], catch_exceptions=False)
    return json.loads(found.stdout[found.stdout.index("{") :])


def line(found, stage, what):
    return next(one for one in found["stages"] if one["stage"] == stage and what in one["what"])


def test_before_anything_runs_the_demos_counts_are_known_or_bounded(folder):
    found = told("--profile", "demo")
    assert (found["questions"], found["conditions"]) == (120, 114)
    # What the demo then counted: 3,176 atoms of 120 questions, 1,440 candidates, 216 plans, 120 plans a selector.
    assert line(found, "retrieve", "dense")["prompts"] == {"value": 3_176 + 120, "kind": "counted"}
    assert line(found, "rerank", "rerank")["prompts"] == {"value": 1_440, "kind": "counted"}
    assert line(found, "mine", "sampled")["prompts"] == {"value": 216, "kind": "counted"}
    assert line(found, "plan", "sft:")["prompts"] == {"value": 120, "kind": "counted"}
    # It executed 147, trained on 19 rows and asked 5,183 prompts of 999,952 tokens.
    for stage, what, counted in (("mine", "executed", 147), ("train", "rows", 19), ("answer", "distinct", 5_183)):
        bound = line(found, stage, what)["prompts"]
        assert bound["kind"] == "at most"
        assert bound["value"] >= counted
    trial = line(found, "answer", "trial")["prompts"]
    assert trial["kind"] == "estimated"
    assert 5_183 < trial["value"] < line(found, "answer", "distinct")["prompts"]["value"]
    assert not (folder / "data").exists()


def test_packed_contexts_are_counted(folder):
    made = read_params()
    controlled = made.benchmark.controlled.model_copy(update={"questions": 12})
    policies = {name: made.pack.singles[name] for name in ("no_context", "head", "head_tail")}
    pack_alone = Pack(budgets_chars=[900, 450, 300], overflow="cut", merge_overlaps=False, policies=policies)
    params = made.model_copy(
        update={
            "benchmark": made.benchmark.model_copy(update={"controlled": controlled}), "pack": pack_alone,
            "rankings": {}, "selectors": {},
        }
    )  # fmt: skip
    benchmark = limited(load(params.benchmark), params.benchmark)
    write_questions(benchmark)
    write_contexts(benchmark)
    write_json(DATA / "splits.json", {"train": [], "dev": [], "test": []})
    atoms.run(params)
    for name, schema in (
        ("rankings", RANKINGS), ("rerank", RANKINGS), ("rerank_tuned", RANKINGS), ("plans", PLANS),
        ("given_plans", PLANS), ("given_contexts", GIVEN_CONTEXTS),
    ):  # fmt: skip
        write_table(DATA / f"{name}.parquet", [], schema)
    material = read_material(params, made=True, size=None)
    assert showing.packed(material, params) is None
    pack.run(params)
    found = showing.packed(material, params)
    assert found is not None
    # Nothing shown at three budgets is one prompt; head and head_tail show a text of their own at each.
    assert found.prompts == 12 * (1 + 2 * 3)
    assert found.chars == 12 * 2 * (900 + 450 + 300) == showing.bound(material, params).chars
    assert 0 < found.fresh < 1
    tried = showing.tried(material, params)
    assert (tried.prompts, tried.chars) == (found.prompts, found.chars)


def test_a_benchmark_that_is_not_here_is_a_size(folder):
    size = ("--questions", "503", "--context-chars", "90000", "--tokens-per-second", "1000")
    found = told("--profile", "longbench_v2", *size, "--reply-tokens-per-second", "100", "--price-per-million", "2")
    assert (found["questions"], found["splits"]["train"]) == (503, 301)
    assert line(found, "answer", "distinct")["prompts"]["kind"] == "at most"
    assert found["seconds"]["answer"]["kind"] == "at most"
    assert found["seconds"]["retrieve"] is None  # the rate is of causal models
    answer = line(found, "answer", "trial")
    spent = answer["prompt_tokens"]["value"] + answer["reply_tokens"]["value"]
    assert found["money"]["answer"]["value"] == pytest.approx(2 * spent / 1e6, abs=0.01)


def test_longer_contexts_never_lower_a_bound(folder):
    params = read_params()
    sizes = [
        showing.bound(read_material(params, made=False, size=Size(7, chars)), params)
        for chars in (200, 500, 1_000, 50_000)
    ]
    assert [one.chars for one in sizes] == sorted(one.chars for one in sizes)
    assert {one.prompts for one in sizes} == {7 * (1 + 37 * 3)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--profile", "nosuch"], "there is no profile 'nosuch'"),
        (["-S", "answer.batch_size=4"], "none is named"),
        (["--profile", "demo", "-S", "nonsense.x=1"], "cannot be composed"),
        (["--questions", "5"], "go together"),
        (["--profile", "longbench_v2"], "nothing is fetched from here"),
        (["--measure", "--tokens-per-second", "9"], "measured or given"),
        (["--measure"], "dvc repro models"),
    ],
)
def test_what_cannot_be_estimated_is_refused(folder, arguments, message):
    with pytest.raises(StudyError, match=re.escape(message)):
        CliRunner().invoke(app, ["estimate", *arguments], catch_exceptions=False)


def test_a_profile_is_composed_as_dvc_composes_it(folder):
    from dvc.utils.hydra import compose_and_dump

    conf = str(ROOT / "conf")
    compose_and_dump(folder / "made.yaml", conf, None, "config", conf, ["profile=smollm2", "answer.batch_size=3"])
    assert composed("smollm2", ["answer.batch_size=3"]) == read_params(folder / "made.yaml")


def one_line(**values):
    given = {"prompts": NOTHING, "prompt_tokens": NOTHING, "read_tokens": None, "reply_tokens": NOTHING, **values}
    return Line("answer", "", "causal", "answer", **given)


def test_seconds_are_of_what_is_read_and_what_is_generated():
    rates = Rates("given", {"causal": 100.0}, 10.0)
    shared = one_line(
        prompt_tokens=Amount(900, "counted"), read_tokens=Amount(400, "estimated"), reply_tokens=Amount(20, "at most")
    )
    assert seconds(shared, rates) == (4 + 2, "at most")
    scored = one_line(
        prompt_tokens=Amount(900, "counted"), read_tokens=Amount(400, "estimated"),
        reply_tokens=Amount(100, "estimated"), scored=True,
    )  # fmt: skip
    assert seconds(scored, rates) == (5, "estimated")
    assert seconds(shared, Rates("given", {"causal": 100.0}, None)) is None
    assert seconds(shared, Rates("given", {}, 10.0)) is None


def test_a_line_that_stands_for_another_is_not_added_to_it():
    bound, tried = one_line(), one_line(instead=True)
    assert counted_lines([bound, tried]) == [tried]


def test_tokens_are_those_that_transformers_counts(tmp_path):
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import PreTrainedTokenizerFast

    plain = Tokenizer(WordLevel({"[UNK]": 0, "user": 1, "assistant": 2}, unk_token="[UNK]"))
    plain.pre_tokenizer = Whitespace()
    template = "{% for message in messages %}{{ message.role }} : {{ message.content }} {% endfor %}assistant :"
    made = PreTrainedTokenizerFast(tokenizer_object=plain, unk_token="[UNK]", chat_template=template)
    made.save_pretrained(tmp_path)
    count = token_counter(tmp_path)
    texts = ["one two, three", "", "user"]
    assert count(texts) == [len(made(text)["input_ids"]) for text in texts]
    chat = made.apply_chat_template([{"role": "user", "content": texts[0]}], add_generation_prompt=True)
    assert chat_tokens(tmp_path, count) + count(texts)[0] == len(chat["input_ids"])
    assert token_counter(tmp_path / "nothing") is None
