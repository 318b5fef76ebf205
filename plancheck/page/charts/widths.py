"""How charts fit: as wide as the page lets them; their heights are numbers, for Vega-Lite fits no height by step."""

from typing import Final

import altair as alt

# The width is the container's, axis labels included; the height is that of the plot, to which labels are added.
WIDTH: Final = alt.AutoSizeParams(type="fit-x", contains="padding")
