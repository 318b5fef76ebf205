"""The columns of each table that the page shows, under headings for readers."""

from typing import Final

from plancheck.page.cells import Column
from plancheck.reporting.main_table import KINDS

BUDGET: Final = Column("Budget, characters", "budget_chars", "count")
ACCURACY: Final = Column("Accuracy, % [Wilson]", "accuracy", "percent", "wilson_low", "wilson_high")
P: Final = (
    Column("p", "p", "p"),
    Column("adj. p (BH)", "p_adjusted", "p"),
    Column("Tests in family", "tests", "count"),
)

SAME: Final = Column("Shown the same text", "identical", "count")
DIFFERENCE: Final = (
    Column("Questions", "questions", "count"),
    Column("Contexts", "contexts", "count"),
    Column("Treatment, %", "treatment_accuracy", "percent"),
    Column("Control, %", "control_accuracy", "percent"),
    Column("Wins", "wins", "count"),
    Column("Losses", "losses", "count"),
    Column("Ties", "ties", "count"),
    SAME,
    Column("Difference, points [clustered by context]", "difference", "points", "low", "high"),
)
OUTCOMES: Final = (
    *DIFFERENCE,
    Column("By question", "difference", "points", "plain_low", "plain_high"),
    *P,
    Column("Discordance, %", "discordance", "percent"),
    Column("Detectable, points", "detectable", "size"),
    Column("Questions needed", "needed", "count"),
)
PICK: Final = (
    Column("Control picked", "pick"),
    Column("Candidates", "candidates", "count"),
)
PAIR: Final = (Column("Treatment", "treatment"), Column("Control", "control"))
SPLIT: Final = Column("Split", "split")
DOMAIN: Final = Column("Domain", "domain")

LADDER: Final = (
    Column("Planner", "planner"),
    Column("Tier", "tier"),
    Column("Control", "control"),
    *PICK,
    BUDGET,
    SPLIT,
    *OUTCOMES,
    Column("Verdict", "verdict"),
)
MAIN: Final = (
    Column("Policy", "policy"),
    BUDGET,
    SPLIT,
    Column("Questions", "questions", "count"),
    Column("Right", "correct", "count"),
    ACCURACY,
    Column("Evidence recall, %", "evidence_recall", "percent"),
    Column("Failed answers", "failures", "count"),
    *(Column(f"Failed: {kind.replace('_', ' ')}", name, "count") for kind, name in KINDS.items()),
    Column("Failed plans", "failed_plans", "count"),
)
HELDOUT: Final = (
    Column("Policy", "policy"),
    Column("Test: questions", "test_questions", "count"),
    Column("Test: right", "test_correct", "count"),
    Column("Test: accuracy, % [Wilson]", "test_accuracy", "percent", "test_low", "test_high"),
    Column("All: questions", "all_questions", "count"),
    Column("All: right", "all_correct", "count"),
    Column("All (partly transductive): accuracy, % [Wilson]", "all_accuracy", "percent", "all_low", "all_high"),
)
PICKED: Final = (
    Column("Picked", "pick"),
    Column("Treatments to pick from", "treatment_candidates", "count"),
    Column("Controls to pick from", "control_candidates", "count"),
)
COMPARISONS: Final = (
    Column("Comparison", "name"),
    Column("Family of tests", "family"),
    *PAIR,
    *PICKED,
    BUDGET,
    SPLIT,
    *OUTCOMES,
    Column("Equivalence p", "equivalence_p", "p"),
)
BEST_OF_ALL: Final = (BUDGET, *PAIR, *PICKED, SPLIT, *OUTCOMES)
DOMAIN_DIFFERENCES: Final = (Column("Comparison", "name"), *PAIR, BUDGET, SPLIT, DOMAIN, *DIFFERENCE)
DOMAINS: Final = (
    Column("Policy", "policy"),
    DOMAIN,
    Column("Questions", "questions", "count"),
    Column("Right", "correct", "count"),
    ACCURACY,
)
ROUTING: Final = (
    Column("Folds", "scheme"),
    Column("Router", "router"),
    Column("Chooses among", "among"),
    Column("Kind", "kind"),
    Column("Questions", "questions", "count"),
    Column("Right", "correct", "count"),
    ACCURACY,
    Column("Sent to a planner, %", "planner_share", "percent"),
    Column("Best single policy, of", "baseline"),
    Column("Best single, %", "baseline_accuracy", "percent"),
    Column("Against best single, points", "difference", "points", "low", "high"),
    Column("Wins", "wins", "count"),
    Column("Losses", "losses", "count"),
    SAME,
    *P,
)
COMPOSITION: Final = (
    Column("Policy", "policy"),
    Column("Part", "part"),
    Column("Mean share of packed characters, %", "mean_share", "percent"),
    Column("Mean characters", "mean_chars", "count"),
    Column("Questions", "questions", "count"),
)
SELECTION: Final = (
    Column("Selector", "selector"),
    SPLIT,
    Column("Questions", "questions", "count"),
    Column("Plans parsed, % [Wilson]", "parse_rate", "percent", "wilson_low", "wilson_high"),
    Column("Atoms a plan", "mean_atoms", "number"),
    Column("Evidence known", "evidence_questions", "count"),
    Column("Evidence recall, %", "evidence_recall", "percent"),
    Column("Evidence precision, %", "evidence_precision", "percent"),
    Column("Jaccard with sft", "jaccard_sft", "number"),
)
RECALL: Final = (
    Column("Policy", "policy"),
    BUDGET,
    Column("Questions", "questions", "count"),
    Column("Evidence recall, %", "evidence_recall", "percent"),
    ACCURACY,
)
MECHANISMS: Final = (
    BUDGET,
    *PAIR,
    *PICK,
    Column("Measure", "measure"),
    Column("Scores of", "scorer"),
    Column("Wins", "wins", "count"),
    Column("Losses", "losses", "count"),
    Column("Mean of wins", "mean_wins", "number"),
    Column("Mean of losses", "mean_losses", "number"),
    Column("Median of wins", "median_wins", "number"),
    Column("Median of losses", "median_losses", "number"),
    Column("Untested for", "untested"),
    *P,
    Column("Members of the family", "members", "count"),
)
SENSITIVITY: Final = (
    Column("Fill", "fill"),
    *PAIR,
    BUDGET,
    *OUTCOMES,
    Column("Mean Jaccard of selections", "jaccard", "number"),
)
ORDER: Final = (
    Column("Held", "held"),
    Column("Selector", "selector"),
    *PAIR,
    BUDGET,
    *OUTCOMES,
    Column("Same set of atoms", "same_set", "count"),
    Column("Control shows several atoms", "several_atoms", "count"),
)
POWER: Final = (
    BUDGET,
    *PAIR,
    Column("Questions", "questions", "count"),
    Column("Discordance, %", "discordance", "percent"),
    Column("Detectable here, points", "detectable", "size"),
    Column("Effect, points", "effect", "size"),
    Column("Questions needed (Miettinen)", "needed", "count"),
    Column("Questions needed (exact)", "needed_exact", "count"),
)
TEXTS: Final = (
    BUDGET,
    Column("Questions", "questions", "count"),
    Column("Conditions", "conditions", "count"),
    Column("Distinct texts", "texts", "count"),
    Column("One cut atom alone", "one_cut_atom", "count"),
    Column("Longest atom, characters", "longest_atom_chars", "count"),
    Column("Questions with a longer atom", "longer_atoms", "count"),
)
RANKINGS: Final = (
    Column("Ranking", "ranking"),
    Column("Questions", "questions", "count"),
    Column("All scores equal", "silent", "count"),
    Column("Of these with one atom", "one_atom", "count"),
)
TRAINING: Final = (Column("Optimiser step", "step", "count"), Column("Loss, nats", "loss", "number"))
