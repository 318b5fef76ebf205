"""What every section of params.yaml is made of."""

from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field

Seed = Annotated[int, Field(ge=0, lt=2**32)]
Share = Annotated[float, Field(ge=0, le=1)]
FilePath = Annotated[Path, Field(strict=False)]
Name = Annotated[str, Field(pattern=r"^[a-z0-9_+]+$")]
Device = Annotated[str, Field(pattern=r"^(auto|cpu|mps|cuda(:\d+)?)$")]


class Section(BaseModel):
    """A part of params.yaml. Unknown keys are errors: a misspelt one must not fall back to a default.

    Numbers are finite.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)
