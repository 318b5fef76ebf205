"""Plans of spans without our atoms: the four sentences that share the rarest words with question and choices.

plancheck export questions --text --out yours/texts.jsonl
python docs/sentence_plans.py yours/texts.jsonl given/plans/sentences.jsonl
"""

import json
import math
import re
import sys
from collections import Counter
from pathlib import Path

SENTENCES = 4
SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
WORD = re.compile(r"\w+")


def words(text: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(text)}


def plan(question: dict) -> dict:
    """The sentences of a question's context as spans, the best first; ties in the order of the context."""
    context = question["context"]
    spans = [match.span() for match in SENTENCE.finditer(context) if match.group().strip()]
    found = [words(context[start:end]) for start, end in spans]
    frequency = Counter(word for sentence in found for word in sentence)
    asked = words(" ".join([question["question"], *question["choices"]]))

    def score(place: int) -> float:
        return sum(math.log(1 + len(spans) / frequency[word]) for word in sorted(found[place] & asked))

    best = sorted(range(len(spans)), key=lambda place: (-score(place), place))[:SENTENCES]
    return {"question_id": question["question_id"], "spans": [list(spans[place]) for place in best]}


def main(questions: str, plans: str) -> None:
    """Write a plan for each question; both files are JSON Lines."""
    with Path(questions).open(encoding="utf-8") as lines, Path(plans).open("w", encoding="utf-8") as out:
        for line in lines:
            out.write(json.dumps(plan(json.loads(line))) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
