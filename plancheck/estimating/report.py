"""An estimate as text and as JSON."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from plancheck.estimating.cost import Prices, Rates, counted_lines, disk, money, seconds
from plancheck.estimating.demand import Amount, Kind, Line, weaker
from plancheck.estimating.material import Material
from plancheck.estimating.showing import Shown
from plancheck.estimating.tokens import Tokens
from plancheck.params.study import Params

SIGNS: Mapping[Kind, str] = {"counted": "", "estimated": "~", "at most": "<="}
LEGEND = "No sign: counted. ~: estimated. <=: a bound, at most so many."


@dataclass(frozen=True, slots=True)
class Estimate:
    """All that is told. ``answering`` says how the distinct prompts were found."""

    params: Params
    material: Material
    lines: Sequence[Line]
    shown: Shown
    shown_kind: Kind
    made: bool
    answering: str
    tokens: Mapping[str, Tokens]
    rates: Rates | None
    prices: Prices | None

    @property
    def conditions(self) -> int:
        """Policies times budgets."""
        return len(self.params.shown) * len(self.params.pack.budgets_chars)

    @property
    def hours(self) -> list[tuple[str, tuple[float, Kind] | None]]:
        """By stage; None for a stage part of which has no rate."""
        rates = self.rates
        found: dict[str, list[tuple[float, Kind] | None]] = {}
        if rates is None:
            return []
        for line in counted_lines(self.lines):
            found.setdefault(line.stage, []).append(seconds(line, rates))
        return [(stage, added(parts)) for stage, parts in found.items()]

    @property
    def costs(self) -> list[tuple[str, tuple[float, Kind]]]:
        """By stage that a server is paid for."""
        found: dict[str, list[tuple[float, Kind] | None]] = {}
        for line in counted_lines(self.lines):
            if (cost := money(line, self.params, self.prices)) is not None:
                found.setdefault(line.stage, []).append(cost)
        return [(stage, total) for stage, parts in found.items() if (total := added(parts))]

    @property
    def disk(self) -> dict[str, Amount]:
        return disk(self.material, self.params, self.shown, self.shown_kind, fetched=self.made)


def added(parts: Sequence[tuple[float, Kind] | None]) -> tuple[float, Kind] | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return sum(value for value, _ in known), weaker(*(kind for _, kind in known))


def as_text(found: Estimate) -> str:
    questions, splits = len(found.material.questions), found.material.splits
    budgets = ", ".join(f"{budget:,}" for budget in found.params.pack.budgets_chars)
    sizes = ", ".join(f"{name} {count:,}" for name, count in splits.items())
    lines = [
        f"Profile {found.params.profile}: {questions:,} questions ({sizes}), from {found.material.source}.",
        f"{found.conditions:,} conditions ({len(found.params.shown)} policies at {budgets} characters): "
        f"{questions * found.conditions:,} answers.",
        found.answering,
        *told_tokens(found.tokens),
        "",
        *table(found.lines),
        LEGEND,
        "Read: what is left when beginnings that a question's prompts share are read once. Likelihood answers reply "
        "with their choices. Tokens of a bound are the bound by the characters a token.",
        "",
        *told_hours(found),
        *told_costs(found),
        *told_disk(found),
    ]
    return "\n".join(lines)


def told_tokens(tokens: Mapping[str, Tokens]) -> list[str]:
    return [
        f"{role}: {one.chars_per_token:.2f} characters a token"
        + (f" and {one.chat_tokens} for the chat" if one.chat_tokens else "")
        + (", by its own tokenizer." if one.counted else ", assumed (--chars-per-token; or run `dvc repro models`).")
        for role, one in tokens.items()
    ]


def table(lines: Sequence[Line]) -> list[str]:
    rows = [("stage", "what", "prompts", "prompt tokens", "read", "reply tokens")]
    for line in lines:
        read = "" if line.read_tokens is None else amount(line.read_tokens)
        reply = amount(line.reply_tokens) if line.reply_tokens.value else ""
        what = f"  or {line.what}" if line.instead else line.what
        rows.append((line.stage, what, amount(line.prompts), amount(line.prompt_tokens), read, reply))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def amount(value: Amount) -> str:
    return f"{SIGNS[value.kind]}{value.value:,}"


def told_hours(found: Estimate) -> list[str]:
    if found.rates is None:
        return ["Hours: give --tokens-per-second, or --measure it."]
    lines = [f"Hours, at rates {found.rates.source} ({told_rates(found.rates)}):"]
    lines += [
        f"  {stage:<10} {SIGNS[part[1]]}{part[0] / 3600:.2f}" if part else f"  {stage:<10} not known: a rate is missing"
        for stage, part in found.hours
    ]
    known = [part for _, part in found.hours if part]
    if known:
        total = added(known)
        assert total is not None
        lines.append(f"  {'together':<10} {SIGNS[total[1]]}{total[0] / 3600:.2f}")
    lines.append("  Loading models, gates, routers, tables and the page are not in it: minutes (docs/operating.md).")
    return lines


def told_rates(rates: Rates) -> str:
    told = [f"{reader} {rate:,.0f} tokens/s" for reader, rate in rates.reads.items()]
    if rates.replies == math.inf:
        told.append("replies in it")
    elif rates.replies is not None:
        told.append(f"replies {rates.replies:,.0f} tokens/s")
    return ", ".join(told)


def told_costs(found: Estimate) -> list[str]:
    if not found.costs:
        return []
    total = added([part for _, part in found.costs])
    assert total is not None
    by_stage = ", ".join(f"{stage} {SIGNS[kind]}{value:,.2f}" for stage, (value, kind) in found.costs)
    return [f"Money, in the currency of the prices: {SIGNS[total[1]]}{total[0]:,.2f} ({by_stage})."]


def told_disk(found: Estimate) -> list[str]:
    sizes = ", ".join(f"{name} {SIGNS[one.kind]}{one.value / 1e6:,.1f} MB" for name, one in found.disk.items())
    models = (
        "" if any(name.startswith("models") for name in found.disk) else " Models are not fetched yet and not in it."
    )
    return [f"Disk: {sizes}. DVC's cache keeps a second copy of tables and models.{models}"]


def as_json(found: Estimate) -> dict[str, Any]:
    return {
        "profile": found.params.profile,
        "source": found.material.source,
        "questions": len(found.material.questions),
        "splits": dict(found.material.splits),
        "conditions": found.conditions,
        "tokens": {role: asdict(one) for role, one in found.tokens.items()},
        "stages": [asdict(line) for line in found.lines],
        "rates": None if found.rates is None else {
            "source": found.rates.source, "reads": dict(found.rates.reads), "replies": finite(found.rates.replies)
        },
        "seconds": {stage: valued(part) for stage, part in found.hours},
        "money": {stage: valued(part) for stage, part in found.costs},
        "disk_bytes": {name: asdict(one) for name, one in found.disk.items()},
    }  # fmt: skip


def valued(part: tuple[float, Kind] | None) -> dict[str, Any] | None:
    return None if part is None else {"value": round(part[0], 2), "kind": part[1]}


def finite(rate: float | None) -> float | None:
    """A rate as JSON has it: None for one that is in another, too."""
    return None if rate == math.inf else rate
