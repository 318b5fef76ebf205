"""Who and what a controlled context speaks of, and what is said of them."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from plancheck.benchmark.controlled_lexicon import Attribute, Lexicon, Role, World

T = TypeVar("T")
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


@dataclass(slots=True)
class Cast:
    """Who and what a context speaks of, and what was said of them; it never contradicts itself."""

    rng: random.Random
    lexicon: Lexicon
    world: World
    reserved: set[tuple[str, str]] = field(default_factory=set)
    stated: dict[tuple[tuple[str, str], str], str] = field(default_factory=dict)
    banned: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def thing(self) -> Entity:
        """A thing that no question is about."""
        while True:
            modifier, noun = self.rng.choice(self.world.modifiers), self.rng.choice(self.world.nouns)
            if (modifier[0], noun[0]) not in self.reserved:
                return thing(modifier, noun)

    def person(self) -> Entity:
        """A person that no question is about."""
        while True:
            parts = (self.rng.choice(self.lexicon.names.first), self.rng.choice(self.lexicon.names.last))
            if parts not in self.reserved:
                return person(parts)

    def reserve(self, entity: Entity) -> Entity:
        self.reserved.add(entity.parts)
        return entity

    def values(self, attribute: Attribute) -> list[str]:
        """Values that may be said of ``attribute`` without stating a choice in the relation it is asked for."""
        return [
            value for value in self.lexicon.kinds[attribute.kind] if value not in self.banned.get(attribute.label, ())
        ]

    def fact(self, entity: Entity, relation: Attribute | Role, *, gap: bool = False, value: str | None = None) -> Fact:
        """A fact at a random place; with the value given, else the one stated before, else a drawn one."""
        key = (entity.parts, relation.label)
        if value is None and key not in self.stated:
            value = self.rng.choice(self.values(relation)) if isinstance(relation, Attribute) else self.person().plain
        value = self.stated.setdefault(key, value or "")
        return Fact(entity, relation, value, gap, self.rng.random())

    def shuffled(self, items: Sequence[T]) -> list[T]:
        return self.rng.sample(items, len(items))


def thing(modifier: tuple[str, str], noun: tuple[str, str]) -> Entity:
    return Entity(f"the {modifier[0]} {noun[0]}", f"the {modifier[1]} {noun[1]}", (modifier[0], noun[0]), False)


def person(parts: tuple[str, str]) -> Entity:
    return Entity(" ".join(parts), " ".join(parts), parts, True)


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
