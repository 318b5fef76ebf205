from uuid import uuid4

import pytest
from prefect import task
from prefect.client.schemas.objects import TaskRun
from prefect.states import Failed

from plancheck.plumbing.errors import StudyError
from tasks.retries import worth_retrying


@task
def shard() -> None: ...


@pytest.mark.parametrize(
    ("error", "worth"), [(StudyError("mend it"), False), (OSError("disk"), True), (ValueError("fault"), True)]
)
def test_only_what_the_user_must_mend_is_not_worth_retrying(error: Exception, worth: bool) -> None:
    run = TaskRun(name="answer 3/12", task_key="shard", dynamic_key=str(uuid4()), flow_run_id=None)
    assert worth_retrying(shard, run, Failed(data=error)) is worth
