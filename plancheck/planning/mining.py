"""Mining: plans sampled for a question, and what each of them alone shows the answer model."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from plancheck.packing import pack, packed_id
from plancheck.params.pack import Pack
from plancheck.params.planning import Mine
from plancheck.params.planning import Planner as Shown
from plancheck.planning.parsing import is_complete, unknown_numbers
from plancheck.planning.plans import Pool, Selected, candidate_texts, read_plan
from plancheck.planning.prompt import planner_messages
from plancheck.planning.replies import Chat, Planner, Reply, greedy, sampled
from plancheck.planning.served import ServedPlanner
from plancheck.planning.traces import first_of_each
from plancheck.records import Atom, Piece


@dataclass(frozen=True, slots=True)
class Planned:
    """A question's plans in order.

    ``calls`` counts the replies the model was asked for (the others were remembered), ``unknown`` the numbers in
    replies that are no candidate's and so in no plan.
    """

    plans: tuple[Selected, ...]
    calls: int
    unknown: int


@dataclass(frozen=True, slots=True)
class Execution:
    """What a plan alone shows. ``packed_id`` is equal for plans of a question that show the same text."""

    sample: int
    packed_id: str
    pieces: tuple[Piece, ...]
    chars: int


def sample_plans(pool: Pool, planner: Planner | ServedPlanner, shown: Shown, settings: Mine) -> Planned:
    """``settings.samples`` plans of a question."""
    chat, question_id = chat_of(pool, shown), pool.question.question_id
    if isinstance(planner, ServedPlanner):
        said = planner.sampled(chat, question_id=question_id, settings=settings)
    else:
        said = sampled(planner, chat, question_id=question_id, settings=settings)
    return planned(said.replies, said.calls, pool.candidates, shown)


def greedy_plans(pools: Iterable[Pool], planner: Planner | ServedPlanner, shown: Shown) -> dict[str, Planned]:
    """The one plan of each question, by ID, that the planner's likeliest reply gives; all are asked together."""
    candidates: dict[str, tuple[Atom, ...]] = {}
    chats = []
    for pool in pools:  # no context is kept
        candidates[pool.question.question_id] = pool.candidates
        chats.append(chat_of(pool, shown))
    said = planner.greedy(chats) if isinstance(planner, ServedPlanner) else greedy(planner, chats)
    return {
        name: planned([reply], int(asked), found, shown)
        for (name, found), reply, asked in zip(candidates.items(), said.replies, said.asked, strict=True)
    }


def planned(replies: Sequence[Reply], calls: int, candidates: Sequence[Atom], shown: Shown) -> Planned:
    texts = [reply.text for reply in replies if reply.text is not None]
    return Planned(
        tuple(plan_of(reply, candidates, shown) for reply in replies),
        calls,
        sum(unknown_numbers(text, candidates=len(candidates)) for text in texts),
    )


def chat_of(pool: Pool, shown: Shown) -> Chat:
    named = {"candidates": len(pool.candidates), "max_atoms": shown.max_atoms}
    return Chat(messages_of(pool, shown), lambda reply: is_complete(reply, **named))


def messages_of(pool: Pool, shown: Shown) -> list[dict[str, str]]:
    texts = candidate_texts(pool, snippet_chars=shown.snippet_chars)
    return planner_messages(pool.question, texts, shown)


def plan_of(reply: Reply, candidates: Sequence[Atom], shown: Shown) -> Selected:
    if reply.text is None:
        return Selected((), reply.failure)
    return read_plan(reply.text, candidates, max_atoms=shown.max_atoms)


def executions(pool: Pool, plans: Sequence[Selected], packing: Pack, *, budget_chars: int) -> list[Execution]:
    """The packed context of every plan that has atoms and repeats no earlier one, by sample."""
    atoms = {atom.atom_id: atom for atom in pool.candidates}
    found = []
    for number, (plan, earlier) in enumerate(zip(plans, first_of_each(plans), strict=True)):
        if not plan.atom_ids or earlier is not None:
            continue
        packed = pack(
            [atoms[atom_id] for atom_id in plan.atom_ids],
            budget_chars=budget_chars,
            overflow=packing.overflow,
            merge_overlaps=packing.merge_overlaps,
        )
        shown = packed_id(pool.question.question_id, pool.context, packed.pieces)
        found.append(Execution(number, shown, packed.pieces, packed.chars))
    return found
