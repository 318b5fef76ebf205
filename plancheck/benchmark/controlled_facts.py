"""What a controlled context must state: evidence, its companions, near misses, and echoes of the choices."""

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

from plancheck.benchmark.controlled_cast import GAP_IN_BACKGROUND, Cast, Entity, Fact, person, thing
from plancheck.benchmark.controlled_lexicon import Attribute, Lexicon, World
from plancheck.plumbing.errors import StudyError

# Hops lie in different thirds of the context, so that no window holds both.
EARLY, LATE = (0.05, 0.35), (0.65, 0.95)
NEXT_TO = 1e-9


@dataclass(frozen=True, slots=True)
class Demand:
    """A question to make: its index in the benchmark and the knobs drawn for it."""

    index: int
    gap: bool
    two_hops: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's text, the attribute it asks for, the right value, and wrong ones of the same kind."""

    index: int
    question: str
    attribute: Attribute
    gold: str
    wrong: tuple[str, ...]


def plan_context(
    demands: Sequence[Demand],
    *,
    lexicon: Lexicon,
    world: World,
    choices: int,
    near_misses: int,
    echoes: int,
    rng: random.Random,
) -> tuple[list[Asked], list[Fact], Cast]:
    """The questions of one context, the facts they need in it, and the cast that background facts are drawn from.

    Wrong choices are each stated ``echoes`` times in another relation and the gold one once less, so that no
    choice is mentioned more often than another. No choice is stated in the asked relation but by the evidence.
    """
    cast = Cast(rng, lexicon, world)
    # One word more than choices: others are said to have it in the asked relation.
    kinds = {kind for kind, words in lexicon.kinds.items() if len(words) > choices}
    drafts = [_draft(demand, cast, attribute, choices) for demand, attribute in _attributes(demands, world, kinds, rng)]
    facts = list(chain.from_iterable(evidence for _, evidence in drafts))
    for asked, evidence in drafts:
        facts += chain.from_iterable(_companions(fact, asked, cast) for fact in evidence)
        facts += _near_misses(evidence, near_misses, asked, cast)
        facts += _echoes(asked, echoes, cast)
    return [asked for asked, _ in drafts], facts, cast


def _attributes(
    demands: Sequence[Demand], world: World, kinds: Collection[str], rng: random.Random
) -> Iterator[tuple[Demand, Attribute]]:
    """An attribute a demand, of these kinds, which differ within the context."""
    taken: list[Attribute] = []
    for demand in demands:
        pool = world.people if demand.two_hops else world.things
        fresh = [a for a in pool if a.kind in kinds and a.kind not in {other.kind for other in taken}]
        if not fresh:
            raise StudyError(
                "benchmark.controlled.choices: too few kinds of the lexicon have more words than a question has "
                "choices. Lower it, or give the lexicon more words."
            )
        taken.append(rng.choice(fresh))
        yield demand, taken[-1]


def _draft(demand: Demand, cast: Cast, attribute: Attribute, choices: int) -> tuple[Asked, list[Fact]]:
    rng = cast.rng
    values = rng.sample(cast.lexicon.kinds[attribute.kind], choices)
    cast.banned[attribute.label] = tuple(values)
    thing = cast.reserve(cast.thing())
    if demand.two_hops:
        role, person = rng.choice(cast.world.roles), cast.reserve(cast.person())
        places = [rng.uniform(*EARLY), rng.uniform(*LATE)]
        rng.shuffle(places)
        subject = role.subject.format(e=thing.plain)
        evidence = [
            Fact(thing, role, person.plain, demand.gap, places[0], demand.index),
            Fact(person, attribute, values[0], demand.gap, places[1], demand.index),
        ]
    else:
        subject = thing.plain
        evidence = [Fact(thing, attribute, values[0], demand.gap, rng.random(), demand.index)]
    for fact in evidence:
        cast.stated[fact.entity.parts, fact.relation.label] = fact.value
    question = attribute.question.format(e=subject)
    return Asked(demand.index, question, attribute, values[0], tuple(values[1:])), evidence


def _companions(fact: Fact, asked: Asked, cast: Cast) -> Iterator[Fact]:
    """Other facts about the entity right before and after its evidence, in the same words.

    A passage speaks of its subject more than once; without this no encoder finds one paraphrase among ten sentences.
    """
    places = (fact.place - NEXT_TO, fact.place + NEXT_TO)
    for relation, place in zip(_unsaid(fact.entity, asked, cast), places, strict=False):
        companion = cast.fact(fact.entity, relation, gap=fact.gap)
        yield replace(companion, place=place)


def _unsaid(entity: Entity, asked: Asked, cast: Cast) -> list[Attribute]:
    """Attributes of ``entity`` not yet stated and not of the asked kind, in random order."""
    return [
        attribute
        for attribute in cast.shuffled(cast.world.people if entity.person else cast.world.things)
        if attribute.kind != asked.attribute.kind and (entity.parts, attribute.label) not in cast.stated
    ]


def _near_misses(evidence: Sequence[Fact], count: int, asked: Asked, cast: Cast) -> list[Fact]:
    """Same entity in another relation, and namesakes in the same relation, taken in turn; none gives a choice."""
    last = evidence[-1]
    same = [(last.entity, relation) for relation in _unsaid(last.entity, asked, cast)]
    namesakes = [
        (entity, fact.relation)
        for fact in evidence
        for entity in _namesakes(fact.entity, cast)
        if (entity.parts, fact.relation.label) not in cast.stated
    ]
    turns = zip_longest(same, namesakes[0::2], namesakes[1::2])
    available = [candidate for turn in turns for candidate in turn if candidate]
    if len(available) < count:
        raise StudyError(
            f"benchmark.controlled.near_misses must be at most {len(available)} with this lexicon, got {count}. "
            "Lower it, or give the lexicon more words."
        )
    return [cast.fact(entity, relation) for entity, relation in available[:count]]


def _namesakes(entity: Entity, cast: Cast) -> list[Entity]:
    """Entities that share exactly one part with ``entity``, the two parts in turn, in random order."""
    firsts: Sequence[tuple[str, str]]
    if entity.person:
        names = cast.lexicon.names
        firsts, lasts = [(name, name) for name in names.first], [(name, name) for name in names.last]
    else:
        firsts, lasts = cast.world.modifiers, cast.world.nouns
    make = (lambda a, b: person((a[0], b[0]))) if entity.person else thing
    first = next(pair for pair in firsts if pair[0] == entity.parts[0])
    last = next(pair for pair in lasts if pair[0] == entity.parts[1])
    turns = zip_longest(
        [make(other, last) for other in cast.shuffled(firsts) if other != first],
        [make(first, other) for other in cast.shuffled(lasts) if other != last],
    )
    return [found for turn in turns for found in turn if found and found.parts not in cast.reserved]


def _echoes(asked: Asked, rounds: int, cast: Cast) -> Iterator[Fact]:
    """The choices stated of others in other relations."""
    relations = [
        (relation, person)
        for person, pool in ((False, cast.world.things), (True, cast.world.people))
        for relation in pool
        if relation.kind == asked.attribute.kind and relation != asked.attribute
    ]
    for value in [*asked.wrong * rounds, *[asked.gold] * (rounds - 1)]:
        relation, person = cast.rng.choice(relations)
        while True:
            entity = cast.person() if person else cast.thing()
            if (entity.parts, relation.label) not in cast.stated:
                break
        yield cast.fact(entity, relation, value=value, gap=cast.rng.random() < GAP_IN_BACKGROUND)
