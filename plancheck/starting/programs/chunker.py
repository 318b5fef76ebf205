"""NAME cuts: an atom is a paragraph, or as much of a long one as 400 characters, up to a blank."""

import json
import re
from pathlib import Path

FOLDER = Path(__file__).parent
ATOMS = Path("given/atoms/NAME.jsonl")  # run it in the project's folder
PIECE = re.compile(r"\S.{0,398}\S(?=\s|$)|\S+")


def main() -> None:
    ATOMS.parent.mkdir(parents=True, exist_ok=True)
    done = set()
    with ATOMS.open("w", encoding="utf-8") as atoms:
        for line in (FOLDER / "texts.jsonl").open(encoding="utf-8"):
            row = json.loads(line)
            if row["context_id"] in done:  # several questions may share a context
                continue
            done.add(row["context_id"])
            for piece in PIECE.finditer(row["context"]):
                atom = {"context_id": row["context_id"], "start": piece.start(), "end": piece.end()}
                atoms.write(json.dumps(atom) + "\n")


if __name__ == "__main__":
    main()
