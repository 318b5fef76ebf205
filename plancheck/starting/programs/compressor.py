"""NAME compresses: of each context it keeps, in order, the sentences that share most words with the question."""

import json
import re
from pathlib import Path

FOLDER = Path(__file__).parent
CONTEXTS = Path("given/contexts/NAME.jsonl")  # run it in the project's folder
BUDGETS_CHARS = (900, 450, 300)  # pack.budgets_chars in params.yaml; a longer text is refused


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def compressed(context: str, question: str, budget: int) -> str:
    sentences = re.split(r"(?<=[.!?])\s+", context)
    kept: set[int] = set()
    for place in sorted(range(len(sentences)), key=lambda place: -len(words(question) & words(sentences[place]))):
        if len(" ".join(sentences[number] for number in kept | {place})) <= budget:
            kept.add(place)
    return " ".join(sentences[number] for number in sorted(kept))


def main() -> None:
    CONTEXTS.parent.mkdir(parents=True, exist_ok=True)
    with CONTEXTS.open("w", encoding="utf-8") as contexts:
        for line in (FOLDER / "texts.jsonl").open(encoding="utf-8"):
            row = json.loads(line)
            for budget in BUDGETS_CHARS:
                text = compressed(row["context"], row["question"], budget)
                shown = {"question_id": row["question_id"], "budget_chars": budget, "text": text}
                contexts.write(json.dumps(shown) + "\n")


if __name__ == "__main__":
    main()
