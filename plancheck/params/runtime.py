"""Section runtime: where the shards of a stage are worked on. No output depends on it, so no stage does."""

from typing import Annotated, Literal

from pydantic import Field

from plancheck.params.section import Section


class Runtime(Section):
    task_runner: Literal["threads", "dask", "ray"] = Field(
        "threads", description="threads of this process, or processes that Dask or Ray runs"
    )
    address: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="of a cluster that runs already, such as tcp://127.0.0.1:8786; null starts a local one"
    )
