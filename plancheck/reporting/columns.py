"""Columns that several tables share, each under one heading."""

from typing import Final

from plancheck.reporting.table import Column

UNITS: Final = "Accuracies in %, differences in percentage points, budgets in characters."

POLICY: Final = Column("policy", "Policy")
SELECTOR: Final = Column("selector", "Selector")
COMPARISON: Final = Column("name", "Comparison")
DOMAIN: Final = Column("domain", "Domain")
BUDGET: Final = Column("budget_chars", "Budget, characters", "count")
SPLIT: Final = Column("split", "Split")
QUESTIONS: Final = Column("questions", "Questions", "count")
RECALL: Final = Column("evidence_recall", "Evidence recall, %", "percent")
ACCURACY: Final = (
    QUESTIONS,
    Column("correct", "Right", "count"),
    Column("accuracy", "Accuracy, % [Wilson]", "percent", interval=("wilson_low", "wilson_high")),
)
PAIR: Final = (
    Column("treatment", "Treatment"),
    Column("control", "Control"),
)
PICK: Final = (
    Column("pick", "Control picked"),
    Column("candidates", "Candidates", "count"),
)
WINS: Final = (
    Column("wins", "Wins", "count"),
    Column("losses", "Losses", "count"),
)
SAME: Final = Column("identical", "Shown the same text", "count")
TESTS: Final = (
    Column("p", "p", "p"),
    Column("p_adjusted", "adj. p (BH)", "p"),
    Column("tests", "Tests in family", "count"),
)
DISCORDANCE: Final = Column("discordance", "Discordance, %", "percent", printed=False)
