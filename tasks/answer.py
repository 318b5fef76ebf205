"""Task of stage answer: the distinct prompts of some packed contexts asked."""

from prefect import runtime, task
from prefect.cache_policies import NO_CACHE
from prefect.tasks import exponential_backoff

from plancheck.answering.asking import Asked, Prompt, ask
from plancheck.answering.prompt import asker
from plancheck.answering.serving import ask_served
from plancheck.backends.cache import GenerationCache
from plancheck.backends.device import one_thread
from plancheck.backends.generation import load_causal_model
from plancheck.backends.identity import identity
from plancheck.backends.models import LockedModel
from plancheck.backends.serving import open_server
from plancheck.benchmark.tables import read_contexts, read_questions
from plancheck.packing import packed_text
from plancheck.params.answer import Answer
from plancheck.tables import PackedContext, read_packed_contexts
from tasks.retries import worth_retrying
from tasks.shards import Shard

RETRIES = 2


@task(
    retries=RETRIES,
    retry_delay_seconds=exponential_backoff(2),
    retry_jitter_factor=0.5,
    retry_condition_fn=worth_retrying,
    cache_policy=NO_CACHE,
    task_run_name="answer {shard.name}",
)
def answer_shard(shard: Shard, model: LockedModel, settings: Answer) -> Asked:
    """An answer to each packed context of the shard's questions; on the last try a prompt that fails is a row."""
    one_thread()
    packed = read_packed_contexts(shard.items)
    with GenerationCache() as cache:
        return ask_model(packed, model, settings, cache, errors_are_rows=(runtime.task_run.run_count or 1) > RETRIES)


def ask_model(
    packed: list[PackedContext],
    model: LockedModel,
    settings: Answer,
    cache: GenerationCache,
    *,
    errors_are_rows: bool,
) -> Asked:
    """An answer to each packed context, of a model in this process or of a server."""
    if model.server is not None:
        return ask_served(
            prompts_of(packed, settings),
            open_server(model),
            cache,
            mode=settings.mode,
            max_new_tokens=settings.max_new_tokens,
        )
    causal = load_causal_model(model.path, device=settings.device, dtype=settings.dtype)
    return ask(
        prompts_of(packed, settings),
        causal,
        cache,
        mode=settings.mode,
        pass_tokens=settings.pass_tokens,
        batch_size=settings.batch_size,
        max_new_tokens=settings.max_new_tokens,
        identity=identity(model.digest, dtype=settings.dtype, device=causal.device),
        errors_are_rows=errors_are_rows,
    )


def prompts_of(packed: list[PackedContext], settings: Answer) -> list[Prompt]:
    questions = {question.question_id: question for question in read_questions()}
    contexts = read_contexts({questions[context.question_id].context_id for context in packed})
    messages = asker(settings)
    prompts = []
    for context in packed:
        question = questions[context.question_id]
        text = context.text
        if text is None:
            text = packed_text(contexts[question.context_id], context.pieces)
        prompts.append(Prompt(context.packed_id, context.question_id, messages(question, text), question.choices))
    return prompts
