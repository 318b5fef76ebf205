"""Sections answer and route: what is asked, and which policy is asked for a question."""

from typing import Annotated, Literal, Self

from pydantic import Field, PositiveInt, model_validator

from plancheck.params.section import Device, FilePath, Section, Seed


class Answer(Section):
    mode: Literal["generate", "likelihood"]
    prompt: FilePath | None = Field(default=None, description="template of the prompt; null: ours for the mode")
    max_new_tokens: PositiveInt
    pass_tokens: PositiveInt = Field(
        description="most tokens that the model reads at once; what a question's prompts share is read once, whatever "
        "the value. Larger is faster up to a point, and takes memory"
    )
    batch_size: PositiveInt = Field(description="replies generated at once (generate)")
    device: Device
    dtype: Literal["float32", "bfloat16", "float16"]


RouterName = Literal["logistic", "forest", "boosting", "domain_rule", "train_default"]


class Route(Section):
    """Routers that choose a policy for each question, at one budget: of two, or of the best control of each tier."""

    seed: Seed = Field(description="of the folds and of the routers")
    budget_chars: PositiveInt
    control: str = Field(description="of the two, the policy that a router falls back on")
    planner: str = Field(description="of the two, the policy that a router may choose instead")
    folds: Annotated[int, Field(ge=2)] = Field(description="of the stratified scheme")
    routers: Annotated[list[RouterName], Field(min_length=1)]

    @model_validator(mode="after")
    def distinct(self) -> Self:
        if self.control == self.planner:
            raise ValueError(f"control and planner must be two policies, both are {self.control!r}")
        if len(set(self.routers)) != len(self.routers):
            raise ValueError("routers holds a router twice")
        return self
