"""What flows through the study: typed records, and the columns of every table with their units.

Positions and lengths are counted in characters (Unicode code points) of a context; spans are half-open
``[start, end)``. Ranks start at 1, best first. Scores are "larger is better". A question has 2 to 10 choices, with the
letters "A".."J".
A table is a Parquet file with exactly the columns of its schema, in that order.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import pyarrow as pa

Letter = Literal["A", "B", "C", "D", "E", "F", "G", "H", "I", "J"]
LETTERS: Final[tuple[Letter, ...]] = ("A", "B", "C", "D", "E", "F", "G", "H", "I", "J")
FEWEST_CHOICES: Final = 2
MOST_CHOICES: Final = len(LETTERS)
SPLITS: Final = ("train", "dev", "test")

# Why an answer has no letter: the reply names none, or leaves several possible; it ends inside the model's reasoning
# (more new tokens would help); prompt and reply exceed the model's positions; the model ran out of memory; it failed
# otherwise; a file that a user gives has nothing for the question.
Failure = Literal["unparsable", "cut_off", "too_long", "out_of_memory", "error", "absent"]
FAILURES: Final[tuple[Failure, ...]] = ("unparsable", "cut_off", "too_long", "out_of_memory", "error", "absent")


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start`` (included) to ``end`` (excluded) of a context."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Question:
    """One multiple-choice item. ``choices`` are 2 to 10 texts, A first; other questions may have fewer or more.

    ``evidence`` holds the spans of its context that answer it, or None where the benchmark does not say.
    ``context_group`` is one for contexts that are the same but for white space at ends and the Unicode form
    (benchmark/groups.py): the least of their IDs; by default a context is a group of its own.
    """

    question_id: str
    domain: str
    sub_domain: str
    difficulty: str
    length: str
    question: str
    choices: tuple[str, ...]
    answer: Letter
    context_id: str
    evidence: tuple[Span, ...] | None = None
    context_group: str = ""

    def __post_init__(self) -> None:
        if not self.context_group:
            object.__setattr__(self, "context_group", self.context_id)

    @property
    def letters(self) -> tuple[Letter, ...]:
        """The letters of its choices."""
        return LETTERS[: len(self.choices)]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Questions in the source's order, and each distinct context once under its content hash.

    ``documents`` holds the documents of the contexts that came as lists of them, by context ID; they cover the context.
    """

    questions: tuple[Question, ...]
    contexts: Mapping[str, str]
    documents: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Atom:
    """A window of a context, or a span that a chunker of the user's own made of it.

    ``document`` counts the context's documents from 0; it is the one that the atom begins in.

    Atoms of one context are ordered by position; an atom's text is ``context[start:end]``.
    """

    atom_id: str
    context_id: str
    start: int
    end: int
    document: int


@dataclass(frozen=True, slots=True)
class Piece:
    """The part ``[start, end)`` of an atom that is shown to the answer model."""

    atom_id: str
    start: int
    end: int


# The ID of a span that a user's plan selects and that is no atom: START-END. An atom's has 16 digits before its dash.
SPAN_ID: Final = re.compile(r"\A(0|[1-9]\d{0,14})-([1-9]\d{0,14})\Z")


def span_id(span: Span) -> str:
    """START-END, unlike any atom's ID, which begins with 16 hexadecimal digits of its context's."""
    return f"{span.start}-{span.end}"


def is_span_id(atom_id: str) -> bool:
    """Whether the ID is a span's.

    An atom's is the first 16 digits of a hash, a dash and a position; a context of that many characters does not exist.
    """
    return bool(SPAN_ID.match(atom_id))


def schema(**columns: tuple[pa.DataType, str]) -> pa.Schema:
    """A table's columns from ``name=(type, meaning)``; a meaning that starts with "?" marks a nullable column."""
    return pa.schema(
        [
            pa.field(name, kind, nullable=meaning.startswith("?"), metadata={"meaning": meaning.removeprefix("?")})
            for name, (kind, meaning) in columns.items()
        ]
    )


STRING, INT, FLOAT, BOOL = pa.string(), pa.int64(), pa.float64(), pa.bool_()
SPAN = pa.struct([pa.field("start", INT, nullable=False), pa.field("end", INT, nullable=False)])

QUESTIONS = schema(
    question_id=(STRING, "unique ID of the question"),
    domain=(STRING, "task family, the stratum of every split"),
    sub_domain=(STRING, "finer task name; may be empty"),
    difficulty=(STRING, "as the benchmark names it; may be empty"),
    length=(STRING, "length class as the benchmark names it; may be empty"),
    question=(STRING, "question text"),
    choices=(pa.list_(STRING), "texts of its 2 to 10 choices, A first"),
    answer=(STRING, "gold letter, A for the first choice"),
    context_id=(STRING, "SHA-256 of the context's UTF-8 text, 64 hex digits"),
    context_group=(STRING, "least ID of the contexts that differ only in white space at ends or Unicode form"),
    evidence=(pa.list_(SPAN), "?spans of the context that answer the question; null where unknown"),
)

CONTEXTS = schema(
    context_id=(STRING, "SHA-256 of the text's UTF-8 bytes, 64 hex digits"),
    chars=(INT, "length of the text in characters"),
    text=(pa.large_string(), "the context"),
    documents=(pa.list_(SPAN), "?spans of its documents, which cover it; null where the context came as one text"),
)

ATOMS = schema(
    atom_id=(STRING, "first 16 hex digits of the context's ID, a dash, the atom's position"),
    context_id=(STRING, "context the atom is a window of"),
    position=(INT, "order in the context, from 0"),
    start=(INT, "first character"),
    end=(INT, "one past the last character"),
    document=(INT, "document within the context, from 0"),
)

# Stages retrieve, rerank and tune each make a table of this form.
RANKINGS = schema(
    question_id=(STRING, "question"),
    ranking=(STRING, "its name in section rankings"),
    atom_id=(STRING, "atom of the question's context; of a cross-encoder's ranking, of the candidate pool"),
    score=(FLOAT, "?what the rank was made of, larger is better; null where there is none (mmr, random, position, an "
                  "atom that a run lacks)"),
    rank=(INT, "rank of the atom, or in the pool; ties of scores by position, a run's by its own ranks first"),
    tokens=(INT, "?tokens of the whole atom for the ranking's model, special tokens not counted; null without a model"),
    truncated=(BOOL, "?whether the model read only a part of the atom; null without a model"),
)  # fmt: skip

CANDIDATES = schema(
    question_id=(STRING, "question"),
    atom_id=(STRING, "atom of the candidate pool, among which planner and cross-encoders choose"),
    position=(INT, "the atom's order in its context, from 0"),
)

PACKED = schema(
    question_id=(STRING, "question"),
    policy=(STRING, "policy that ordered the atoms"),
    budget_chars=(INT, "most characters the packed context may have"),
    packed_id=(STRING, "SHA-256 of question ID and packed text: equal for conditions that show the same"),
    atom_ids=(pa.list_(STRING), "atoms shown, in the order shown"),
    starts=(pa.list_(INT), "first character of each piece shown"),
    ends=(pa.list_(INT), "one past the last character of each piece shown"),
    chars=(INT, "length of the packed context, separators included"),
    cut=(BOOL, "whether an atom was cut at the budget"),
    skipped=(INT, "atoms left out because they did not fit whole; 0 unless pack.overflow is skip"),
    evidence_recall=(FLOAT, "?share of the question's evidence spans wholly shown, 0 to 1; null where unknown"),
    plan_failed=(BOOL, "whether the plan, or the given text, is missing: only the fill is shown; false without either"),
    text=(pa.large_string(), "?text of the user's own that is shown; null where pieces of the context are"),
)

PREDICTIONS = schema(
    question_id=(STRING, "question"),
    policy=(STRING, "policy"),
    budget_chars=(INT, "budget in characters"),
    packed_id=(STRING, "packed context that was shown"),
    letter=(STRING, "?chosen letter; null when the answer failed"),
    gold=(STRING, "gold letter"),
    correct=(BOOL, "letter is gold, or its choice has the gold choice's text; false when the answer failed"),
    failure=(
        STRING,
        "?why there is no letter (unparsable, cut_off, too_long, out_of_memory, error); null when there is one",
    ),
    probs=(
        pa.list_(FLOAT),
        "?probability of each choice, A first, together 1; null when unknown, and in it that of a choice that a server "
        "does not tell",
    ),
    prompt_tokens=(INT, "?tokens of the prompt as the model read it; null when the prompt was never tokenised"),
)

TRACES = schema(
    question_id=(STRING, "question of the train or dev split"),
    sample=(INT, "number of the sample, from 0"),
    atom_ids=(pa.list_(STRING), "atoms the plan names, in its order; empty when it names none"),
    parsed=(BOOL, "whether the reply named at least one candidate atom"),
    failure=(STRING, "?why there is no reward: a failure of the plan or of its answer; null when it was answered"),
    chars=(INT, "?length of the context the plan alone packs; null when it was not executed"),
    letter=(STRING, "?letter answered from the plan alone; null when it was not executed or failed"),
    correct=(BOOL, "letter is gold, or its choice has the gold choice's text; false without a letter"),
    reward=(INT, "1 when correct, else 0"),
    duplicate_of=(INT, "?earlier sample of the question with the same set of atoms, whose outcome this row repeats"),
)

PLANS = schema(
    question_id=(STRING, "question"),
    selector=(STRING, "what made the plan"),
    atom_ids=(pa.list_(STRING), "atoms selected, in the selector's order, or spans (START-END); empty when it failed"),
    starts=(pa.list_(INT), "first character of each"),
    ends=(pa.list_(INT), "one past the last character of each"),
    parsed=(BOOL, "whether the plan names at least one"),
    failure=(STRING, "?why there is no plan; null when there is one"),
)

GIVEN_CONTEXTS = schema(
    question_id=(STRING, "question"),
    policy=(STRING, "policy that shows it, by its name in section contexts"),
    budget_chars=(INT, "budget in characters"),
    text=(pa.large_string(), "text to show, within the budget"),
    cut=(BOOL, "whether it was longer and is cut at the budget"),
)

GIVEN_PREDICTIONS = schema(
    question_id=(STRING, "question"),
    system=(STRING, "finished system, by its name in section predictions"),
    letter=(STRING, "?letter answered; null where the file gives none"),
    gold=(STRING, "gold letter"),
    correct=(BOOL, "whether the answer is right; false where there is none"),
    failure=(STRING, "?absent where the file has no answer; null where it has one"),
)


# Of a router that chooses among controls these are all the features but those of the controls' own answers.
def question_features(scorers: Iterable[str]) -> pa.Schema:
    return schema(
        question_id=(STRING, "question"),
        domain=(STRING, "the question's domain"),
        sub_domain=(STRING, "finer task name; may be empty"),
        length=(STRING, "length class as the benchmark names it; may be empty"),
        context_chars=(INT, "characters of the context"),
        question_chars=(INT, "characters of the question and its choices"),
        atoms=(INT, "atoms of the context"),
        candidates=(INT, "atoms of the candidate pool"),
        **{
            name: column
            for scorer in scorers
            for name, column in {
                f"{scorer}_top": (FLOAT, f"greatest {scorer} score of the candidate pool"),
                f"{scorer}_mean": (FLOAT, f"mean {scorer} score of the pool"),
                f"{scorer}_entropy": (FLOAT, f"normalised entropy of the pool's {scorer} scores, 0 to 1 (flatness.py)"),
                f"{scorer}_gap": (FLOAT, f"gap of the two greatest {scorer} scores over their range, 0 to 1"),
                f"{scorer}_gini": (FLOAT, f"Gini coefficient of the pool's {scorer} scores, 0 to 1"),
                f"{scorer}_variation": (FLOAT, f"coefficient of variation of the pool's {scorer} scores, 0 or more"),
            }.items()
        },
    )


def router_features(scorers: Sequence[str], rerankers: Iterable[str]) -> pa.Schema:
    """The columns of data/router_features.parquet.

    Args:
        scorers: rankings that score a question's pool, see ``plancheck.params.rankings.scorers``.
        rerankers: those of them that rank the pool alone.
    """
    return pa.schema([*question_features(scorers), *pair_features(scorers, rerankers)])


def pair_features(scorers: Iterable[str], rerankers: Iterable[str]) -> pa.Schema:
    return schema(
        plan_parsed=(BOOL, "whether the planner's reply named an atom; false where the policy has no selector"),
        plan_atoms=(INT, "atoms that the plan names; 0 without a plan"),
        **{
            name: column
            for scorer in scorers
            for name, column in {
                f"plan_{scorer}_mean_rank": (
                    FLOAT,
                    f"?mean {scorer} rank of the plan's atoms; null where none has one",
                ),
                f"plan_{scorer}_best_rank": (INT, f"?best {scorer} rank of the plan's atoms; null where none has one"),
            }.items()
        },
        **{
            f"plan_{scorer}_overlap": (
                FLOAT,
                f"?share of the plan's n atoms in {scorer}'s first n; null without a plan",
            )
            for scorer in rerankers
        },
        **{
            name: column
            for side in ("control", "planner")
            for name, column in {
                f"{side}_answered": (BOOL, f"whether the {side} policy's answer has a letter"),
                f"{side}_confidence": (
                    FLOAT,
                    "?probability of its likeliest choice of k, 1/k to 1; null when unknown",
                ),
                f"{side}_margin": (FLOAT, "?that probability less the second greatest, 0 to 1"),
                f"{side}_entropy": (FLOAT, "?entropy of the k probabilities over ln k, 0 to 1"),
            }.items()
        },
        letters_agree=(BOOL, "whether both policies' answers have the same letter; false when one has none"),
        same_context=(BOOL, "whether both policies show the same packed context"),
    )


ROUTING = schema(
    question_id=(STRING, "question that was routed"),
    scheme=(STRING, "how the router was fitted: none, stratified, leave_one_domain_out or in_sample"),
    router=(STRING, "what chose the policy"),
    among=(STRING, "what it chose among: pair (route's two policies), controls (the best of each tier) or policies"),
    kind=(STRING, "oracle (reads the gold letters), deployable, fixed (one policy a fold) or optimistic (in sample)"),
    fold=(INT, "?fold that tested the question, from 0; null without folds"),
    learned=(INT, "?questions that the choice was learned from, 0 where a fold leaves none; null for oracles"),
    policy=(STRING, "policy chosen"),
    correct=(BOOL, "whether that policy's answer is right at route.budget_chars"),
)

TABLES: Final[Mapping[str, pa.Schema]] = {
    "questions": QUESTIONS,
    "contexts": CONTEXTS,
    "atoms": ATOMS,
    "rankings": RANKINGS,
    "candidates": CANDIDATES,
    "rerank": RANKINGS,
    "rerank_tuned": RANKINGS,
    "packed": PACKED,
    "predictions": PREDICTIONS,
    "traces": TRACES,
    "plans": PLANS,
    "given_plans": PLANS,
    "given_contexts": GIVEN_CONTEXTS,
    "given_predictions": GIVEN_PREDICTIONS,
    "routing": ROUTING,
}
