"""Captions and readable columns of every table in reports/tables."""

from collections.abc import Mapping
from typing import Final

from plancheck.reporting.main_table import KINDS
from plancheck.reporting.writing import Column, View, decimal, interval, p_value, percent, text, whole

POLICY: Final = text("policy", "policy")
BUDGET: Final = whole("budget", "budget_chars")
SPLIT: Final = text("split", "split")
N: Final = whole("n", "questions")
ACCURACY: Final = interval("accuracy", "accuracy", "wilson_low", "wilson_high")
ARMS: Final = (text("treatment", "treatment"), text("control", "control"))
DIFFERENCE: Final = interval("difference", "difference", "low", "high", signed=True)
TESTS: Final = (p_value("p", "p"), p_value("adjusted p", "p_adjusted"), whole("tests", "tests"))
OUTCOMES: Final = (whole("wins", "wins"), whole("losses", "losses"))
SAME: Final = whole("same text", "identical")
RESULTS: Final[tuple[Column, ...]] = (
    percent("treatment", "treatment_accuracy"),
    percent("control", "control_accuracy"),
    *OUTCOMES,
    whole("ties", "ties"),
    SAME,
)
CANDIDATES: Final = (
    whole("of treatments", "treatment_candidates"),
    whole("of controls", "control_candidates"),
)
PAIRED: Final[tuple[Column, ...]] = (
    N,
    *RESULTS,
    DIFFERENCE,
    *TESTS,
    percent("detectable", "detectable"),
)
UNITS: Final = "Accuracies in %, differences in percentage points, budgets in characters."
SAME_TEXT: Final = "Same text: ties of questions to which both showed the same text, so that they could not differ."
HOW: Final = (
    f"{UNITS} {SAME_TEXT} "
    "Difference: treatment minus control, bootstrap interval with contexts resampled. p: exact two-sided sign "
    "test, which takes questions for independent. Detectable: the least difference that as many questions find with "
    "the power of params.yaml, before adjustment."
)
PICKS: Final = (
    "Pick declared: there was nothing to pick; same_questions: the best of each side on the questions that are then "
    "compared; nested: the best on train and dev, compared on test. Split all is partly transductive: trained planners "
    "learned from train and dev questions."
)

VIEWS: Final[Mapping[str, View]] = {
    "main": View(
        "Table 1. Accuracy of every policy at every budget with its Wilson interval, mean share of the evidence shown, "
        f"and failed answers, all and by kind. {UNITS}",
        (
            POLICY,
            BUDGET,
            SPLIT,
            N,
            whole("right", "correct"),
            ACCURACY,
            percent("evidence", "evidence_recall"),
            whole("failed answers", "failures"),
            *(whole(kind.replace("_", " "), name) for kind, name in KINDS.items()),
            whole("failed plans", "failed_plans"),
        ),
    ),
    "selection": View(
        "What the selectors select: plans that parse with their Wilson interval, atoms a plan, evidence recall and "
        "precision in %, and mean Jaccard index with sft.",
        (
            text("selector", "selector"),
            SPLIT,
            N,
            interval("parsed", "parse_rate", "wilson_low", "wilson_high"),
            decimal("atoms", "mean_atoms", 1),
            percent("recall", "evidence_recall"),
            percent("precision", "evidence_precision"),
            decimal("overlap with sft", "jaccard_sft", 2),
        ),
    ),
    "heldout": View(
        "Accuracy on the test questions alone beside all questions, at the largest budget. All questions are partly "
        f"transductive: the planner learned from traces of train and dev questions. {UNITS}",
        (
            POLICY,
            BUDGET,
            whole("n test", "test_questions"),
            interval("test", "test_accuracy", "test_low", "test_high"),
            whole("n all", "all_questions"),
            interval("all", "all_accuracy", "all_low", "all_high"),
        ),
    ),
    "domains": View(
        f"Table 2, the accuracies by domain, each with its Wilson interval, all questions. {UNITS}",
        (POLICY, BUDGET, text("domain", "domain"), N, whole("right", "correct"), ACCURACY),
    ),
    "domain_differences": View(
        "Table 2, the differences of declared pairs by domain: treatment minus control, bootstrap interval with "
        "contexts resampled; none where the questions of a domain share one context, and without width, so no measure "
        "of chance, where no two contexts differ. Descriptive: these domains were not declared as tests, so there is "
        f"no p. {SAME_TEXT} {UNITS}",
        (
            text("name", "name"),
            *ARMS,
            BUDGET,
            SPLIT,
            text("domain", "domain"),
            N,
            whole("contexts", "contexts"),
            *RESULTS,
            DIFFERENCE,
        ),
    ),
    "comparisons": View(
        f"Declared comparisons, at each of their budgets. {HOW} {PICKS} p is adjusted "
        "(Benjamini and Hochberg) over the rows of one family and one kind of pick; of treatments, of controls: how "
        "many each was picked from. Equivalence: p against a difference of the margin or more.",
        (
            text("name", "name"),
            text("family", "family"),
            *ARMS,
            text("pick", "pick"),
            *CANDIDATES,
            BUDGET,
            SPLIT,
            *PAIRED,
            p_value("equivalence", "equivalence_p"),
        ),
    ),
    "ladder": View(
        f"The survival ladder: each planner against each tier of controls. {HOW} {PICKS} p is adjusted (Benjamini and "
        "Hochberg) over the rows of one planner at one budget and split. Supported: adjusted p at most "
        "1 - confidence and the interval above 0. Opposite: the same below 0. Not supported: neither, and a gain of "
        "the margin or more is excluded, by the interval and by Tango's score test. Cannot tell: else.",
        (
            text("planner", "planner"),
            BUDGET,
            text("tier", "tier"),
            text("control", "control"),
            text("pick", "pick"),
            SPLIT,
            N,
            *OUTCOMES,
            whole("ties", "ties"),
            SAME,
            DIFFERENCE,
            *TESTS,
            text("verdict", "verdict"),
        ),
    ),
    "best_of_all": View(
        "The best of all planners, trained, early and prompted alike (not the harness's own), against the best of all "
        f"controls of every tier, at each budget. {HOW} {PICKS} p is adjusted (Benjamini and Hochberg) over the rows "
        "of one kind of pick; of treatments, of controls: how many each was picked from.",
        (BUDGET, *ARMS, text("pick", "pick"), *CANDIDATES, SPLIT, *PAIRED),
    ),
    "routing": View(
        "Table 3. Oracles and routers, among the two policies of section route (pair), the best control of each tier "
        "(controls) or all policies. Differences, wins, losses and questions shown the same text against the best "
        "single policy: of the training folds for routers with folds, of the same questions for oracles and what was "
        "learned in sample. p, of deployable routers alone, is adjusted (Benjamini and Hochberg) over those of a "
        "scheme that choose among the same. Oracles know the answer, and an optimistic rule saw the questions it is "
        f"measured on. {UNITS}",
        (
            text("scheme", "scheme"),
            text("router", "router"),
            text("among", "among"),
            text("kind", "kind"),
            N,
            ACCURACY,
            percent("to a planner", "planner_share"),
            text("best single of", "baseline"),
            percent("best single", "baseline_accuracy"),
            DIFFERENCE,
            *OUTCOMES,
            SAME,
            *TESTS,
        ),
    ),
    "sensitivity": View(
        f"The final adapter (treatment) against the early one. {HOW} p is adjusted (Benjamini and Hochberg) over all "
        "rows. Jaccard: mean index of the atoms that the two select.",
        (text("fill", "fill"), BUDGET, *PAIRED, decimal("Jaccard", "jaccard", 2)),
    ),
    "order": View(
        f"Plans in the hybrid ranking's order (treatment) against the selector's own order. {HOW} Held shown: both "
        "show the same atoms; held selected: the order decides also which atoms of a longer plan fit. Same set: "
        "questions in which both show the same set of atoms; several atoms: those in which the control shows two or "
        "more, for with fewer there is no order. p is adjusted (Benjamini and Hochberg) over the rows of one held.",
        (
            text("held", "held"),
            text("selector", "selector"),
            *ARMS,
            BUDGET,
            *PAIRED,
            whole("same set", "same_set"),
            whole("several atoms", "several_atoms"),
        ),
    ),
    "mechanisms": View(
        "What tells wins from losses: each measure over the questions that the treatment alone, or the control alone, "
        "answers right. p: two-sided Mann-Whitney U test, which takes questions for independent; none with fewer than "
        "5 wins or losses. Each row is a member of the family: a measure of a scorer at a budget. p is adjusted "
        "(Benjamini and Hochberg) over those that are tested; untested says why the others are not. Displacement: how "
        "many of the reranker's first atoms the treatment does not show; from control: the share of them that the "
        "control shows and the treatment does not. Pick same_questions: the best control on these questions.",
        (
            BUDGET,
            *ARMS,
            text("pick", "pick"),
            whole("candidates", "candidates"),
            text("measure", "measure"),
            text("scorer", "scorer"),
            *OUTCOMES,
            decimal("mean of wins", "mean_wins", 3),
            decimal("of losses", "mean_losses", 3),
            decimal("median of wins", "median_wins", 3),
            decimal("of losses", "median_losses", 3),
            text("untested", "untested"),
            *TESTS,
            whole("members", "members"),
        ),
    ),
    "power": View(
        "How many questions would tell an effect at the discordance seen: by McNemar's test (Miettinen's "
        f"approximation), and by the exact sign test. {UNITS} Effects and discordances in percentage points and %.",
        (
            BUDGET,
            *ARMS,
            N,
            percent("discordance", "discordance"),
            percent("detectable", "detectable"),
            percent("effect", "effect"),
            whole("needed", "needed"),
            whole("needed, exact", "needed_exact"),
        ),
    ),
    "composition": View(
        "What packed contexts are made of: mean share of the characters shown in %, and mean number of characters, "
        "over the questions to which anything is shown.",
        (
            POLICY,
            BUDGET,
            text("part", "part"),
            percent("share", "mean_share"),
            decimal("characters", "mean_chars", 0),
            N,
        ),
    ),
    "texts": View(
        "Conditions (a question under a policy) and the distinct texts that they show at each budget. Policies that "
        "show a question the same text cannot differ on it. Longer atoms: questions whose context has an atom longer "
        "than the budget. Budgets and lengths in characters.",
        (
            BUDGET,
            N,
            whole("conditions", "conditions"),
            whole("texts", "texts"),
            whole("one cut atom", "one_cut_atom"),
            whole("longest atom", "longest_atom_chars"),
            whole("longer atoms", "longer_atoms"),
        ),
    ),
    "rankings": View(
        "Questions in which a ranking says nothing, for all its scores are equal and its order is that of position; of "
        "these, those with one atom.",
        (text("ranking", "ranking"), N, whole("all equal", "silent"), whole("one atom", "one_atom")),
    ),
}
