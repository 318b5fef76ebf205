"""When two texts count as alike in the leakage audit."""

from typing import Annotated

from pydantic import Field, PositiveInt

from plancheck.params.section import Section

Threshold = Annotated[float, Field(gt=0, le=1)]


class Leakage(Section):
    """Texts are compared as sets of shingles, runs of so many words.

    The defaults: five words as in Lee and others (2022, https://doi.org/10.18653/v1/2022.acl-long.577), and less strict
    thresholds than their 0.8, for here a pair is looked at and not thrown away.
    """

    context_words: PositiveInt = Field(5, description="words of a context's shingle")
    sample: PositiveInt = Field(16, description="one of so many shingles is kept to find pairs, which are then checked")
    jaccard: Threshold = Field(0.5, description="contexts are near from this Jaccard index on")
    containment: Threshold = Field(0.8, description="a context holds another from this share of the smaller one on")
    question_words: PositiveInt = Field(3, description="words of a question's or a choice's shingle")
    question_jaccard: Threshold = Field(0.8, description="questions with their choices are near from this on")
