"""What a controlled context states: evidence, near misses, echoes of the choices, and background facts."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import TypeVar

from plancheck.benchmark.controlled_lexicon import Attribute, Lexicon, Role, World
from plancheck.errors import StudyError

T = TypeVar("T")
CHOICES = 4
# Hops lie in different thirds of the context, so that no window holds both.
EARLY, LATE = (0.05, 0.35), (0.65, 0.95)
GAP_IN_BACKGROUND = 0.3


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing or person; ``parts`` are its modifier and noun, or first and last name."""

    plain: str
    gap: str
    parts: tuple[str, str]
    person: bool


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation to state. ``place`` is where in the context, 0 to 1; ``evidence_of`` the question's index, if any."""

    entity: Entity
    relation: Attribute | Role
    value: str
    gap: bool
    place: float
    evidence_of: int | None = None


@dataclass(frozen=True, slots=True)
class Demand:
    """A question to make: its index in the benchmark and the knobs drawn for it."""

    index: int
    gap: bool
    two_hops: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's text, its right value, three wrong values of the same kind, and their wording as choices."""

    index: int
    question: str
    gold: str
    wrong: tuple[str, ...]
    answer: str


@dataclass(slots=True)
class Cast:
    """Who and what a context speaks of, and what was said of them; it never contradicts itself."""

    rng: random.Random
    lexicon: Lexicon
    world: World
    reserved: set[tuple[str, str]] = field(default_factory=set)
    stated: dict[tuple[tuple[str, str], str], str] = field(default_factory=dict)
    banned: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def thing(self, modifiers: Sequence[tuple[str, str]] = (), nouns: Sequence[tuple[str, str]] = ()) -> Entity:
        """A thing that no question is about, with one of the given modifiers and nouns (default: any)."""
        while True:
            modifier = self.rng.choice(modifiers or self.world.modifiers)
            noun = self.rng.choice(nouns or self.world.nouns)
            if (modifier[0], noun[0]) not in self.reserved:
                return _thing(modifier, noun)

    def person(self) -> Entity:
        """A person that no question is about."""
        while True:
            parts = (self.rng.choice(self.lexicon.names.first), self.rng.choice(self.lexicon.names.last))
            if parts not in self.reserved:
                return _person(parts)

    def reserve(self, entity: Entity) -> Entity:
        self.reserved.add(entity.parts)
        return entity

    def values(self, attribute: Attribute) -> list[str]:
        """Values that may be said of ``attribute`` without stating a choice in the relation it is asked for."""
        return [value for value in self.lexicon.kinds[attribute.kind] if value not in self.banned.get(attribute.label, ())]

    def fact(self, entity: Entity, relation: Attribute | Role, *, gap: bool = False, value: str | None = None) -> Fact:
        """A fact at a random place; with the value given, else the one stated before, else a drawn one."""
        key = (entity.parts, relation.label)
        if value is None and key not in self.stated:
            value = self.rng.choice(self.values(relation)) if isinstance(relation, Attribute) else self.person().plain
        value = self.stated.setdefault(key, value or "")
        return Fact(entity, relation, value, gap, self.rng.random())


def plan_context(
    demands: Sequence[Demand], *, lexicon: Lexicon, world: World, near_misses: int, echoes: int, rng: random.Random
) -> tuple[list[Asked], list[Fact], Cast]:
    """The questions of one context, the facts they need in it, and the cast that background facts are drawn from.

    Three wrong choices are each stated ``echoes`` times in another relation and the gold one once less, so that no
    choice is mentioned more often than another. No choice is stated in the asked relation but by the evidence.
    """
    cast = Cast(rng, lexicon, world)
    drafts = [_draft(demand, cast, attribute) for demand, attribute in _attributes(demands, world, rng)]
    facts = list(chain.from_iterable(evidence for _, evidence in drafts))
    for asked, evidence in drafts:
        facts += _near_misses(evidence, near_misses, asked, cast)
        facts += _echoes(evidence[-1].relation, asked, echoes, cast)
    return [asked for asked, _ in drafts], facts, cast


def background(cast: Cast) -> Iterator[Fact]:
    """Endless facts about things and people that no question is about."""
    while True:
        gap = cast.rng.random() < GAP_IN_BACKGROUND
        match cast.rng.choices(("thing", "person", "role"), (6, 3, 1))[0]:
            case "thing":
                yield cast.fact(cast.thing(), cast.rng.choice(cast.world.things), gap=gap)
            case "person":
                yield cast.fact(cast.person(), cast.rng.choice(cast.world.people), gap=gap)
            case _:
                yield cast.fact(cast.thing(), cast.rng.choice(cast.world.roles), gap=gap)


def _attributes(
    demands: Sequence[Demand], world: World, rng: random.Random
) -> Iterator[tuple[Demand, Attribute]]:
    """An attribute a demand, of kinds that differ within the context while they last."""
    taken: list[Attribute] = []
    for demand in demands:
        pool = world.people if demand.two_hops else world.things
        fresh = [a for a in pool if a.kind not in {other.kind for other in taken}]
        taken.append(rng.choice(fresh or [a for a in pool if a not in taken]))
        yield demand, taken[-1]


def _draft(demand: Demand, cast: Cast, attribute: Attribute) -> tuple[Asked, list[Fact]]:
    rng = cast.rng
    values = rng.sample(cast.lexicon.kinds[attribute.kind], CHOICES)
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
    asked = attribute.question.format(e=subject)
    return Asked(demand.index, asked, values[0], tuple(values[1:]), attribute.answer), evidence


def _near_misses(evidence: Sequence[Fact], count: int, asked: Asked, cast: Cast) -> list[Fact]:
    """Same entity in another relation, and namesakes in the same relation, taken in turn; none gives a choice."""
    last = evidence[-1]
    others = _shuffled(cast, cast.world.people if last.entity.person else cast.world.things)
    choices = {asked.gold, *asked.wrong}
    same = [
        (last.entity, relation, value)
        for relation in others
        if (last.entity.parts, relation.label) not in cast.stated
        and (value := cast.rng.choice([v for v in cast.values(relation) if v not in choices]))
    ]
    namesakes = [
        (entity, fact.relation, None)
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
    return [cast.fact(entity, relation, value=value) for entity, relation, value in available[:count]]


def _namesakes(entity: Entity, cast: Cast) -> list[Entity]:
    """Entities that share exactly one part with ``entity``, the two parts in turn, in random order."""
    firsts: Sequence[tuple[str, str]]
    if entity.person:
        names = cast.lexicon.names
        firsts, lasts = [(name, name) for name in names.first], [(name, name) for name in names.last]
    else:
        firsts, lasts = cast.world.modifiers, cast.world.nouns
    make = (lambda a, b: _person((a[0], b[0]))) if entity.person else _thing
    first = next(pair for pair in firsts if pair[0] == entity.parts[0])
    last = next(pair for pair in lasts if pair[0] == entity.parts[1])
    turns = zip_longest(
        [make(other, last) for other in _shuffled(cast, firsts) if other != first],
        [make(first, other) for other in _shuffled(cast, lasts) if other != last],
    )
    return [found for turn in turns for found in turn if found and found.parts not in cast.reserved]


def _echoes(asked_relation: Attribute | Role, asked: Asked, rounds: int, cast: Cast) -> Iterator[Fact]:
    """The choices stated of others in other relations."""
    assert isinstance(asked_relation, Attribute)
    for value in [*asked.wrong * rounds, *[asked.gold] * (rounds - 1)]:
        relations = [
            (relation, person)
            for person, pool in ((False, cast.world.things), (True, cast.world.people))
            for relation in pool
            if relation.kind == asked_relation.kind
            and relation.label != asked_relation.label
            and value in cast.values(relation)
        ]
        relation, person = cast.rng.choice(relations)
        while True:
            entity = cast.person() if person else cast.thing()
            if (entity.parts, relation.label) not in cast.stated:
                break
        yield cast.fact(entity, relation, value=value, gap=cast.rng.random() < GAP_IN_BACKGROUND)


def _thing(modifier: tuple[str, str], noun: tuple[str, str]) -> Entity:
    return Entity(f"the {modifier[0]} {noun[0]}", f"the {modifier[1]} {noun[1]}", (modifier[0], noun[0]), False)


def _person(parts: tuple[str, str]) -> Entity:
    return Entity(" ".join(parts), " ".join(parts), parts, True)


def _shuffled(cast: Cast, items: Sequence[T]) -> list[T]:
    return cast.rng.sample(list(items), len(items))
