"""Sections planner, mine, train, plan and tune: what learns from traces."""

from typing import Annotated, Literal

from pydantic import Field, PositiveInt, field_validator

from plancheck.params.section import Device, FilePath, Name, Section, Seed
from plancheck.plumbing.errors import doubled


class Planner(Section):
    """What the planner is shown and how it replies; shared by mine, rows, train and plan."""

    prompt: FilePath | None = Field(default=None, description="template of the prompt; null: ours")
    max_atoms: PositiveInt = Field(description="most atoms of a plan; those a reply names beyond it are left out")
    snippet_chars: PositiveInt | None = Field(
        description="characters of a candidate that the planner sees, around the words it shares with the question; "
        "null shows the whole atom"
    )
    max_new_tokens: PositiveInt
    device: Device
    dtype: Literal["float32", "bfloat16", "float16"]


class Mine(Section):
    """Plans sampled from the base model and executed alone."""

    seed: Seed
    samples: PositiveInt
    begin_reply: bool = Field(
        description="begin each sampled reply for the base model, up to its first passage number; the planner learns "
        "the whole reply, and nothing is begun for it when it plans"
    )
    temperature: Annotated[float, Field(gt=0)]
    top_p: Annotated[float, Field(gt=0, le=1)]
    budget_chars: PositiveInt = Field(description="characters of context an executed plan may fill")


Layer = Annotated[str, Field(pattern=r"^[A-Za-z0-9_]+$")]


class Train(Section):
    """LoRA fine-tuning of the planner on rewarded plans."""

    seed: Seed
    lora_r: PositiveInt
    lora_alpha: PositiveInt
    lora_dropout: Annotated[float, Field(ge=0, lt=1)]
    lora_targets: Literal["all-linear"] | Annotated[list[Layer], Field(min_length=1)] = Field(
        description="linear layers that are adapted, by the last part of their names; all-linear: all but the output"
    )
    learning_rate: Annotated[float, Field(gt=0)]
    epochs: PositiveInt
    batch_size: PositiveInt
    accumulation: PositiveInt = Field(description="batches in one optimiser step")
    partial_accumulation: Literal["drop", "keep"]
    early_step: PositiveInt = Field(description="optimiser step whose adapter is kept as sft_early")
    max_tokens: PositiveInt = Field(description="longest row, prompt and completion together")
    threads: PositiveInt = Field(
        description="CPU threads of the training; another number changes the adapter's last digits"
    )
    device: Device
    dtype: Literal["float32", "bfloat16"]

    @field_validator("lora_targets")
    @classmethod
    def distinct_layers(cls, value: str | list[str]) -> str | list[str]:
        if isinstance(value, list) and (twice := doubled(value)):
            raise ValueError(f"{', '.join(map(repr, twice))} comes twice")
        return value


class Plan(Section):
    """What decides the plans of the selectors that draw at random."""

    seed: Seed


class Tune(Section):
    """The matched-supervision control: a cross-encoder tuned on the rewarded traces. Off: `enabled: false`."""

    enabled: bool
    base: Name = Field(description="role of the cross-encoder that is tuned")
    role: Name = Field(description="what rankings call the tuned one")
    seed: Seed
    epochs: PositiveInt
    batch_size: PositiveInt
    learning_rate: Annotated[float, Field(gt=0)]
