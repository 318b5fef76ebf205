"""Questions with contexts of numbered words, and a planner in a few lines."""

import hashlib
from types import SimpleNamespace

import pytest

from plancheck.planning.plans import Pool
from plancheck.planning.replies import Planner
from plancheck.records import Atom, Question, Span

EVIDENCE = (Span(45, 60),)


class Memory(dict):
    def get(self, keys):
        return {key: self[key] for key in keys if key in self}

    def put(self, replies):
        self.update(replies)


class Model:
    """Names passages by its seed alone; asked greedily it names the second."""

    max_tokens = 10_000

    def __init__(self, fails=False):
        self.seeds, self.prompts, self.fails = [], [], fails

    def tokens(self, messages, reply_start=""):
        return [ord(letter) for letter in messages[0]["content"] + reply_start]

    def sample(self, prompt, *, seeds, temperature, top_p, max_new_tokens, complete):
        if self.fails:
            raise RuntimeError("no memory")
        self.seeds += seeds
        return [f"{seed % 3 + 1}] and [{seed % 2 + 1}]." for seed in seeds]

    def greedy(self, prompts, *, max_new_tokens, complete):
        texts = ["".join(map(chr, prompt)) for prompt in prompts]
        if self.fails and any(self.fails in text for text in texts):
            raise RuntimeError("no memory")
        self.prompts += texts
        self.complete = [one("2] is needed.") for one in complete]
        return ["2] is needed."] * len(prompts)


def make_pool(question_id="q", *, atoms=5, size=40, overlap=0, evidence=EVIDENCE, candidates=None, **changes):
    context = " ".join(f"{number:05d}" for number in range(atoms * size // 6 + 1))[: atoms * size]
    context_id = hashlib.sha256(context.encode()).hexdigest()
    every = tuple(
        Atom(f"a{number}", context_id, max(number * size - overlap, 0), (number + 1) * size, 0)
        for number in range(atoms)
    )
    values = {
        "question_id": question_id,
        "domain": "Single",
        "sub_domain": "s",
        "difficulty": "hard",
        "length": "short",
        "question": "Where is the mill?",
        "choices": ("in Tarn", "by the river", "nowhere", "at sea"),
        "answer": "A",
        "context_id": context_id,
        "evidence": evidence,
    }
    chosen = every if candidates is None else tuple(every[number] for number in candidates)
    return SimpleNamespace(pool=Pool(Question(**{**values, **changes}), context, chosen), atoms=every)


@pytest.fixture
def pool_of():
    return make_pool


@pytest.fixture
def planner_of():
    def make(model=None, replies=None, **changes):
        values = {
            "identity": "m",
            "reply_start": "The needed passages are [",
            "max_new_tokens": 8,
            "errors_are_rows": False,
        }
        model = Model() if model is None else model
        return Planner(model, Memory() if replies is None else replies, **{**values, **changes})

    make.model, make.memory = Model, Memory
    return make
