"""The distinct prompts of stage answer: counted in packed contexts, or bounded, or packed on trial."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os.path import commonprefix

from plancheck.answering.prompt import asker
from plancheck.estimating.material import Material
from plancheck.known import complete
from plancheck.packing import packed_text
from plancheck.params.pack import SPANS
from plancheck.params.rankings import CrossEncoder, Fusion
from plancheck.params.selectors import RankingSelector
from plancheck.params.study import Params
from plancheck.planning.seeds import seed_of
from plancheck.plumbing.files import DATA, read_table
from plancheck.policies import order
from plancheck.records import Atom, Piece, Question
from plancheck.retrieval.ranking import Ranking
from plancheck.stages.pack import pack_one
from plancheck.tables import PackedContext, read_packed_contexts

SAMPLED = 40  # questions that are packed on trial, or whose prompts are compared


@dataclass(frozen=True, slots=True)
class Shown:
    """The distinct prompts of a study.

    Attributes:
        prompts: how many there are.
        chars: of context that they show, all together.
        question_chars: characters that the questions with their choices and the template add, all together.
        choice_chars: characters of the choices, all together, as often as they are read.
        fresh: share of their characters that no prompt of the same question before it, in the order of their texts,
            begins with: what is left to read when shared beginnings are read once. None where it is not known.
    """

    prompts: int
    chars: int
    question_chars: int
    choice_chars: int
    fresh: float | None


def packed(material: Material, params: Params) -> Shown | None:
    """What data/packed.parquet shows; None where it is not there or is of other questions, policies or budgets."""
    path = DATA / "packed.parquet"
    if not path.exists():
        return None
    table = read_table(path, columns=["question_id", "policy", "budget_chars", "packed_id", "chars"])
    conditions = {(policy, budget) for policy in params.shown for budget in params.pack.budgets_chars}
    found = set(zip(table["policy"].to_pylist(), table["budget_chars"].to_pylist(), strict=True))
    if found != conditions or set(table["question_id"].to_pylist()) != {one.question_id for one in material.questions}:
        return None
    distinct = {
        packed_id: (question_id, chars)
        for question_id, packed_id, chars in zip(
            *(table[name].to_pylist() for name in ("question_id", "packed_id", "chars")), strict=True
        )
    }
    some = sample(material.questions)
    contexts = read_packed_contexts([question.question_id for question in some])
    return measured(material, params, list(distinct.values()), fresh_share(material, params, some, contexts))


def bound(material: Material, params: Params) -> Shown:
    """At most so many: every condition another prompt, but for policies that show nothing at any budget.

    Each shows as much as its budget holds.
    """
    nothing = [name for name, policy in params.pack.policies.items() if policy.fill == "none" and not policy.selector]
    shown = []
    for question in material.questions:
        chars = material.chars[question.context_id]
        if nothing:
            shown.append((question.question_id, 0))
        shown += [
            (question.question_id, min(budget, chars))
            for budget in params.pack.budgets_chars
            for _ in range(len(params.shown) - len(nothing))
        ]
    return measured(material, params, shown, None)


def tried(material: Material, params: Params) -> Shown:
    """About so many if rankings and plans agreed by chance alone: some questions packed with orders drawn at random.

    Real rankings agree more often, so that there are mostly fewer prompts. The user's own contexts count as all
    different. Plans name 1 to planner.max_atoms candidates.
    """
    some = sample(material.questions)
    packs = [one for question in some for one in on_trial(question, material, params)]
    shown = [(context.question_id, chars) for context, chars in packs]
    shown += [
        (question.question_id, budget)
        for question in some
        for budget in params.pack.budgets_chars
        for _ in params.contexts
    ]
    contexts = [context for context, _ in packs]
    found = measured(material, params, shown, fresh_share(material, params, some, contexts))
    times = len(material.questions) / len(some)
    return Shown(
        round(found.prompts * times), round(found.chars * times), round(found.question_chars * times),
        round(found.choice_chars * times), found.fresh,
    )  # fmt: skip


def sample(questions: Sequence[Question]) -> list[Question]:
    """At most SAMPLED of them, evenly spaced."""
    step = max(1, -(-len(questions) // SAMPLED))
    return list(questions[::step])


def on_trial(question: Question, material: Material, params: Params) -> list[tuple[PackedContext, int]]:
    """The distinct contexts that a question's policies show when every ranking is an order of its own, each with the
    characters that it shows.
    """
    atoms = material.atoms[question.context_id]
    rankings = drawn_rankings(question, atoms, params)
    plans = drawn_plans(question, atoms, rankings, params)
    chars = material.chars[question.context_id]
    found: dict[tuple[Piece, ...], int] = {}
    for policy in params.pack.policies.values():
        ordered: Sequence[Atom] = atoms
        if policy.fill not in SPANS:
            ordered = order(policy, rankings, atoms, plan=plans.get(policy.selector or "", ()))
        for budget in params.pack.budgets_chars:
            shown = pack_one(policy, ordered, params.pack, context_chars=chars, budget_chars=budget)
            found[shown.pieces] = shown.chars
    return [
        (PackedContext(f"{number:06}", question.question_id, pieces), chars)
        for number, (pieces, chars) in enumerate(found.items())
    ]


def drawn_rankings(question: Question, atoms: Sequence[Atom], params: Params) -> dict[str, Ranking]:
    """Orders drawn at random, and what is made of them."""
    stored = {}
    for name, spec in params.rankings.items():
        if isinstance(spec, Fusion):
            continue
        drawn = [atom.atom_id for atom in atoms]
        random.Random(seed_of(0, question.question_id, name)).shuffle(drawn)
        stored[name] = drawn[: params.retrieve.pool.size] if isinstance(spec, CrossEncoder) else drawn
    return complete(stored, params.rankings, atoms, question.question_id)[0]


def drawn_plans(
    question: Question, atoms: Sequence[Atom], rankings: Mapping[str, Ranking], params: Params
) -> dict[str, list[Atom]]:
    plans = {}
    for name, selector in params.selectors.items():
        if isinstance(selector, RankingSelector):
            plans[name] = [atoms[position] for position in rankings[selector.ranking][: selector.atoms]]
            continue
        drawing = random.Random(seed_of(1, question.question_id, name))
        most = min(params.planner.max_atoms, len(atoms))
        plans[name] = drawing.sample(list(atoms), drawing.randint(1, most))
    return plans


def measured(material: Material, params: Params, shown: Sequence[tuple[str, int]], fresh: float | None) -> Shown:
    """Prompts as pairs of question ID and characters of context."""
    messages = asker(params.answer)
    # What is asked beside the context: with one character of context shown, less that one.
    beside = {one.question_id: len(messages(one, "x")[0]["content"]) - 1 for one in material.questions}
    choices = {one.question_id: sum(map(len, one.choices)) for one in material.questions}
    return Shown(
        len(shown),
        sum(chars for _, chars in shown),
        sum(beside[name] for name, _ in shown),
        sum(choices[name] for name, _ in shown) if params.answer.mode == "likelihood" else 0,
        fresh,
    )


def fresh_share(
    material: Material, params: Params, questions: Sequence[Question], contexts: Sequence[PackedContext]
) -> float | None:
    """Of the characters of these prompts, those with which no prompt of the question, put before it, begins."""
    if material.text is None:
        return None
    total = fresh = 0
    messages = asker(params.answer)
    for question in questions:
        text = material.text(question.context_id)
        prompts = sorted(
            messages(question, packed_text(text, one.pieces) if one.text is None else one.text)[0]["content"]
            for one in contexts
            if one.question_id == question.question_id
        )
        total += sum(map(len, prompts))
        fresh += sum(map(len, prompts)) - sum(len(commonprefix(pair)) for pair in pairwise(prompts))  # noqa: RUF071
    return fresh / total if total else None
