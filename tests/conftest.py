"""A tiny Qwen2 with random weights and a tokenizer made here: the published model's code path without its weights."""

import logging
from pathlib import Path

import pytest
import yaml
from _pytest.nodes import coerce_node_id

TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TEXTS = [
    "Where is the mill?",
    "The mill is in Tarn. Where is the mill? Say it in a word.",
    "Who?",
    "A B C D",
    " A B C D",
    "The needed passages are [2] [5].",
]


@pytest.fixture(scope="session")
def cases():
    """The folder of small inputs that failed once; each is named after what is wrong with it."""
    return Path(__file__).parent / "cases"


@pytest.fixture(scope="session")
def composed(tmp_path_factory):
    """The parameters of a profile as plain values, with overrides."""
    from dvc.utils.hydra import compose_and_dump  # takes a second, which most files need not wait for

    folder = tmp_path_factory.mktemp("params")

    def compose(profile, *overrides):
        path = folder / f"{profile}.yaml"
        conf = str(Path(__file__).parents[1] / "conf")
        compose_and_dump(path, conf, None, "config", conf, [f"profile={profile}", *overrides])
        return yaml.safe_load(path.read_text())

    return compose


@pytest.fixture
def plancheck(monkeypatch, capfdbinary):
    """Runs the program: exit status, and what it printed on each stream."""
    from plancheck import cli

    monkeypatch.setattr(logging.getLogger("plancheck"), "handlers", [])  # pytest's stderr is another in each test

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["plancheck", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capfdbinary.readouterr()
        assert b"Traceback" not in err
        return ended.value.code or 0, out.decode(), err.decode()

    return run


PASSED = "plancheck/passed"


class Grouped:
    """Gives a test the name under which xdist sends it to a worker: with its group.

    xdist 3.8 writes it where pytest 9.2 no longer looks, so that every test was a group of its own and both workers
    made the fixtures of a file.
    """

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        for item in items:
            if (name := vars(item).get("_nodeid")) and name != item.nodeid:
                item._id = coerce_node_id(name)


def pytest_addoption(parser):
    parser.addoption(
        "--go-on", action="store_true", help="leave out what has passed since the last run of all tests began"
    )


def pytest_configure(config):
    config.pluginmanager.register(Grouped())
    if config.pluginmanager.hasplugin("cacheprovider") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Passed(config))


class Passed:
    """Notes in pytest's cache which tests have passed; in the process that starts the workers alone."""

    def __init__(self, config):
        self.cache = config.cache
        if config.args_source is config.ArgsSource.TESTPATHS and not config.getoption("--go-on"):
            self.cache.set(PASSED, [])
        self.names = set(self.cache.get(PASSED, []))

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.names.discard(report.nodeid)
        elif report.when == "call" and report.passed:
            self.names.add(report.nodeid)

    def pytest_sessionfinish(self):
        self.cache.set(PASSED, sorted(self.names))


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config, items):
    """A worker takes a file, or the group that a test names, at a time.

    The real pipeline, which takes longest, comes first. What is done with the study that it makes comes in the middle:
    the other worker need not wait for it, and small files are left, with which the workers end together.
    """
    files = [path for path in dict.fromkeys(item.path for item in items) if path.name != "test_end_to_end.py"]
    places = {path: 2 * number for number, path in enumerate(files)}

    def place(item):
        if item.path in places:
            return places[item.path]
        return len(files) if item.get_closest_marker("xdist_group") else -1

    items.sort(key=place)
    for item in items:
        if not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.path.relative_to(item.config.rootpath).as_posix()))
    if config.getoption("--go-on"):
        items[:] = left(items, passed=set(config.cache.get(PASSED, [])))


def left(items, passed):
    """The tests that have not passed, whether a worker ran them, which adds the group to the name, or not."""

    def names(item):
        return {item.nodeid, f"{item.nodeid}@{item.get_closest_marker('xdist_group').args[0]}"}

    return [item for item in items if not names(item) & passed]


@pytest.fixture(scope="session")
def tiny_qwen2(tmp_path_factory):
    """A folder in Transformers' format; the model reads up to 2,048 tokens. Copy it before changing it."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from tokenizers.decoders import ByteLevel
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

    path = tmp_path_factory.mktemp("qwen2")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(TEXTS * 20, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    fast.chat_template = TEMPLATE
    fast.save_pretrained(path)
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=len(fast),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=2048,
        eos_token_id=fast.eos_token_id,
        pad_token_id=fast.pad_token_id,
        initializer_range=0.3,
    )
    Qwen2ForCausalLM(config).save_pretrained(path)
    return path
