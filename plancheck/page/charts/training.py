"""The planner's training loss."""

import altair as alt
import pandas as pd
from altair.typing import ChartType

from plancheck.page.charts.widths import WIDTH


def loss_curve(losses: list[float], *, early_step: int | None, dev_loss: float | None, description: str) -> ChartType:
    """Loss of each optimiser step in nats, with the step of the early adapter and the loss on dev rows at the end.

    Args:
        losses: of steps 1, 2, ...; not empty.
    """
    data = pd.DataFrame({"step": range(1, len(losses) + 1), "loss": losses})
    x = alt.X("step:Q", title="Optimiser step", axis=alt.Axis(tickMinStep=1))
    layers = [
        alt.Chart(data)
        .mark_line(color="#d55e00", point=alt.OverlayMarkDef(color="#d55e00", filled=True, size=40))
        .encode(x=x, y=alt.Y("loss:Q", title="Loss, nats"), tooltip=["step:Q", "loss:Q"])
    ]
    if early_step is not None:
        early = pd.DataFrame({"step": [early_step], "label": ["early adapter"]})
        layers.append(alt.Chart(early).mark_rule(strokeDash=[4, 3]).encode(x=x))
        layers.append(
            alt.Chart(early).mark_text(align="left", dx=5, baseline="top").encode(x=x, y=alt.value(2), text="label:N")
        )
    if dev_loss is not None:
        last = pd.DataFrame({"step": [len(losses)], "loss": [dev_loss], "what": ["dev rows, after the last step"]})
        layers.append(
            alt.Chart(last).mark_point(size=110, strokeWidth=2, shape="diamond", opacity=1).encode(
                x=x, y="loss:Q", tooltip=["what:N", "loss:Q"]
            )
        )  # fmt: skip
    return alt.layer(*layers).properties(width="container", autosize=WIDTH, height=240, description=description)
