"""`plancheck estimate`. What it reads with is imported when it runs."""

import functools
import json
from typing import Annotated, Final

import typer

from plancheck.plumbing.errors import StudyError

HELP: Final = """
Say what a study will ask of its models, how long that takes and what it costs, before anything runs.

Nothing is fetched or written. What earlier stages made is counted; the rest is estimated, or \
bounded where only a bound is known, and says so.

Example: plancheck estimate --profile longbench_v2 --questions 503 --context-chars 900000 --tokens-per-second 60000
"""


def estimate(
    profile: Annotated[
        str | None, typer.Option("--profile", metavar="NAME", help="Of this profile; else of params.yaml as it is.")
    ] = None,
    override: Annotated[
        list[str] | None, typer.Option("-S", metavar="SECTION.NAME=VALUE", help="Change the profile so; repeatable.")
    ] = None,
    questions: Annotated[
        int | None, typer.Option("--questions", min=1, help="The benchmark is not here: so many questions.")
    ] = None,
    context_chars: Annotated[
        int | None,
        typer.Option("--context-chars", min=1, help="With --questions: characters of a context, in the mean."),
    ] = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="Measure how fast the models here read and reply, on 20 prompts each.")
    ] = False,
    tokens_per_second: Annotated[
        float | None, typer.Option("--tokens-per-second", min=0.001, help="Of prompts read, all workers together.")
    ] = None,
    reply_tokens_per_second: Annotated[
        float | None, typer.Option("--reply-tokens-per-second", min=0.001, help="Generated, all workers together.")
    ] = None,
    price_per_million: Annotated[
        float | None, typer.Option("--price-per-million", min=0, help="Of prompt tokens; else as models say.")
    ] = None,
    reply_price_per_million: Annotated[
        float | None, typer.Option("--reply-price-per-million", min=0, help="Of generated tokens; else as prompts.")
    ] = None,
    chars_per_token: Annotated[
        float | None, typer.Option("--chars-per-token", min=0.1, help="In place of what the tokenizers count.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    from plancheck.estimating.composed import composed
    from plancheck.estimating.cost import Prices, Rates
    from plancheck.estimating.material import Size, read_material
    from plancheck.estimating.report import as_json as json_of
    from plancheck.estimating.report import as_text
    from plancheck.estimating.tokens import read_tokens
    from plancheck.estimating.whole import estimated

    if (questions is None) != (context_chars is None):
        raise StudyError("--questions and --context-chars go together: they stand for the benchmark.")
    if measure and tokens_per_second is not None:
        raise StudyError("--measure or --tokens-per-second: a rate is measured or given.")
    if reply_price_per_million is not None and price_per_million is None:
        raise StudyError("--reply-price-per-million goes with --price-per-million.")
    params = composed(profile, override or ())
    size = None if questions is None or context_chars is None else Size(questions, context_chars)
    made = profile is None and size is None
    material = read_material(params, made=made, size=size)
    tokens = functools.cache(lambda role: read_tokens(role, material, params, chars_per_token=chars_per_token))
    rates = prices = None
    if measure:
        from plancheck.estimating.measuring import measured

        rates = measured(material, params)
    elif tokens_per_second is not None:
        rates = Rates("given", {"causal": tokens_per_second}, reply_tokens_per_second)
    if price_per_million is not None:
        reply_price = price_per_million if reply_price_per_million is None else reply_price_per_million
        prices = Prices(price_per_million, reply_price)
    found = estimated(params, material, tokens, made=made, rates=rates, prices=prices)
    print(json.dumps(json_of(found), indent=2) if as_json else as_text(found))
