"""The example in docs plans in sentences, and the study reads its plans."""

import json
import subprocess
import sys
from pathlib import Path

from plancheck.given.plans import read_given_plans
from plancheck.records import Question

SCRIPT = Path(__file__).parents[2] / "docs" / "sentence_plans.py"
TEXT = "The boat lies in Tarn. The house is blue! Who has the key? The keeper of the key is Ada. The end."


def test_the_sentences_that_share_the_rarest_words_come_first(tmp_path):
    asked = {"question_id": "q1", "question": "Who is the keeper?", "choices": ["Ada", "Bo"], "context": TEXT}
    (tmp_path / "questions.jsonl").write_text(json.dumps(asked) + "\n")
    command = [sys.executable, "-I", str(SCRIPT), "questions.jsonl", "mine.jsonl"]
    subprocess.run(command, cwd=tmp_path, check=True)

    question = Question("q1", "d", "", "", "", asked["question"], ("Ada", "Bo"), "A", "c")
    plan = read_given_plans(tmp_path / "mine.jsonl", {"q1": question}, {"c": TEXT}, {"c": ()})["q1"]
    shown = [TEXT[span.start : span.end].strip() for span in plan.spans]
    assert shown[0] == "The keeper of the key is Ada."
    assert len(shown) == 4 and "The end." not in shown
