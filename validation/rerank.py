"""The rankings of stage rerank."""

import pandas as pd
from great_expectations import ExpectationSuite

from validation.inputs import Inputs
from validation.rankings import table_frames, table_suites

NAME = "rerank"


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    return table_frames(inputs, NAME)


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    return table_suites(inputs, NAME)
