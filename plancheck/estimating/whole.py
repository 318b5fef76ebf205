"""The whole estimate: every stage's demand, the rates and the prices."""

from collections.abc import Callable

from plancheck.estimating import showing
from plancheck.estimating.cost import Prices, Rates
from plancheck.estimating.demand import Kind, answering, before_answering
from plancheck.estimating.material import Material
from plancheck.estimating.report import Estimate
from plancheck.estimating.tokens import Tokens
from plancheck.params.study import Params

PACKED = "Distinct prompts are counted in data/packed.parquet."
UNPACKED = (
    "Contexts are not packed yet, so distinct prompts are bounded by the conditions; the line below it packs some "
    "questions on trial, with rankings and plans drawn at random. Real ones agree more often: fewer prompts are likely."
)


def estimated(
    params: Params,
    material: Material,
    tokens: Callable[[str], Tokens],
    *,
    made: bool,
    rates: Rates | None,
    prices: Prices | None,
) -> Estimate:
    """What the study asks, by stage in their order.

    Args:
        params: of the study.
        material: what it is made of.
        tokens: how the model of a role reads.
        made: whether what is in data/ is of these parameters.
        rates: None without any.
        prices: None for those of the served models.
    """
    lines = list(before_answering(material, params, tokens, made=made))
    reads = tokens("answer")
    kind: Kind = "counted"
    if made and (shown := showing.packed(material, params)):
        lines.append(answering(shown, "counted", "distinct prompts", params, reads))
        said = PACKED
    else:
        lines.append(answering(showing.bound(material, params), "at most", "distinct prompts", params, reads))
        shown = showing.tried(material, params)
        lines.append(answering(shown, "estimated", "as packed on trial", params, reads, instead=True))
        kind, said = "estimated", UNPACKED
    roles = {line.role: tokens(line.role) for line in lines if line.reader == "causal"}
    return Estimate(params, material, lines, shown, kind, made, said, roles, rates, prices)
