"""NAME plans: of each question's candidates it names those that share most words with question and choices."""

import json
import re
from pathlib import Path

FOLDER = Path(__file__).parent
PLANS = Path("given/plans/NAME.jsonl")  # run it in the project's folder
MOST_ATOMS = 4


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def main() -> None:
    plans = []
    for line in (FOLDER / "candidates.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        asked = words(" ".join([row["question"], *row["choices"]]))
        best = sorted(row["candidates"], key=lambda atom: -len(asked & words(atom["text"])))
        plans.append({"question_id": row["question_id"], "atom_ids": [atom["atom_id"] for atom in best[:MOST_ATOMS]]})
    PLANS.parent.mkdir(parents=True, exist_ok=True)
    PLANS.write_text("".join(json.dumps(plan) + "\n" for plan in plans), encoding="utf-8")


if __name__ == "__main__":
    main()
