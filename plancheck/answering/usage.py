"""What the replies of servers cost: reports/usage_STAGE.json."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from plancheck.params.models import ServedModel
from plancheck.params.section import Section
from plancheck.plumbing.files import write_json

REPORTS = Path("reports")


def write_usage(stage: str, usage: Mapping[str, Counter[str]], models: Mapping[str, Section]) -> None:
    """By served role, what the replies in use cost, whenever they were asked for; nothing for models in this process.

    ``cost`` is by the prices in the parameters, null without one. ``unmetered`` replies came without a count of tokens.
    """
    told = {}
    for role, counted in usage.items():
        model = models[role]
        if not isinstance(model, ServedModel):
            continue
        cost = counted["prompt_tokens"] * model.prompt_price + counted["reply_tokens"] * model.reply_price
        told[role] = {
            "model": model.model,
            **{name: counted[name] for name in ("replies", "requests", "unmetered", "prompt_tokens", "reply_tokens")},
            "cost": round(cost / 1e6, 6) if model.prompt_price + model.reply_price else None,
        }
    write_json(REPORTS / f"usage_{stage}.json", told)
