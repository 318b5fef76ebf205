"""Atoms of a chunker of your own: paragraphs, which a blank line ends.

plancheck export questions --text --out yours/texts.jsonl
python docs/paragraph_atoms.py yours/texts.jsonl given/atoms/paragraphs.jsonl
"""

import json
import re
import sys
from pathlib import Path

PARAGRAPH = re.compile(r"\S.*(?:\n.*\S.*)*")  # lines that are not blank


def main(questions: str, atoms: str) -> None:
    """Write a span for each paragraph of each context, once where questions share it; both files are JSON Lines."""
    done = set()
    with Path(questions).open(encoding="utf-8") as lines, Path(atoms).open("w", encoding="utf-8") as out:
        for question in map(json.loads, lines):
            context_id = question["context_id"]
            if context_id in done:
                continue
            done.add(context_id)
            for start, end in (match.span() for match in PARAGRAPH.finditer(question["context"])):
                out.write(json.dumps({"context_id": context_id, "start": start, "end": end}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
