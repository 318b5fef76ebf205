import dataclasses

import pytest

from plancheck.packing import evidence_recall
from plancheck.planning.harness import HARNESS, evidence, evidence_half, random_plan
from plancheck.planning.plans import Selected
from plancheck.plumbing.errors import StudyError
from plancheck.records import Piece, Span


def pieces(made, selected):
    return [Piece(atom.atom_id, atom.start, atom.end) for atom in made.atoms if atom.atom_id in selected.atom_ids]


@pytest.mark.parametrize(
    ("spans", "atoms"),
    [
        ((Span(45, 60),), ("a1",)),
        ((Span(130, 140), Span(45, 60)), ("a3", "a1")),
        ((Span(45, 60), Span(41, 44)), ("a1",)),
        ((Span(32, 39),), ("a0",)),
        ((Span(30, 125),), ("a0", "a1", "a2", "a3")),
    ],
)
def test_evidence_is_the_atoms_that_hold_it(pool_of, spans, atoms):
    made = pool_of(evidence=spans, overlap=10)
    found = evidence(made.pool, made.atoms, seed=1, max_atoms=8)
    assert found.atom_ids == atoms
    assert evidence_recall(spans, pieces(made, found)) == 1


def test_evidence_outside_the_pool_is_selected_too(pool_of):
    made = pool_of(candidates=[0, 4])
    assert evidence(made.pool, made.atoms, seed=1, max_atoms=8).atom_ids == ("a1",)


@pytest.mark.parametrize("select", [evidence, evidence_half])
@pytest.mark.parametrize("spans", [None, ()])
def test_unknown_evidence_is_refused(pool_of, select, spans):
    made = pool_of(evidence=spans)
    with pytest.raises(StudyError, match="selectors of kind evidence"):
        select(made.pool, made.atoms, seed=1, max_atoms=8)


@pytest.mark.parametrize("select", [evidence, evidence_half])
def test_evidence_that_no_atom_holds_is_a_plan_that_failed(pool_of, select):
    made = pool_of(evidence=(Span(45, 60),))
    others = [atom for atom in made.atoms if atom.atom_id != "a1"]
    for seed in range(9):
        assert select(made.pool, others, seed=seed, max_atoms=8) == Selected((), "absent")


def test_half_of_the_questions_get_their_evidence_and_the_others_as_many_candidates(pool_of):
    spans = (Span(45, 60), Span(130, 140))
    golds = 0
    for number in range(400):
        made = pool_of(f"q{number}", atoms=20, evidence=spans)
        found = evidence_half(made.pool, made.atoms, seed=5, max_atoms=8)
        assert len(found.atom_ids) == 2
        golds += found == evidence(made.pool, made.atoms, seed=5, max_atoms=8)
    assert 160 < golds < 240


def test_random_plans_are_of_every_size_and_every_candidate(pool_of):
    found = []
    for number in range(400):
        made = pool_of(f"q{number}", atoms=10, candidates=[1, 3, 5, 7], evidence=None)
        found.append(random_plan(made.pool, made.atoms, seed=5, max_atoms=3).atom_ids)
    sizes = [len(ids) for ids in found]
    assert all(80 < sizes.count(size) < 190 for size in (1, 2, 3))
    firsts = [ids[0] for ids in found]
    assert all(60 < firsts.count(name) < 140 for name in ("a1", "a3", "a5", "a7"))


@pytest.mark.parametrize("name", HARNESS)
def test_a_plan_depends_on_seed_and_question_and_on_no_order_or_gold_letter(pool_of, name):
    plans = {}
    for seed in (1, 2):
        for number in range(20):
            made = pool_of(f"q{number}", atoms=20)
            found = HARNESS[name](made.pool, made.atoms, seed=seed, max_atoms=4)
            other = dataclasses.replace(
                made.pool,
                candidates=made.pool.candidates[::-1],
                question=dataclasses.replace(made.pool.question, answer="C", domain="other"),
            )
            assert HARNESS[name](other, made.atoms, seed=seed, max_atoms=4) == found
            plans[seed, number] = found
    if name != "evidence":
        assert [plans[1, number] for number in range(20)] != [plans[2, number] for number in range(20)]
