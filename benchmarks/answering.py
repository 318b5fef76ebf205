"""What does it cost to score the choices of a study's prompts, and do the ways to do it agree? Measured side by side.

Takes every prompt of some questions, in the project's folder once the stages up to pack have run (`make demo`), and
scores its choices in several ways, question by question in turn, each on one thread: as stage answer does (shared
beginnings once), each prompt by itself, in a plain loop of Transformers (a pass for a prompt and a choice), and, where
it can be imported, by lm-eval's `hf` backend in batches of 1, 8 and 32. Prints a table and writes it to
benchmarks/answering.csv.

    python benchmarks/answering.py [--questions 4] [--dtype float32] [--pass-tokens 128 256 512]
"""

import argparse
import importlib.util
import platform
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from plancheck.backends.device import one_thread
from plancheck.backends.generation import CausalModel, read_causal_model
from plancheck.backends.models import locked
from plancheck.backends.token_tree import TokenTree
from plancheck.params.study import read_params
from plancheck.tables import read_packed_contexts
from tasks.answer import prompts_of

OUTPUT = Path(__file__).with_name("answering.csv")
LM_EVAL_BATCHES = (1, 8, 32)

# From prompts and their choices, as tokens, the mean log-likelihood a token of each choice.
Score = Callable[[Sequence[list[int]], Sequence[list[list[int]]]], list[list[float]]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=4)
    parser.add_argument("--dtype", default="float32", choices=["float32", "bfloat16"])
    parser.add_argument("--pass-tokens", type=int, nargs="+", default=[read_params().answer.pass_tokens])
    asked = parser.parse_args()
    one_thread()
    model, tokenizer = read_causal_model(locked("answer").path, device="cpu", dtype=asked.dtype)
    causal = CausalModel(model.eval(), tokenizer)
    questions = sorted({packed.question_id for packed in read_packed_contexts()})
    chosen = questions[:: max(1, len(questions) // asked.questions)][: asked.questions]
    table = compared(ways(causal, model, tokenizer, asked.pass_tokens), causal, chosen)
    table.insert(0, "machine", f"{platform.machine()}, {torch.backends.cpu.get_cpu_capability()}, {asked.dtype}")
    table.to_csv(OUTPUT, index=False, lineterminator="\n")
    print(table.to_string(index=False))


def ways(causal: CausalModel, model: Any, tokenizer: Any, pass_tokens: Sequence[int]) -> dict[str, Score]:
    """The ways to score, by name; the first is the reference."""

    def alone(prompts: Sequence[list[int]], choices: Sequence[list[list[int]]]) -> list[list[float]]:
        return [
            causal.log_likelihoods([prompt], [group], pass_tokens=100_000)[0]
            for prompt, group in zip(prompts, choices, strict=True)
        ]

    def shared(size: int) -> Score:
        return lambda prompts, choices: causal.log_likelihoods(prompts, choices, pass_tokens=size)

    found = {"each prompt by itself": alone} | {f"shared beginnings, {size}": shared(size) for size in pass_tokens}
    found["Transformers, a pass a choice"] = lambda prompts, choices: plain(model, prompts, choices)
    if importlib.util.find_spec("lm_eval"):
        found |= {f"lm-eval hf, batch {size}": lm_eval(model, tokenizer, size) for size in LM_EVAL_BATCHES}
    return found


@torch.inference_mode()
def plain(model: Any, prompts: Sequence[list[int]], choices: Sequence[list[list[int]]]) -> list[list[float]]:
    """A pass over each prompt with each of its choices."""

    def score(prompt: list[int], choice: list[int]) -> float:
        logits = model(torch.tensor([prompt + choice]), use_cache=False).logits[0, len(prompt) - 1 : -1]
        logprobs = torch.log_softmax(logits.float(), dim=-1)
        return float(logprobs.gather(1, torch.tensor(choice)[:, None]).double().mean())

    return [[score(prompt, choice) for choice in group] for prompt, group in zip(prompts, choices, strict=True)]


def lm_eval(model: Any, tokenizer: Any, batch_size: int) -> Score:
    """lm-eval's backend for models of Transformers, given the same tokens."""
    from lm_eval.models.huggingface import HFLM

    backend = HFLM(pretrained=model, tokenizer=tokenizer, batch_size=batch_size)

    def score(prompts: Sequence[list[int]], choices: Sequence[list[list[int]]]) -> list[list[float]]:
        asked = [
            ((str(prompt), str(choice)), prompt, choice)
            for prompt, group in zip(prompts, choices, strict=True)
            for choice in group
        ]
        sums = [value for value, _ in backend._loglikelihood_tokens(asked, disable_tqdm=True)]
        means = [value / len(choice) for value, (_, _, choice) in zip(sums, asked, strict=True)]
        values = iter(means)
        return [list(islice(values, len(group))) for group in choices]

    return score


def compared(found: dict[str, Score], causal: CausalModel, questions: Sequence[str]) -> pd.DataFrame:
    """A row for each way: CPU seconds, ratio to the first, and how its values and letters differ from the first's."""
    seconds = dict.fromkeys(found, 0.0)
    values: dict[str, list[list[float]]] = {name: [] for name in found}
    read = shared = 0
    settings = read_params().answer
    for question in questions:
        asked = prompts_of(read_packed_contexts([question]), settings)
        prompts = [causal.tokens(prompt.messages) for prompt in asked]
        choices = [[causal.text_tokens(choice) for choice in prompt.choices] for prompt in asked]
        whole = [prompt + choice[:-1] for prompt, group in zip(prompts, choices, strict=True) for choice in group]
        read += sum(len(prompt) for prompt in prompts) + sum(len(c) - 1 for group in choices for c in group)
        shared += len(TokenTree(whole))
        for name, score in found.items():
            started = time.process_time()
            values[name] += score(prompts, choices)
            seconds[name] += time.process_time() - started
            print(f"{question} {name}: {len(prompts)} prompts, {seconds[name]:.1f} s so far", flush=True)
    first = next(iter(found))
    reference = np.array(values[first])
    return pd.DataFrame(
        [
            {
                "way": name,
                "prompts": len(reference),
                "tokens": shared if name.startswith("shared") else read if name == first else None,
                "ratio": round(seconds[first] / seconds[name], 2),
                "same_letters": int((np.argmax(values[name], axis=1) == np.argmax(reference, axis=1)).sum()),
                "largest_difference": float(f"{np.abs(np.array(values[name]) - reference).max():.2g}"),
            }
            for name in found
        ]
    )


if __name__ == "__main__":
    main()
