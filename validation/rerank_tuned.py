"""The rows of the reranker tuned on traces: as those of the reranker, and none where params.yaml switches it off."""

import great_expectations.expectations as gxe
import pandas as pd
from great_expectations import ExpectationSuite

from validation.inputs import Inputs, table_file
from validation.rerank import pool_frames, pool_suites
from validation.suites import suite

NAME = "rerank_tuned"


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    return pool_frames(inputs, NAME)


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    if inputs.params.tune.enabled:
        return pool_suites(NAME)
    empty = gxe.ExpectTableRowCountToEqual(value=0, description="there are no rows (tune.enabled)")
    return [suite(NAME, table_file(NAME), empty)]
