"""How many questions would tell what this many cannot."""

from typing import Any

import pandas as pd

from plancheck.page.study import Study
from plancheck.reporting.paired import questions_needed


def enough(study: Study, rows: pd.DataFrame) -> str:
    """As in "about 900 to 1,600 questions would tell a gain of 5 points", over rows of the ladder; "" where unknown.

    As the ladder's sentences count them: with the study's power, at the level that no adjustment exceeds, and at the
    discordance seen. More discordance takes more questions, so the ends are those of the least and the greatest; a row
    of less discordance than the margin has no number.
    """
    known = rows[rows["discordance"] >= study.margin]
    if known.empty:
        return ""
    ends = known.loc[[known["discordance"].idxmin(), known["discordance"].idxmax()]].to_dict("records")
    least, most = (needed(study, row) for row in ends)
    if least is None or most is None:
        return ""
    span = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f"about {span} questions would tell a gain of {100 * study.margin:g} points"


def needed(study: Study, row: dict[Any, Any]) -> int | None:
    alpha = (1 - study.confidence) / row["tests"]
    return questions_needed(study.margin, row["discordance"], alpha=round(alpha, 12), power=study.power)
