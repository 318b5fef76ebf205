"""What each stage asks of a model: prompts and tokens, each counted, estimated or bounded."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from plancheck.answering.prompt import asker
from plancheck.estimating.material import Material
from plancheck.estimating.showing import Shown
from plancheck.estimating.tokens import Tokens
from plancheck.params.models import TunedModel
from plancheck.params.rankings import CrossEncoder, Dense, cross_encoders
from plancheck.params.selectors import PlannerSelector
from plancheck.params.study import Params
from plancheck.planning.prompt import planner_messages, reply_start
from plancheck.plumbing.files import DATA, read_table
from plancheck.records import Atom, Question

Kind = Literal["counted", "estimated", "at most"]
Reader = Literal["causal", "encoder", "reranker"]

TRAINING_READS: Final = (
    3  # a step of training costs about what reading its tokens three times does (Kaplan et al., 2020)
)
SFT = Path("data/sft/train.jsonl")
MOST_TOKENS: Final[Mapping[Reader, int]] = {"encoder": 256, "reranker": 512}  # of the models of every profile


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, and whether it was counted, is an estimate, or a bound that it cannot exceed."""

    value: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class Line:
    """What a stage asks of a model.

    Attributes:
        stage: as in dvc.yaml.
        what: is asked.
        reader: what kind of model reads.
        role: of the model.
        prompts: requests, as a server would be sent them.
        prompt_tokens: in them.
        read_tokens: what is left to read when beginnings that prompts of a question share are read once; None where
            that is not known. Of a training, what it costs as much as to read.
        reply_tokens: generated, or choices scored as replies.
        scored: whether the replies are given and only read.
        instead: whether the line stands for the one before it, with which it is not added.
    """

    stage: str
    what: str
    reader: Reader
    role: str
    prompts: Amount
    prompt_tokens: Amount
    read_tokens: Amount | None
    reply_tokens: Amount
    scored: bool = False
    instead: bool = False


def weaker(*kinds: Kind) -> Kind:
    """The kind of what is made of such numbers."""
    return "at most" if "at most" in kinds else "estimated" if "estimated" in kinds else "counted"


NOTHING: Final = Amount(0, "counted")


def answering(shown: Shown, kind: Kind, what: str, params: Params, tokens: Tokens, *, instead: bool = False) -> Line:
    """Stage answer, of prompts that were counted, tried or bounded."""
    chars = shown.chars + shown.question_chars
    prompt_tokens = tokens.of(chars, chats=shown.prompts)
    about = weaker(kind, "estimated")
    likelihood = params.answer.mode == "likelihood"
    replies = tokens.of(shown.choice_chars) if likelihood else shown.prompts * params.answer.max_new_tokens
    return Line(
        "answer", what, "causal", "answer", Amount(shown.prompts, kind), Amount(prompt_tokens, about),
        None if shown.fresh is None else Amount(round(prompt_tokens * shown.fresh), about),
        Amount(replies, about if likelihood else "at most"), scored=likelihood, instead=instead,
    )  # fmt: skip


def before_answering(
    material: Material, params: Params, tokens: Callable[[str], Tokens], *, made: bool
) -> Iterator[Line]:
    """The stages before answer that call a model, in their order; what earlier stages made is counted."""
    yield from retrieving(material, params, tokens)
    yield from reranking(material, params, tokens, tuned=False)
    yield from mining(material, params, tokens, made=made)
    rows = sft_rows() if made else None
    yield training(material, params, tokens, rows)
    yield from tuning(material, params, tokens, rows)
    yield from planning(material, params, tokens)


def retrieving(material: Material, params: Params, tokens: Callable[[str], Tokens]) -> Iterator[Line]:
    most = MOST_TOKENS["encoder"]
    for name, spec in params.rankings.items():
        if not isinstance(spec, Dense):
            continue
        reads = tokens(spec.model)
        sizes = [atom.end - atom.start for own in material.atoms.values() for atom in own]
        queries = sum(min(reads.of(question_chars(one)), most) for one in material.questions)
        atoms = sum(reads.of(size) if spec.coverage == "windows" else min(reads.of(size), most) for size in sizes)
        count = len(sizes) + len(material.questions)
        yield reading("retrieve", f"{name}: atoms and questions encoded", "encoder", spec.model, count, queries + atoms)


def reranking(material: Material, params: Params, tokens: Callable[[str], Tokens], *, tuned: bool) -> Iterator[Line]:
    for name, spec in cross_encoders(params.rankings, params.tune.role, tuned=tuned).items():
        pairs = [(question, atom) for question in material.questions for atom in candidates(question, material, params)]
        reads = tokens(params.tune.base if tuned else spec.model)
        total = sum(pair_tokens(question, atom, spec, params, reads) for question, atom in pairs)
        stage = "tune" if tuned else "rerank"
        yield reading(stage, f"{name}: candidates ranked", "reranker", spec.model, len(pairs), total)


def reading(stage: str, what: str, reader: Reader, role: str, count: int, total: int) -> Line:
    read = Amount(total, "estimated")
    return Line(stage, what, reader, role, Amount(count, "counted"), read, read, NOTHING)


def pair_tokens(question: Question, atom: Atom, spec: CrossEncoder, params: Params, reads: Tokens) -> int:
    chars = min(atom.end - atom.start, spec.chars(params.planner.snippet_chars) or atom.end)
    query, most = reads.of(question_chars(question)), MOST_TOKENS["reranker"]
    if not spec.in_parts:
        return min(query + reads.of(chars), most)
    parts = -(-reads.of(chars) // max(most - query, most // 2))
    return parts * query + reads.of(chars)


def mining(material: Material, params: Params, tokens: Callable[[str], Tokens], *, made: bool) -> Iterator[Line]:
    learning = material.splits["train"] + material.splits["dev"]
    samples, planner = params.mine.samples, tokens("planner")
    one = planner_tokens(material, params, planner) + planner.of(len(reply_start(begin_reply=params.mine.begin_reply)))
    yield Line(
        "mine", "plans sampled", "causal", "planner", Amount(learning * samples, "counted"),
        Amount(learning * samples * one, "estimated"), Amount(learning * one, "estimated"),
        Amount(learning * samples * params.planner.max_new_tokens, "at most"),
    )  # fmt: skip
    executed = executed_plans(learning * samples) if made else None
    if executed is None:
        shown, kind, prompts = params.mine.budget_chars * learning * samples, "at most", learning * samples
    else:
        (prompts, shown), kind = executed, "counted"
    yield plans_executed(material, params, tokens("answer"), prompts, shown, kind)  # type: ignore[arg-type]


def plans_executed(material: Material, params: Params, reads: Tokens, prompts: int, shown: int, kind: Kind) -> Line:
    messages = asker(params.answer)
    beside = mean([len(messages(one, "x")[0]["content"]) - 1 for one in material.questions])
    choices = mean([sum(map(len, one.choices)) for one in material.questions])
    likelihood = params.answer.mode == "likelihood"
    about = weaker(kind, "estimated")
    total = Amount(reads.of(shown + prompts * beside, chats=prompts), about)
    replies = reads.of(prompts * choices) if likelihood else prompts * params.answer.max_new_tokens
    return Line(
        "mine", "plans executed alone", "causal", "answer", Amount(prompts, kind), total, total,
        Amount(replies, about if likelihood else "at most"), scored=likelihood,
    )  # fmt: skip


def executed_plans(sampled: int) -> tuple[int, int] | None:
    """How many distinct plans were executed, and the characters they showed; None where data/traces.parquet is not of
    so many sampled plans.
    """
    path = DATA / "traces.parquet"
    if not path.exists():
        return None
    rows = read_table(path, columns=["parsed", "duplicate_of", "chars"]).to_pylist()
    if len(rows) != sampled:
        return None
    executed = [row["chars"] or 0 for row in rows if row["parsed"] and row["duplicate_of"] is None]
    return len(executed), sum(executed)


def training(material: Material, params: Params, tokens: Callable[[str], Tokens], rows: int | None) -> Line:
    """LoRA training: at most a row for each train question; each is read and learned from once an epoch."""
    reads = tokens("planner")
    kind: Kind = "at most" if rows is None else "counted"
    count = (material.splits["train"] if rows is None else rows) * params.train.epochs
    total = count * (planner_tokens(material, params, reads) + reads.of(8 * params.planner.max_atoms))
    about = weaker(kind, "estimated")
    return Line(
        "train", f"rows in {params.train.epochs} epoch(s), as {TRAINING_READS} readings", "causal", "planner",
        Amount(count, kind), Amount(total, about), Amount(TRAINING_READS * total, about), NOTHING,
    )  # fmt: skip


def tuning(material: Material, params: Params, tokens: Callable[[str], Tokens], rows: int | None) -> Iterator[Line]:
    tuned = cross_encoders(params.rankings, params.tune.role, tuned=True)
    if not tuned:
        return
    spec = next(iter(tuned.values()))
    kind: Kind = "at most" if rows is None else "counted"
    questions = material.splits["train"] if rows is None else rows
    pool = [(one, atom) for one in material.questions for atom in candidates(one, material, params)]
    pairs = round(questions * len(pool) / len(material.questions)) * params.tune.epochs
    reads = tokens(params.tune.base)
    each = mean([pair_tokens(one, atom, spec, params, reads) for one, atom in pool])
    total, about = round(pairs * each), weaker(kind, "estimated")
    yield Line(
        "tune", f"pairs in {params.tune.epochs} epoch(s), as {TRAINING_READS} readings", "reranker", params.tune.base,
        Amount(pairs, kind), Amount(total, about), Amount(TRAINING_READS * total, about), NOTHING,
    )  # fmt: skip
    yield from reranking(material, params, tokens, tuned=True)


def planning(material: Material, params: Params, tokens: Callable[[str], Tokens]) -> Iterator[Line]:
    count = len(material.questions)
    for name, selector in params.selectors.items():
        if not isinstance(selector, PlannerSelector):
            continue
        total = Amount(count * planner_tokens(material, params, tokens(selector.model)), "estimated")
        replies = Amount(count * params.planner.max_new_tokens, "at most")
        yield Line("plan", f"{name}: plans", "causal", selector.model, Amount(count, "counted"), total, total, replies)


def planner_tokens(material: Material, params: Params, reads: Tokens) -> int:
    """Tokens of the mean planner prompt."""
    lengths = []
    for question in material.questions:
        most = params.planner.snippet_chars
        shown = ["x" * min(atom.end - atom.start, most or atom.end) for atom in candidates(question, material, params)]
        lengths.append(len(planner_messages(question, shown, params.planner)[0]["content"]))
    return reads.of(mean(lengths), chats=1)


def candidates(question: Question, material: Material, params: Params) -> tuple[Atom, ...]:
    """As many atoms as the question's pool will have: which ones is not known."""
    return material.atoms[question.context_id][: params.retrieve.pool.size]


def question_chars(question: Question) -> int:
    """Of the query: question and choices."""
    return len(question.question) + sum(len(choice) + 1 for choice in question.choices)


def sft_rows() -> int | None:
    if not SFT.exists():
        return None
    with SFT.open(encoding="utf-8") as lines:
        return sum(bool(json.loads(line)) for line in lines)


def made_rerankers(params: Params) -> int:
    """Cross-encoders that stage models tunes on generated questions; what they cost is not estimated."""
    return sum(isinstance(model, TunedModel) for model in params.models.values())


def mean(values: list[int]) -> float:
    return sum(values) / len(values) if values else 0.0
