"""Mining: plans sampled for a question, and what each of them alone shows the answer model."""

from collections.abc import Sequence
from dataclasses import dataclass

from plancheck.packing import pack, packed_id
from plancheck.params.pack import Pack
from plancheck.params.planning import Mine
from plancheck.params.planning import Planner as Shown
from plancheck.planning.parsing import unknown_numbers
from plancheck.planning.plans import Pool, Selected, candidate_texts, read_plan
from plancheck.planning.prompt import planner_messages
from plancheck.planning.replies import Planner, Reply, Said, greedy, sampled
from plancheck.planning.traces import first_of_each
from plancheck.records import Piece


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


def sample_plans(pool: Pool, planner: Planner, shown: Shown, settings: Mine) -> Planned:
    """``settings.samples`` plans of a question."""
    said = sampled(planner, messages_of(pool, shown), question_id=pool.question.question_id, settings=settings)
    return planned(said, pool, shown)


def greedy_plan(pool: Pool, planner: Planner, shown: Shown) -> Planned:
    """The one plan of a question that the planner's likeliest reply gives."""
    said = greedy(planner, messages_of(pool, shown))
    return planned(said, pool, shown)


def planned(said: Said, pool: Pool, shown: Shown) -> Planned:
    texts = [reply.text for reply in said.replies if reply.text is not None]
    return Planned(
        tuple(plan_of(reply, pool, shown) for reply in said.replies),
        said.calls,
        sum(unknown_numbers(text, candidates=len(pool.candidates)) for text in texts),
    )


def messages_of(pool: Pool, shown: Shown) -> list[dict[str, str]]:
    texts = candidate_texts(pool, snippet_chars=shown.snippet_chars)
    return planner_messages(pool.question, texts, max_atoms=shown.max_atoms)


def plan_of(reply: Reply, pool: Pool, shown: Shown) -> Selected:
    if reply.text is None:
        return Selected((), reply.failure)
    return read_plan(reply.text, pool.candidates, max_atoms=shown.max_atoms)


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
