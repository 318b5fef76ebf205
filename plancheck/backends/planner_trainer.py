"""TRL's SFTTrainer as the planner needs it."""

import random
from collections.abc import Iterator, Sized
from typing import Any

from torch.nn.functional import cross_entropy
from torch.utils.data import Sampler
from trl.trainer.sft_trainer import SFTTrainer

from plancheck.backends.sft_rows import IGNORED


class Shuffled(Sampler[int]):
    """Another permutation of the rows in each epoch, of which the first ``kept`` are used.

    An epoch's order follows from seed and epoch alone, so a training that goes on in the midst of one finds it again.
    """

    def __init__(self, rows: Sized, *, kept: int, seed: int) -> None:
        self._rows, self._kept, self._seed, self._epoch = len(rows), kept, seed, 0

    def set_epoch(self, epoch: int) -> None:
        self._epoch = epoch

    def __len__(self) -> int:
        return self._kept

    def __iter__(self) -> Iterator[int]:
        generator = random.Random(f"{self._seed}:{self._epoch}")
        yield from generator.sample(range(self._rows), self._kept)


class PlannerTrainer(SFTTrainer):
    """SFTTrainer with its rows in our order, and without the page it would write beside every checkpoint.

    Without Triton, TRL multiplies every position of a row with the vocabulary's matrix, in the forward and in the
    backward pass, and then leaves out all but the supervised ones: half of a training on a CPU. Here only those
    positions are multiplied that are supervised in some row of the batch; the loss is the same.
    """

    def __init__(self, *, kept_rows: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._kept_rows = kept_rows

    def _get_train_sampler(self, train_dataset: Any = None) -> Sampler[int]:
        rows: Any = self.train_dataset if train_dataset is None else train_dataset
        return Shuffled(rows, kept=self._kept_rows, seed=self.args.seed)

    def create_model_card(self, *args: Any, **kwargs: Any) -> None:
        pass

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """The sum of the supervised tokens' negative log-likelihoods, divided by the step's number of them."""
        if return_outputs:
            raise ValueError("the loss is computed without the logits of every position")
        labels = inputs["labels"][:, 1:]
        (wanted,) = (labels != IGNORED).any(dim=0).nonzero(as_tuple=True)
        outputs = model(
            input_ids=inputs["input_ids"],
            attention_mask=inputs["attention_mask"],
            logits_to_keep=wanted,
            use_cache=False,
        )
        kept = labels[:, wanted]
        losses = cross_entropy(
            outputs.logits.float().flatten(0, 1), kept.flatten(), ignore_index=IGNORED, reduction="sum"
        )
        return losses / ((kept != IGNORED).sum() if num_items_in_batch is None else num_items_in_batch)
