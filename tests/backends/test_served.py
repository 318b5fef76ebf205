"""Served models against a real HTTP server on loopback that misbehaves on purpose."""

import importlib.util
import json
import logging
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import plancheck.stages.models as stage
from flows.train import train_nothing
from plancheck.answering.asking import Prompt
from plancheck.answering.ports import Request
from plancheck.answering.serving import ask_served, serve, total
from plancheck.answering.usage import write_usage
from plancheck.backends.cache import GenerationCache
from plancheck.backends.models import LockedModel, is_served, locked
from plancheck.backends.served import protocol
from plancheck.backends.served import server as served_server
from plancheck.backends.served.probing import probed
from plancheck.backends.served.server import Abilities
from plancheck.params.models import PathModel, ServedModel
from plancheck.params.study import read_params
from plancheck.planning.replies import Chat
from plancheck.planning.served import ServedPlanner
from plancheck.plumbing.errors import StudyError

_spec = importlib.util.spec_from_file_location("fake_server", Path(__file__).with_name("fake_server.py"))
fake_server = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fake_server)

ROOT = Path(__file__).parents[2]
CHOICES = ("A mill", "B", "Tarn", "Who?")


@pytest.fixture
def fake(tiny_qwen2, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr("openai._base_client.MAX_RETRY_DELAY", 0.02)
    served_server._open.cache_clear()
    with fake_server.running(tiny_qwen2) as running:
        yield running


def spec_of(fake, *, tokenizer=None, **settings):
    settings = {"retries": 3, "timeout_seconds": 5.0, "concurrency": 4} | settings
    return ServedModel(source="served", base_url=fake.url, model="tiny", tokenizer=tokenizer, **settings)


def opened(fake, *, tokenizer=None, **settings):
    """The server as a task opens it, from what stage models found."""
    spec = spec_of(fake, tokenizer=tokenizer, **settings)
    found = probed(spec)
    model = LockedModel(
        "answer", "tiny", "1", Path(tokenizer or "none"), "digest", spec, json.dumps(found["identity"], sort_keys=True)
    )
    return served_server.open_server(model)


def prompts(count, group="q0"):
    return [
        Prompt(f"p{number}", group, [{"role": "user", "content": f"{'The mill. ' * (number % 3)}{number}?"}], CHOICES)
        for number in range(count)
    ]


def answers(server, count=6, mode="generate"):
    with GenerationCache() as cache:
        return ask_served(prompts(count), server, cache, mode=mode, max_new_tokens=4)


@pytest.mark.parametrize("way", ["logprob_token_ids", "echo", "prompt_logprobs", "allowed_token_ids"])
def test_choices_are_scored_by_the_way_that_tells_the_truth(fake, tiny_qwen2, way):
    fake.ways = {way}
    server = opened(fake, tokenizer=tiny_qwen2)
    asked = answers(server, 2, mode="likelihood")

    ids = server.tokens.tokens(prompts(1)[0].messages)
    means = []
    for choice in CHOICES:
        own = server.tokens.text_tokens(choice)
        values = [fake.logprobs([*ids, *own[:place]])[token] for place, token in enumerate(own)]
        means.append(sum(values) / len(values))
    weights = [math.exp(mean) for mean in means]
    assert server.abilities.likelihood == way
    assert asked.answers[0].probabilities == pytest.approx([weight / sum(weights) for weight in weights])
    assert asked.answers[0].letter == "ABCD"[means.index(max(means))]
    assert asked.answers[0].prompt_tokens == len(ids)


def test_a_server_that_echoes_only_what_it_generates_is_refused(fake, tiny_qwen2):
    fake.ways, fake.liar = {"echo"}, True
    found = probed(spec_of(fake, tokenizer=tiny_qwen2))
    assert found["identity"]["likelihood"] is None
    assert set(found["likelihood_refused"]) == {"logprob_token_ids", "echo", "prompt_logprobs", "allowed_token_ids"}
    assert "log-probabilities of" in found["likelihood_refused"]["echo"]
    with pytest.raises(StudyError, match="does not score choices"):
        answers(opened(fake, tokenizer=tiny_qwen2), mode="likelihood")


def test_long_choices_are_asked_about_in_parts_that_the_server_takes():
    ends = [list(range(90)), list(range(80, 200)), [0, 1, 7]]
    bodies = protocol.ids_bodies([300, 301], ends)
    values = {tuple(prompt): {token: -len(prompt) - token / 1000 for token in range(200)} for prompt in asked(bodies)}
    replies = [
        {"choices": [choice(index, values[tuple(prompt)], body) for index, prompt in enumerate(body["prompt"])]}
        for body in bodies
    ]

    assert len(bodies) > 1
    assert all(len(body["logprob_token_ids"]) <= protocol.MOST_IDS for body in bodies)
    assert len(asked(bodies)) == len({tuple(prompt) for prompt in asked(bodies)}) == 1 + 89 + 119
    assert protocol.ids_values(replies, [300, 301], ends) == [
        [-2 - place - token / 1000 for place, token in enumerate(end)] for end in ends
    ]


def asked(bodies):
    return [prompt for body in bodies for prompt in body["prompt"]]


def choice(index, values, body):
    told = {f"token_id:{token}": values[token] for token in body["logprob_token_ids"]}
    return {"index": index, "logprobs": {"top_logprobs": [told]}}


def test_choices_that_all_score_alike_stop_the_run_and_are_not_kept(tmp_path):
    class Alike:
        identity = "alike"

        def replies(self, requests, keep):
            for place in range(len(requests)):
                keep(place, {"log_likelihoods": [0.0] * 4, "usage": None})

    with GenerationCache(tmp_path / "cache") as cache:
        with pytest.raises(StudyError, match="all choices of all 3 prompts"):
            ask_served(prompts(3), Alike(), cache, mode="likelihood", max_new_tokens=4)
        assert len(cache) == 0


@pytest.mark.parametrize("tokenised", [False, True])
def test_letters_outside_the_likeliest_are_unknown(fake, tiny_qwen2, tokenised):
    server = opened(fake, tokenizer=tiny_qwen2 if tokenised else None)
    request = Request("generate", prompts(1)[0].messages, choices=(*CHOICES, "E", "F"), max_new_tokens=2)
    with GenerationCache() as cache:
        (reply,) = serve([request], server, cache, groups=["q"]).replies

    assert len(reply["letters"]) == len(reply["ends"]) == 2
    assert None not in reply["letters"][0][:4]
    assert None in reply["letters"][0][4:] + reply["letters"][1][4:]
    assert server.abilities.weighed == 20


def test_a_server_that_tells_fewer_is_asked_for_fewer(fake, tiny_qwen2):
    fake.top = 5
    assert opened(fake, tokenizer=tiny_qwen2).abilities.weighed == 5


FAULTS = ["429", "500", "lost", "half", "not json", "no choices"]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_passing_fault_changes_nothing(fake, fault):
    clean = answers(opened(fake))
    Path(".plancheck/generations.sqlite").unlink()
    fake.faults = [fault, fault, None, fault]
    server = opened(fake, concurrency=1)
    fake.faults = [None, fault, fault, None, fault]
    assert answers(server) == clean


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("429", "takes no more requests for now"),
        ("500", "fails at every prompt"),
        ("lost", "no connection"),
        ("half", "no connection"),
        ("not json", "fails at every prompt"),
        ("other model", "replies as 'other'"),
    ],
)
def test_a_lasting_fault_is_one_message_and_what_was_said_is_kept(fake, fault, message):
    server = opened(fake, concurrency=1)
    fake.faults = [None, None]
    fake.always = fault
    with pytest.raises(StudyError, match=message):
        answers(server)
    with GenerationCache() as cache:
        assert len(cache) == 2

    fake.always = None
    before = len(fake.seen)
    resumed = answers(server)
    assert len(fake.seen) - before == resumed.calls == 4
    Path(".plancheck/generations.sqlite").unlink()
    again = answers(server)
    assert (again.answers, again.usage) == (resumed.answers, resumed.usage)


def test_a_server_that_dies_and_comes_back_is_asked_the_rest(fake, tiny_qwen2):
    server = opened(fake, concurrency=1)
    answers(server, 2)
    fake.stop()
    with pytest.raises(StudyError, match=r"no connection.*vllm serve"):
        answers(server, 4)
    with fake_server.running(tiny_qwen2, fake.port) as back:
        assert answers(server, 4).calls == 2
        assert len(back.seen) == 2


def test_one_prompt_that_the_server_fails_at_is_a_row(fake, caplog):
    server = opened(fake)

    def third(body):
        return "500" if body["messages"][0]["content"].endswith("2?") else None

    fake.always = third
    with caplog.at_level(logging.WARNING, "plancheck.served"):
        found = answers(server, 4).answers
    assert [answer.failure == "error" for answer in found] == [False, False, True, False]
    assert "fails at a prompt" in caplog.text
    fake.always = lambda body: "too long" if body["messages"][0]["content"].endswith("2?") else None
    before = len(fake.seen)
    assert answers(server, 4).answers[2].failure == "too_long"
    assert len(fake.seen) - before == 1  # no retry for 4xx, and the others were kept


def test_a_slow_server_is_given_up_in_one_message(fake):
    server = opened(fake, timeout_seconds=0.3, retries=1)
    fake.slow = 1.0
    with pytest.raises(StudyError, match=r"no reply within 0\.3 s after 2 tries"):
        answers(server, 1)


def test_no_more_requests_than_allowed_are_under_way(fake):
    server = opened(fake, concurrency=2)
    fake.most_under_way, fake.slow = 0, 0.02
    answers(server, 8)
    assert fake.most_under_way == 2


def test_a_spent_budget_stops_and_the_next_run_goes_on(fake):
    whole = answers(opened(fake))
    Path(".plancheck/generations.sqlite").unlink()
    runs = 0
    spent = opened(fake, concurrency=1)
    while True:
        runs += 1
        used = spent.client.spent.prompt_tokens + spent.client.spent.reply_tokens
        spent.client.spec = spent.client.spec.model_copy(update={"budget_tokens": used + 60})
        try:
            found = answers(spent)
            break
        except StudyError as error:
            assert "budget of" in str(error)
        assert runs < 20
    assert runs > 1
    assert found.answers == whole.answers
    assert found.usage == whole.usage
    with pytest.raises(StudyError, match="budget"):
        answers(opened(fake, budget_cost=1e-9, prompt_price=1.0), 9)


def test_usage_counts_the_replies_in_use_whenever_they_were_asked_for(fake):
    server = opened(fake)
    first = answers(server)
    again = answers(server)
    assert (first.calls, again.calls) == (6, 0)
    assert again.usage == first.usage
    assert first.usage["replies"] == 6
    assert first.usage["reply_tokens"] == 24
    assert total([{"usage": {"prompt_tokens": None, "reply_tokens": None, "requests": 1}}])["unmetered"] == 1


def test_prompts_of_a_group_leave_in_the_order_of_their_texts(fake):
    server = opened(fake, concurrency=1)
    fake.seen.clear()
    own = prompts(6)
    mixed = [replace(prompt, group="q1" if number % 2 else "q0") for number, prompt in enumerate(own)]
    with GenerationCache() as cache:
        found = ask_served([*mixed, own[0]], server, cache, mode="generate", max_new_tokens=1)
    sent = [body["messages"][0]["content"] for body in fake.seen]
    texts = {group: sorted(one.messages[0]["content"] for one in mixed if one.group == group) for group in ("q0", "q1")}
    assert sent == [*texts["q0"], *texts["q1"]]
    assert found.answers[-1] == found.answers[0]


def test_another_model_under_the_same_name_is_refused(fake):
    server = opened(fake)
    served_server._open.cache_clear()
    fake.salt = "other weights"
    with pytest.raises(StudyError, match="replies otherwise"):
        served_server.open_server(LockedModel("answer", "tiny", "1", Path("none"), "d", spec_of(fake), server.identity))
    fake.name = "another"
    with pytest.raises(StudyError, match="was asked for 'tiny' and replies as 'another'"):
        probed(spec_of(fake))


def test_an_adapter_takes_as_many_tokens_as_the_model_that_it_is_laid_on(fake):
    base = {"id": "base", "max_model_len": 1024, "parent": None}
    fake.listed = [base, {"id": "tiny", "max_model_len": None, "parent": "base"}]
    assert probed(spec_of(fake))["identity"]["context_tokens"] == 1024


def test_a_key_is_sent_and_written_nowhere(fake, tiny_qwen2, monkeypatch, caplog, tmp_path):
    key = "sk-secret-of-the-test"
    fake.wanted_key = key
    with pytest.raises(StudyError, match="PLANCHECK_TEST_KEY"):
        probed(spec_of(fake, key_variable="PLANCHECK_TEST_KEY"))
    monkeypatch.setenv("PLANCHECK_TEST_KEY", key)
    messages = []
    with caplog.at_level(logging.DEBUG):
        spec = spec_of(fake, key_variable="PLANCHECK_TEST_KEY")
        Path("lock.json").write_text(json.dumps(probed(spec)))
        server = opened(fake, key_variable="PLANCHECK_TEST_KEY", retries=1)
        answers(server, 2)
        for fault in ("429", "500"):
            fake.always = fault
            with pytest.raises(StudyError) as told:
                answers(server, 3)
            messages.append(str(told.value))
        fake.always = "400"
        answers(server, 3)
        fake.always, fake.wanted_key = None, "another"
        with pytest.raises(StudyError, match="refuses the key") as told:
            answers(server, 3)
        messages.append(str(told.value))
    assert any("***" in message for message in messages)
    assert key not in "".join(messages) + caplog.text
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.name for path in written} >= {"lock.json", "generations.sqlite"}
    assert [path for path in written if key.encode() in path.read_bytes()] == []


@pytest.mark.parametrize("tokenised", [False, True])
def test_planning_is_asked_once_and_ends_where_a_reply_is_complete(fake, tiny_qwen2, tokenised):
    server = opened(fake, tokenizer=tiny_qwen2 if tokenised else None)
    chats = [
        Chat([{"role": "user", "content": f"Which? {number}"}], lambda text: len(text) >= 3) for number in range(3)
    ]
    with GenerationCache() as cache:
        planner = ServedPlanner(server, cache, "[" if tokenised else "", 4)
        first, again = planner.greedy(chats), planner.greedy(chats)
    assert first.replies == again.replies
    assert (first.calls, again.calls) == (3, 0)
    assert {len(reply.text) for reply in first.replies} == {3}
    assert planner.usage["replies"] == 6
    if not tokenised:
        with GenerationCache() as cache, pytest.raises(StudyError, match="without a tokenizer"):
            ServedPlanner(server, cache, "[", 4).greedy(chats)


@pytest.fixture
def params(tiny_qwen2, fake):
    """A study whose encoder and reranker are a folder and whose planner is served."""
    found = read_params(ROOT / "params.yaml")
    own = PathModel(source="path", path=tiny_qwen2)
    served = spec_of(fake, tokenizer=tiny_qwen2)
    models = {"answer": own, "planner": served, "encoder": own, "reranker": own}
    return found.model_copy(update={"models": models})


def test_stage_models_pins_a_server_and_its_tokenizer(params, fake, tiny_qwen2):
    stage.run(params)
    first = stage.LOCK.read_bytes()
    stage.run(params)
    assert stage.LOCK.read_bytes() == first
    assert fake.url.encode() not in first
    model = locked("planner", served=params.models["planner"])
    assert sorted(path.name for path in model.path.iterdir()) == [
        "chat_template.jinja", "config.json", "tokenizer.json", "tokenizer_config.json",
    ]  # fmt: skip
    assert served_server.open_server(model).abilities == Abilities("tiny", 2048, "logprob_token_ids", 20)
    assert (is_served("planner"), is_served("answer")) == (True, False)
    with pytest.raises(StudyError, match=r"models\.planner: is served"):
        locked("planner")


def test_servers_that_are_not_there_are_told_before_anything_is_removed(params, fake):
    stage.run(params)
    lock = stage.LOCK.read_bytes()
    fake.stop()
    gone = params.models["planner"].model_copy(update={"retries": 0})
    both = params.models | {"planner": gone, "answer": gone.model_copy(update={"model": "other"})}
    with pytest.raises(StudyError, match="no connection") as told:
        stage.run(params.model_copy(update={"models": both}))
    assert str(told.value).count("no connection") == 2
    assert stage.LOCK.read_bytes() == lock


def test_a_served_planner_trains_nothing(params):
    stage.run(params)
    train_nothing()
    assert json.loads(Path("reports/train.json").read_text()) == {}
    assert list(Path("models/planner").iterdir()) == []


def test_usage_is_priced_and_tells_nothing_of_models_in_this_process(params):
    models = params.models | {"planner": params.models["planner"].model_copy(update={"prompt_price": 2.0})}
    counted = Counter(replies=3, requests=4, prompt_tokens=500_000, reply_tokens=12)
    write_usage("mine", {"planner": counted, "answer": counted}, models)
    assert json.loads(Path("reports/usage_mine.json").read_text()) == {
        "planner": {
            "model": "tiny", "replies": 3, "requests": 4, "unmetered": 0, "prompt_tokens": 500_000, "reply_tokens": 12,
            "cost": 1.0,
        }
    }  # fmt: skip
