"""Stage rows: the planner's training rows."""

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from plancheck.params.study import Params
from plancheck.planning.rows import refuse_no_reward, sft_row
from plancheck.planning.traces import best_traces
from plancheck.plumbing.files import DATA, read_table, replacing
from plancheck.pools import read_pools
from plancheck.tables import read_splits

LOG = logging.getLogger("plancheck.rows")

SFT = DATA / "sft"
SPLITS_TRAINED = ("train", "dev")


def run(params: Params) -> None:
    """Write data/sft/train.jsonl and dev.jsonl: one rewarded plan a question, by question ID.

    Raises:
        StudyError: no plan of a train question was rewarded.
    """
    traces = read_table(DATA / "traces.parquet").to_pylist()
    splits = read_splits()
    refuse_no_reward(traces, set(splits["train"]))
    best = best_traces(traces)
    with replacing(SFT) as folder:
        folder.mkdir()
        for split in SPLITS_TRAINED:
            rows = rows_of({name: best[name] for name in splits[split] if name in best}, params)
            # ASCII: some of the characters that JSON leaves as they are end a line for readers of lines.
            lines = [json.dumps(row) + "\n" for row in rows]
            (folder / f"{split}.jsonl").write_text("".join(lines), encoding="utf-8")
            LOG.info("%s: %d rows of %d questions", split, len(rows), len(splits[split]))


def rows_of(traces: Mapping[str, Mapping[str, Any]], params: Params) -> Sequence[dict[str, Any]]:
    """The row of each question's trace, by question ID."""
    return [
        sft_row(pool, traces[pool.question.question_id], params.planner, begin_reply=params.mine.begin_reply)
        for pool in read_pools(traces)
    ]
