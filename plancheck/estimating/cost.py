"""Hours, money and disk of what a study asks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from plancheck.estimating.demand import Amount, Kind, Line, Reader, weaker
from plancheck.estimating.material import Material
from plancheck.estimating.showing import Shown
from plancheck.params.models import ServedModel
from plancheck.params.rankings import CrossEncoder
from plancheck.params.study import Params

# Bytes on disk of a row (or a character) of a compressed table, as measured on the demo: benchmarks/README.md.
BYTES: Final[Mapping[str, float]] = {
    "atoms": 8, "candidates": 5.4, "rankings": 6.8, "rerank": 16, "packed": 23, "predictions": 32, "plans": 15,
    "questions": 170,
}  # fmt: skip
BYTES_A_CHAR: Final = 0.48  # of a context's text
BYTES_A_REPLY: Final = 260  # in the generation cache: key, choices' likelihoods, index
BYTES_A_LETTER_WEIGHT: Final = 21  # of a generated reply: a number for each of its tokens and letters
REPORTS_BYTES: Final = 12_000_000
WEIGHTS = Path("models")


@dataclass(frozen=True, slots=True)
class Rates:
    """Tokens a second, all workers together; None where it was neither measured nor given.

    ``source`` says which of the two.
    """

    source: str
    reads: Mapping[Reader, float]
    replies: float | None


@dataclass(frozen=True, slots=True)
class Prices:
    """Of a million tokens."""

    prompt: float
    reply: float


def seconds(line: Line, rates: Rates) -> tuple[float, Kind] | None:
    """How long a line takes; None where its reading, or what it generates, has no rate.

    What is generated is at most so much, and so is the time it takes.
    """
    rate = rates.reads.get(line.reader)
    if rate is None:
        return None
    read = line.read_tokens or line.prompt_tokens
    kind = read.kind if line.read_tokens else "at most"
    if line.scored or not line.reply_tokens.value:
        return (read.value + line.reply_tokens.value) / rate, weaker(kind, "estimated")
    if rates.replies is None:
        return None
    return read.value / rate + line.reply_tokens.value / rates.replies, weaker(kind, line.reply_tokens.kind)


def money(line: Line, params: Params, given: Prices | None) -> tuple[float, Kind] | None:
    """What a line costs by the prices given, else by those of its served model; None without a price or a server.

    Every prompt token is priced, for few servers give a discount for what they have read before.
    """
    model = params.models.get(line.role)
    if line.reader != "causal" or line.stage == "train":
        return None
    prices = given
    if prices is None and isinstance(model, ServedModel) and model.prompt_price + model.reply_price:
        prices = Prices(model.prompt_price, model.reply_price)
    if prices is None:
        return None
    scored = line.reply_tokens.value if line.scored else 0
    prompt = (line.prompt_tokens.value + scored) * prices.prompt
    reply = (line.reply_tokens.value - scored) * prices.reply
    return (prompt + reply) / 1e6, weaker(line.prompt_tokens.kind, line.reply_tokens.kind)


def counted_lines(lines: Sequence[Line]) -> list[Line]:
    """Those that are added up: where a line stands for the one before it, that one is left out."""
    kept: list[Line] = []
    for line in lines:
        if line.instead and kept:
            kept.pop()
        kept.append(line)
    return kept


def disk(material: Material, params: Params, shown: Shown, kind: Kind, *, fetched: bool) -> dict[str, Amount]:
    """Bytes by what takes them. DVC's cache keeps one more copy of tables and models."""
    own = {one.question_id: len(material.atoms[one.context_id]) for one in material.questions}
    questions, pairs = len(material.questions), sum(own.values())
    pool = sum(min(params.retrieve.pool.size, atoms) for atoms in own.values())
    crossing = sum(isinstance(spec, CrossEncoder) for spec in params.rankings.values())
    rows = {
        "atoms": sum(map(len, material.atoms.values())), "candidates": pool, "questions": questions,
        "rankings": pairs * (len(params.rankings) - crossing), "rerank": pool * crossing,
        "packed": questions * len(params.shown) * len(params.pack.budgets_chars),
        "predictions": questions * len(params.shown) * len(params.pack.budgets_chars),
        "plans": questions * len(params.selectors),
    }  # fmt: skip
    tables = sum(BYTES[name] * count for name, count in rows.items()) + BYTES_A_CHAR * sum(material.chars.values())
    mined = (material.splits["train"] + material.splits["dev"]) * params.mine.samples
    generated = params.answer.max_new_tokens * 4 * BYTES_A_LETTER_WEIGHT if params.answer.mode == "generate" else 0
    replies = shown.prompts + mined
    cache = replies * (BYTES_A_REPLY + generated) + BYTES_A_REPLY * (rows["plans"] + mined)
    found = {
        "tables (data/)": Amount(round(tables), "estimated"),
        "generation cache": Amount(round(cache), weaker(kind, "at most" if generated else "estimated")),
        "reports": Amount(REPORTS_BYTES, "estimated"),
    }
    if fetched and (weights := folder_bytes(WEIGHTS)):
        found["models (models/)"] = Amount(weights, "counted")
    return found


def folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
