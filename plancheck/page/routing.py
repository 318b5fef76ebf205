"""The section of the oracle gap and the routers."""

from typing import Final

import pandas as pd

from plancheck.page.charts.intervals import routers
from plancheck.page.study import Picture, Section, Study, figure, questions_of
from plancheck.reporting.rounding import percent
from plancheck.reporting.routing_table import NOTHING, ROUTING

KINDS: Final = {
    "oracle": "oracle, an upper bound that knows the gold letter",
    "deployable": "deployable, leakage-safe",
    "fixed": "fixed, best single policy of each training fold",
    "optimistic": "optimistic, fitted or picked on the questions it is tested on",
}
SCHEMES: Final = {
    "none": "",
    "stratified": ", stratified folds",
    "leave_one_domain_out": ", leave one domain out",
    "in_sample": ", in sample",
}
AMONG: Final = {"controls": ", among controls"}  # of the others their names and kinds say it


def routing_section(study: Study) -> Section:
    lead = (
        "How much a perfect choice between policies could bring, and how much of it a router gets that sees only what "
        "is known before the answer."
    )
    return Section("routing", "Oracle gap and routers", lead, (figure(study, ROUTING, routing_picture, id="routers"),))


def routing_picture(study: Study, table: pd.DataFrame) -> Picture:
    rows = pd.DataFrame(
        {
            "label": [
                f"{router}{AMONG.get(among, '')}{SCHEMES.get(scheme, f', {scheme}')}"
                for router, among, scheme in zip(table["router"], table["among"], table["scheme"], strict=True)
            ],
            "kind": [KINDS.get(kind, kind) for kind in table["kind"]],
            "accuracy": table["accuracy"],
            "low": table["wilson_low"],
            "high": table["wilson_high"],
        }
    )
    caption = (
        f"Accuracy with Wilson {study.percent} intervals, {questions_of(table)} questions. Routers choose between the "
        "planner and its control, as oracle_pair does, or among controls alone: the best of each tier in the questions "
        "that they learn from, which is what the ladder's last tier is made of. oracle_all chooses among all policies. "
        f"Only deployable routers could be used. Dotted: a blind guess, {percent(study.chance)} %. Differences in the "
        "table are against the best single policy: of the training folds for routers with folds, which also have an "
        "exact sign test; of the same questions for oracles and what was fitted in sample."
    )
    described = f"Accuracy of {len(rows)} oracles and routers, with intervals."
    chart = routers(rows, chance=study.chance, description=described)
    if (table["baseline"] == NOTHING).any():
        caption += " Where the best single policy is of nothing_learned, a fold left nothing to learn from."
    return Picture(caption, {"": chart})
