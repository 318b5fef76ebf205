"""NAME ranks: atoms that share most words with the question come first. It writes a TREC run."""

import json
import re
from pathlib import Path
from urllib.parse import quote

FOLDER = Path(__file__).parent
RUN = Path("given/runs/NAME.run")  # run it in the project's folder


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def main() -> None:
    atoms: dict[str, list[tuple[str, set[str]]]] = {}
    for line in (FOLDER / "atoms.jsonl").open(encoding="utf-8"):
        atom = json.loads(line)
        atoms.setdefault(atom["context_id"], []).append((atom["atom_id"], words(atom["text"])))
    RUN.parent.mkdir(parents=True, exist_ok=True)
    with RUN.open("w", encoding="utf-8") as run:
        for line in (FOLDER / "questions.jsonl").open(encoding="utf-8"):
            row = json.loads(line)
            asked = words(row["question"])
            scored = [(len(asked & own), atom_id) for atom_id, own in atoms[row["context_id"]]]
            for rank, (score, atom_id) in enumerate(sorted(scored, key=lambda pair: -pair[0]), start=1):
                run.write(f"{quote(row['question_id'])} Q0 {quote(atom_id)} {rank} {score} NAME\n")  # no blanks in IDs


if __name__ == "__main__":
    main()
