import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from plancheck.benchmark.controlled import generate, read_lexicon
from plancheck.benchmark.controlled_lexicon import Attribute, content_words
from plancheck.params.benchmark import Controlled
from plancheck.plumbing.errors import StudyError
from plancheck.records import LETTERS, Benchmark, Question

LEXICON_PATH = Path(__file__).parents[2] / "plancheck/benchmark/lexicon.yaml"
LEXICON = read_lexicon(LEXICON_PATH)
PINNED = "8af5dd6614910be1bbf6917ad6025a7f9a9c0adc9595047e1ffe6cd2b29824e3"
DEFAULTS = {
    "questions": 60,
    "context_chars": 12_000,
    "lexical_gap": 0.3,
    "two_hops": 0.2,
    "near_misses": 3,
    "shared_contexts": 0.2,
}


def made(seed: int = 7, **knobs: float) -> Benchmark:
    return generate(Controlled.model_validate({**DEFAULTS, **knobs}), LEXICON, seed=seed)


def digest(benchmark: Benchmark) -> str:
    # The group is the context itself here: groups are made by stage benchmark.
    rows = [asdict(question) for question in benchmark.questions]
    assert all(row.pop("context_group") == row["context_id"] for row in rows)
    text = json.dumps([rows, dict(benchmark.contexts)], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def evidence(benchmark: Benchmark, question: Question) -> list[str]:
    assert question.evidence is not None
    text = benchmark.contexts[question.context_id]
    return [text[span.start : span.end] for span in question.evidence]


def value(choice: str) -> str:
    """The word of a choice that is a value of some kind."""
    values = {value for kind in LEXICON.kinds.values() for value in kind}
    [found] = [word for word in re.findall(r"\w+", choice) if word in values]
    return found


def gold(question: Question) -> str:
    return question.choices[LETTERS.index(question.answer)]


def asked_attribute(question: Question) -> Attribute:
    [found] = [
        attribute
        for attribute in LEXICON.attributes()
        if attribute.answer.format(v=value(gold(question))) == gold(question)
        and question.question.startswith(attribute.question.split("{e}")[0])
    ]
    return found


def stated_forms(benchmark: Benchmark, question: Question, attribute: Attribute, said: str) -> list[str]:
    """Statements of the asked relation with value ``said``, of any entity, in any wording."""
    sentences = [re.escape(form).replace(r"\{e\}", r"[\w ]+") for form in [*attribute.plain, *attribute.gap]]
    labels = [re.escape(label) for label in (attribute.label, attribute.gap_label)]
    forms = [*sentences, *(rf"{x}\. Output: \{{v\}}\." for x in labels), *(rf"\| {x} \| \{{v\}} \|" for x in labels)]
    pattern = "|".join(forms).replace(r"\{v\}", said)
    return re.findall(pattern, benchmark.contexts[question.context_id], re.IGNORECASE)


@pytest.fixture(scope="module")
def benchmark() -> Benchmark:
    return made()


# --- determinism ------------------------------------------------------------------------------------------------


def test_a_seed_always_gives_the_same_bytes() -> None:
    assert digest(made(111, questions=12, context_chars=3_000)) == PINNED


def test_another_process_with_another_hash_seed_gives_the_same_bytes(benchmark: Benchmark) -> None:
    program = (
        "import hashlib, pathlib\n"
        "from plancheck.benchmark.controlled import generate, read_lexicon\n"
        "from plancheck.params.benchmark import Controlled\n"
        f"made = generate(Controlled(**{DEFAULTS!r}), read_lexicon(pathlib.Path({str(LEXICON_PATH)!r})), seed=7)\n"
        "print(hashlib.sha256(repr((made.questions, sorted(made.contexts))).encode()).hexdigest())\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONHASHSEED": "3"}, capture_output=True, text=True, check=True
    )
    here = hashlib.sha256(repr((benchmark.questions, sorted(benchmark.contexts))).encode()).hexdigest()
    assert ran.stdout.strip() == here


def test_two_seeds_share_no_id_no_context_and_no_question_with_its_evidence(benchmark: Benchmark) -> None:
    other = made(8)
    assert not {q.question_id for q in benchmark.questions} & {q.question_id for q in other.questions}
    assert not set(benchmark.contexts) & set(other.contexts)
    assert not {(q.question, q.choices) for q in benchmark.questions} & {
        (q.question, q.choices) for q in other.questions
    }


def test_ids_of_seeds_that_end_alike_differ() -> None:
    small = {"questions": 12, "context_chars": 2_000}
    ids = [{q.question_id for q in made(seed, **small).questions} for seed in (1, 11, 111)]
    assert len(set.union(*ids)) == 36


# --- questions --------------------------------------------------------------------------------------------------


def test_context_ids_are_the_hashes_of_the_texts_and_all_are_used(benchmark: Benchmark) -> None:
    for context_id, text in benchmark.contexts.items():
        assert context_id == hashlib.sha256(text.encode()).hexdigest()
    assert {q.context_id for q in benchmark.questions} == set(benchmark.contexts)


def test_choices_are_distinct_and_of_similar_length(benchmark: Benchmark) -> None:
    for question in benchmark.questions:
        assert len({value(choice) for choice in question.choices}) == 4
        lengths = [len(choice) for choice in question.choices]
        assert max(lengths) - min(lengths) <= 7


@pytest.mark.parametrize("count", [4, 59, 60])
def test_gold_letters_are_balanced(count: int) -> None:
    letters = Counter(question.answer for question in made(questions=count).questions)
    assert max(letters.values()) - min(letters.values()) <= 1


@pytest.mark.parametrize("choices", [2, 5, 7, 10])
def test_questions_have_as_many_choices_as_asked_for_and_one_that_is_stated(choices: int) -> None:
    benchmark = made(choices=choices, context_chars=3_000)
    letters = Counter(question.answer for question in benchmark.questions)
    assert set(letters) == set(LETTERS[:choices])
    assert max(letters.values()) - min(letters.values()) <= 1
    for question in benchmark.questions:
        assert len({value(choice) for choice in question.choices}) == choices
        attribute = asked_attribute(question)
        stated = [c for c in question.choices if stated_forms(benchmark, question, attribute, value(c))]
        assert stated == [gold(question)]


def test_more_choices_than_the_lexicon_has_words_for_is_an_error() -> None:
    kinds = {kind: words[:6] for kind, words in LEXICON.kinds.items()}
    small = LEXICON.model_copy(update={"kinds": kinds})
    assert generate(Controlled.model_validate({**DEFAULTS, "choices": 5}), small, seed=7).questions
    with pytest.raises(StudyError, match=r"benchmark\.controlled\.choices.*Lower it"):
        generate(Controlled.model_validate({**DEFAULTS, "choices": 6}), small, seed=7)


def test_domains_have_longbench_v2s_shares(benchmark: Benchmark) -> None:
    assert Counter(question.domain for question in benchmark.questions) == {
        "Single-Document QA": 20,
        "Multi-Document QA": 14,
        "Long In-context Learning": 10,
        "Code Repository Understanding": 6,
        "Long-dialogue History Understanding": 5,
        "Long Structured Data Understanding": 5,
    }


@pytest.mark.parametrize("count", [12, 13, 17])
def test_every_domain_has_a_question_from_twelve_questions_on(count: int) -> None:
    assert len({question.domain for question in made(questions=count, context_chars=2_000).questions}) == 6


def test_a_single_question_can_be_made() -> None:
    assert len(made(questions=1, shared_contexts=1, lexical_gap=1, two_hops=1).questions) == 1


# --- evidence ---------------------------------------------------------------------------------------------------


def test_evidence_is_a_whole_statement_that_gives_the_gold_value_and_no_other_choice(benchmark: Benchmark) -> None:
    for question in benchmark.questions:
        spans = evidence(benchmark, question)
        said = " ".join(spans)
        assert all(span.endswith((".", "|")) and "\n" not in span for span in spans)
        assert all(span[0].isupper() or span[0] == "|" for span in spans)
        assert [choice for choice in question.choices if re.search(rf"\b{value(choice)}\b", said)] == [gold(question)]


def test_evidence_spans_are_in_order_and_apart(benchmark: Benchmark) -> None:
    for question in benchmark.questions:
        assert question.evidence
        for before, after in zip(question.evidence, question.evidence[1:], strict=False):
            assert before.end < after.start


def test_near_misses_of_namesakes_state_the_asked_relation_with_values_that_are_no_choice() -> None:
    benchmark = made(near_misses=3, two_hops=0, lexical_gap=0, shared_contexts=0, context_chars=2_000)
    for question in benchmark.questions:
        attribute = asked_attribute(question)
        stated = [
            said
            for choice in LEXICON.kinds[attribute.kind]
            for said in stated_forms(benchmark, question, attribute, choice)
        ]
        assert len(stated) >= 3


def test_the_evidence_is_stated_nowhere_else(benchmark: Benchmark) -> None:
    for question in benchmark.questions:
        for statement in evidence(benchmark, question):
            assert benchmark.contexts[question.context_id].count(statement) == 1


def test_no_wrong_choice_is_stated_in_the_asked_relation(benchmark: Benchmark) -> None:
    for question in benchmark.questions:
        attribute = asked_attribute(question)
        stated = [c for c in question.choices if stated_forms(benchmark, question, attribute, value(c))]
        assert stated == [gold(question)]


def test_every_choice_is_mentioned_so_that_mention_alone_gives_no_answer(benchmark: Benchmark) -> None:
    for question in benchmark.questions:
        words = Counter(re.findall(r"\w+", benchmark.contexts[question.context_id]))
        assert all(words[value(choice)] >= 2 for choice in question.choices)


def test_the_most_mentioned_choice_is_right_no_more_often_than_chance() -> None:
    right = 0
    for question in (large := made(3, questions=200)).questions:
        words = Counter(re.findall(r"\w+", large.contexts[question.context_id]))
        right += max(question.choices, key=lambda choice: words[value(choice)]) == gold(question)
    assert 0.12 < right / 200 < 0.38


# --- knobs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_lexical_gap_is_the_share_whose_evidence_shares_no_content_word_with_the_question(share: float) -> None:
    gapped = 0
    for question in (benchmark := made(lexical_gap=share, two_hops=0)).questions:
        [statement] = evidence(benchmark, question)
        asked = content_words(question.question)
        said = content_words(re.sub(r"^Input:|Output:", "", statement))
        gapped += not asked & said
    assert gapped == round(60 * share)


@pytest.mark.parametrize("share", [0, 0.2, 1])
def test_two_hops_is_the_share_with_evidence_in_two_far_places_joined_by_a_name(share: float) -> None:
    benchmark = made(two_hops=share)
    twice = [question for question in benchmark.questions if len(question.evidence or ()) == 2]
    assert len(twice) == round(60 * share)
    for question in twice:
        first, second = question.evidence or ()
        assert second.start - first.end > 0.2 * len(benchmark.contexts[question.context_id])
        one, two = (set(re.findall(r"[A-Z][a-z]+ [A-Z][a-z]+", text)) for text in evidence(benchmark, question))
        [name] = one & two
        assert name not in question.question


def test_difficulty_is_hard_with_a_gap_or_two_hops() -> None:
    assert {q.difficulty for q in made(lexical_gap=0, two_hops=0).questions} == {"easy"}
    assert {q.difficulty for q in made(lexical_gap=1, two_hops=0).questions} == {"hard"}
    assert {q.difficulty for q in made(lexical_gap=0, two_hops=1).questions} == {"hard"}


def test_near_misses_add_statements_about_the_asked_entity() -> None:
    names = {
        f"{modifier} {noun}"
        for world in LEXICON.worlds.values()
        for modifier, _ in world.modifiers
        for noun, _ in world.nouns
    }

    def namings(count: int) -> int:
        benchmark = made(near_misses=count, two_hops=0, lexical_gap=0, shared_contexts=0, context_chars=2_000)
        total = 0
        for question in benchmark.questions:
            [name] = [name for name in names if name in question.question]
            total += benchmark.contexts[question.context_id].lower().count(name)
        return total

    # The evidence and its two companions name it, then every third near miss.
    assert namings(0) == 180
    assert namings(3) == 240
    assert namings(4) == 300


@pytest.mark.parametrize("typical", [6_000, 12_000, 40_000])
def test_contexts_vary_around_the_typical_length_and_their_class_says_how(typical: int) -> None:
    benchmark = made(context_chars=typical, shared_contexts=0)
    ratios: dict[str, list[float]] = {}
    for question in benchmark.questions:
        ratios.setdefault(question.length, []).append(len(benchmark.contexts[question.context_id]) / typical)
    assert set(ratios) == {"short", "medium", "long"}
    assert min(ratios["short"]) > 0.55 and max(ratios["long"]) < 1.7
    assert max(ratios["short"]) < min(ratios["long"])


@pytest.mark.parametrize(("share", "expected"), [(0, 0), (0.2, 12), (0.5, 30), (1, 60)])
def test_shared_contexts_is_the_share_that_shares(share: float, expected: int) -> None:
    questions = made(shared_contexts=share).questions
    users = Counter(question.context_id for question in questions)
    assert sum(count for count in users.values() if count > 1) == expected
    assert max(users.values()) <= 3
    for context_id in users:
        sharing = [question for question in questions if question.context_id == context_id]
        assert len({question.domain for question in sharing}) == 1
        assert len({question.question for question in sharing}) == len(sharing)


def test_too_many_near_misses_for_the_lexicon_is_an_error_with_the_limit() -> None:
    with pytest.raises(StudyError, match=r"near_misses must be at most \d+ with this lexicon, got 500"):
        made(near_misses=500)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    questions=st.integers(1, 20),
    context_chars=st.integers(2_000, 8_000),
    gap=st.floats(0, 1),
    hops=st.floats(0, 1),
    near_misses=st.integers(0, 12),
    shared=st.floats(0, 1),
)
def test_any_knobs_give_as_many_sound_questions(
    seed: int, questions: int, context_chars: int, gap: float, hops: float, near_misses: int, shared: float
) -> None:
    benchmark = made(
        seed,
        questions=questions,
        context_chars=context_chars,
        lexical_gap=gap,
        two_hops=hops,
        near_misses=near_misses,
        shared_contexts=shared,
    )
    assert len({question.question_id for question in benchmark.questions}) == questions
    for question in benchmark.questions:
        assert any(value(gold(question)) in statement for statement in evidence(benchmark, question))


# --- looks ------------------------------------------------------------------------------------------------------


def contexts_of(benchmark: Benchmark, domain: str) -> list[str]:
    return [benchmark.contexts[question.context_id] for question in benchmark.questions if question.domain == domain]


@pytest.mark.parametrize(
    ("domain", "line"),
    [
        ("Single-Document QA", r"^Chapter 1: .+$"),
        ("Multi-Document QA", r"^=== .+ ===$"),
        ("Long In-context Learning", r"^Card 1\. .+$"),
        ("Code Repository Understanding", r"^# file: src/\w+/\w+\.py$"),
        ("Long-dialogue History Understanding", r"^\w+: .+$"),
        ("Long Structured Data Understanding", r"^\| .+ \| .+ \| .+ \| .+ \|$"),
    ],
)
def test_each_domain_has_its_look(benchmark: Benchmark, domain: str, line: str) -> None:
    for text in contexts_of(benchmark, domain):
        assert re.search(line, text, re.MULTILINE)


def test_multi_document_contexts_begin_with_a_separator_and_hold_several_titled_apart(benchmark: Benchmark) -> None:
    for text in contexts_of(benchmark, "Multi-Document QA"):
        titles = re.findall(r"^=== .+ ===$", text, re.MULTILINE)
        assert text.startswith("=== ")
        assert len(titles) >= 3
        assert len(set(titles)) == len(titles)


def test_code_compiles(benchmark: Benchmark) -> None:
    for text in contexts_of(benchmark, "Code Repository Understanding"):
        compile(text, "context", "exec")


# --- lexicon ----------------------------------------------------------------------------------------------------


def changed(tmp_path: Path, change) -> Path:  # type: ignore[no-untyped-def]
    loaded = yaml.safe_load(LEXICON_PATH.read_text(encoding="utf-8"))
    change(loaded)
    path = tmp_path / "lexicon.yaml"
    path.write_text(yaml.safe_dump(loaded), encoding="utf-8")
    return path


def attribute(loaded: dict) -> dict:  # type: ignore[type-arg]
    return loaded["worlds"]["town"]["things"][0]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: attribute(x).update(gap=["A {v} roof is on {e}."]), r"worlds.town.things.0.*shares roof"),
        (lambda x: attribute(x).update(plain=["The roof is {v}."]), r"must hold \{e\} once and \{v\} once"),
        (lambda x: attribute(x).update(plain=["{v} is on {e}."]), r"must not begin with \{v\}"),
        (lambda x: attribute(x).update(answer="The roof of {e} is {v}."), r"must hold \{e\} once and"),
        (lambda x: attribute(x).update(kind="cheese"), "kinds lacks cheese|only one attribute is of kind cheese"),
        (lambda x: x["worlds"].pop("code"), "worlds must hold town and code"),
        (
            lambda x: x["kinds"].update(metal=["tin", "tin", "iron", "lead", "zinc", "gold"]),
            "kinds.metal holds a value",
        ),
        (lambda x: x["worlds"]["town"]["nouns"].append(["barn", "store"]), "hold store more than once"),
        (lambda x: x.update(spare=1), "spare: Extra inputs"),
        (lambda x: x["worlds"]["code"].update(people=[]), "people need attributes of 3 kinds"),
        (lambda x: x["names"].pop("last"), "names.last: Field required"),
    ],
)
def test_a_lexicon_that_breaks_a_rule_is_refused_by_name(tmp_path: Path, change, message: str) -> None:  # type: ignore[no-untyped-def]
    path = changed(tmp_path, change)
    with pytest.raises(StudyError, match=message) as caught:
        read_lexicon(path)
    assert str(path) in str(caught.value)


def test_all_breaches_of_a_lexicon_are_listed_at_once(tmp_path: Path) -> None:
    path = changed(tmp_path, lambda x: (x["names"].pop("last"), x["flavour"].pop("acts")))
    with pytest.raises(StudyError, match=r"(?s)2 entries.*names.last.*flavour.acts"):
        read_lexicon(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "no such file"), (b"\xff", "not readable"), (b"a: [", "not readable"), (b"", "break a rule")],
)
def test_an_unreadable_lexicon_is_refused(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "lexicon.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StudyError, match=message):
        read_lexicon(path)
