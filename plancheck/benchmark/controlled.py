"""The controlled benchmark: generated questions in LongBench-v2's shape whose evidence is known to the character."""

import hashlib
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from plancheck.benchmark.controlled_facts import Asked, Demand, plan_context
from plancheck.benchmark.controlled_layout import lay_out
from plancheck.benchmark.controlled_lexicon import Lexicon, read_lexicon
from plancheck.benchmark.controlled_looks import LAYOUTS
from plancheck.params.benchmark import Controlled
from plancheck.records import LETTERS, Benchmark, Letter, Question

__all__ = ["Lexicon", "generate", "generate_others", "read_lexicon"]

LEXICON: Final = Path(__file__).with_name("lexicon.yaml")

# Length classes: share of contexts as in LongBench-v2 (180 / 215 / 108), and range in parts of the typical length.
LENGTHS = {"short": (180, 0.6, 0.85), "medium": (215, 0.85, 1.2), "long": (108, 1.2, 1.6)}
# Below this many characters one mention of each choice is all that leaves room for other text.
ROOMY_CHARS = 6_000


def generate(settings: Controlled, lexicon: Lexicon, *, seed: int) -> Benchmark:
    """Seeded multiple-choice questions over LongBench-v2's six domains, with contexts and evidence spans.

    Every question is answered by one sentence (or row) of its context, or by two far apart. Evidence spans cover
    exactly those sentences, in the order of the text. Wrong choices are stated of others in other relations; near
    misses state other values of namesakes in the same relation. Gold letters, and domains in LongBench-v2's shares,
    are as even as the number of questions allows; with 12 or more questions each domain has one. Contexts are
    0.6 to 1.6 times ``context_chars`` long, or as long as what they must state, if that is more.

    Knobs that are shares are rounded to whole questions. Questions share a context in twos, at times threes; one
    question alone cannot, nor can questions of different domains. ``difficulty`` is hard with a gap or two hops.

    Args:
        seed: part of every question ID, so benchmarks of different seeds share none. The same seed, settings and
            lexicon give the same text on every machine.

    Raises:
        StudyError: the lexicon is too small for ``near_misses`` or ``choices``.
    """
    count = settings.questions
    domains = _domains(count, seed)
    gaps = _drawn(count, settings.lexical_gap, _random(seed, "lexical_gap"))
    hops = _drawn(count, settings.two_hops, _random(seed, "two_hops"))
    letters = [LETTERS[index % settings.choices] for index in range(count)]
    _random(seed, "letters").shuffle(letters)
    contexts: dict[str, str] = {}
    questions: dict[int, Question] = {}
    for group in _groups(domains, round(count * settings.shared_contexts), _random(seed, "groups")):
        demands = [Demand(index, index in gaps, index in hops) for index in group]
        rng = _random(seed, f"context {group[0]}")
        length, chars = _length(settings.context_chars, rng)
        domain = domains[group[0]]
        layout = LAYOUTS[domain]
        asked, facts, cast = plan_context(
            demands,
            lexicon=lexicon,
            world=lexicon.worlds[layout.world],
            choices=settings.choices,
            near_misses=settings.near_misses,
            echoes=2 if settings.context_chars >= ROOMY_CHARS else 1,
            rng=rng,
        )
        text, evidence = lay_out(facts, cast, layout, flavour=lexicon.flavour, chars=chars)
        context_id = hashlib.sha256(text.encode()).hexdigest()
        contexts[context_id] = text
        for item, demand in zip(asked, demands, strict=True):
            questions[item.index] = Question(
                question_id=f"controlled-{seed}-{item.index + 1:04d}",
                domain=domain,
                sub_domain=layout.sub_domain,
                difficulty="hard" if demand.gap or demand.two_hops else "easy",
                length=length,
                question=item.question,
                choices=_choices(item, letters[item.index], rng),
                answer=letters[item.index],
                context_id=context_id,
                evidence=evidence[item.index],
            )
    return Benchmark(tuple(questions[index] for index in range(count)), contexts)


def generate_others(settings: Controlled, *, questions: int, seed: int) -> Benchmark:
    """Other questions of the kind, for a model to learn from: of our lexicon, whatever ``benchmark.path`` is.

    So new questions of the study need no new model.
    """
    return generate(settings.model_copy(update={"questions": questions}), read_lexicon(LEXICON), seed=seed)


def _random(seed: int, purpose: str) -> random.Random:
    return random.Random(int.from_bytes(hashlib.sha256(f"{seed} {purpose}".encode()).digest()[:16], "big"))


def _drawn(count: int, share: float, rng: random.Random) -> set[int]:
    return set(rng.sample(range(count), round(count * share)))


def _domains(count: int, seed: int) -> list[str]:
    """A domain a question, by largest remainder of the shares; each has one when there are 12 or more."""
    total = sum(layout.share for layout in LAYOUTS.values())
    least = 1 if count >= 2 * len(LAYOUTS) else 0
    quotas = {domain: (count - least * len(LAYOUTS)) * layout.share / total for domain, layout in LAYOUTS.items()}
    sizes = {domain: int(quota) + least for domain, quota in quotas.items()}
    by_remainder = sorted(LAYOUTS, key=lambda domain: int(quotas[domain]) - quotas[domain])
    for domain in by_remainder[: count - sum(sizes.values())]:
        sizes[domain] += 1
    domains = [domain for domain, size in sizes.items() for _ in range(size)]
    _random(seed, "domains").shuffle(domains)
    return domains


def _groups(domains: Sequence[str], sharing: int, rng: random.Random) -> list[list[int]]:
    """Question indices by context: pairs of one domain until ``sharing`` questions share, the odd one a third."""
    alone: dict[str, list[int]] = {}
    for index in rng.sample(range(len(domains)), len(domains)):
        alone.setdefault(domains[index], []).append(index)
    pairs: list[list[int]] = []
    while sharing >= 2 and (able := [domain for domain, members in alone.items() if len(members) >= 2]):
        domain = max(able, key=lambda name: len(alone[name]))
        pairs.append(sorted([alone[domain].pop(), alone[domain].pop()]))
        sharing -= 2
    for pair in pairs:
        if sharing > 0 and alone[domains[pair[0]]]:
            pair.append(alone[domains[pair[0]]].pop())
            sharing -= 1
    return pairs + [[index] for members in alone.values() for index in members]


def _length(context_chars: int, rng: random.Random) -> tuple[str, int]:
    name = rng.choices(list(LENGTHS), [share for share, _, _ in LENGTHS.values()])[0]
    _, low, high = LENGTHS[name]
    return name, round(context_chars * rng.uniform(low, high))


def _choices(item: Asked, gold: Letter, rng: random.Random) -> tuple[str, ...]:
    choices = rng.sample(item.wrong, len(item.wrong))
    choices.insert(LETTERS.index(gold), item.gold)
    return tuple(item.attribute.answer.format(v=value) for value in choices)
