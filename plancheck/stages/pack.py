"""Stage pack: what each condition shows of each question's context."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plancheck import packing
from plancheck.benchmark.tables import each_context, read_questions
from plancheck.known import Known, read_known
from plancheck.params.pack import PACKING_ORDER, SPANS, Pack, Policy
from plancheck.params.study import Params
from plancheck.plumbing.errors import all_problems
from plancheck.plumbing.files import DATA, read_table, write_table
from plancheck.policies import in_order, order
from plancheck.records import PACKED, Atom, Piece, Question
from plancheck.tables import PLAN_FILES, read_atoms

LOG = logging.getLogger("plancheck.pack")


def run(params: Params) -> None:
    """Write data/packed.parquet: a row for each question, policy and budget, in this order.

    Raises:
        StudyError: a policy uses a selector without plans, or a ranking was not made.
    """
    questions = sorted(read_questions(), key=lambda question: question.question_id)
    atoms = read_atoms()
    known = read_known(questions, atoms, params.rankings)
    refuse_what_is_not_made(params.pack, known)
    tell_small_budgets(questions, atoms, params.pack)
    texts = read_texts()
    rows: list[dict[str, Any]] = []
    contexts = each_context([question.context_id for question in questions])
    for question, context in zip(questions, contexts, strict=True):
        own = atoms[question.context_id]
        rows += packed_rows(question, context, own, known[question.question_id], params.pack)
        rows += text_rows(question, context, texts[question.question_id], params.contexts, params.pack.budgets_chars)
    write_table(DATA / "packed.parquet", rows, PACKED)
    LOG.info("%s conditions, %s distinct", f"{len(rows):,}", f"{len({row['packed_id'] for row in rows}):,}")


def tell_small_budgets(questions: Sequence[Question], atoms: Mapping[str, Sequence[Atom]], settings: Pack) -> None:
    """Warn of each budget that is shorter than an atom of some question's context."""
    longest = max(atom.end - atom.start for own in atoms.values() for atom in own)
    for budget in settings.budgets_chars:
        longer = packing.with_longer_atoms(atoms, budget_chars=budget)
        if concerned := sum(question.context_id in longer for question in questions):
            LOG.warning(
                "%s characters are less than one atom (up to %s) in %s of %s questions. %s. To compare more than that, "
                "raise pack.budgets_chars or make atoms shorter (atoms.*.window_chars, or your own in atoms.path)",
                f"{budget:,}",
                f"{longest:,}",
                f"{concerned:,}",
                f"{len(questions):,}",
                packing.LONGER_ATOM[settings.overflow],
            )


def refuse_what_is_not_made(settings: Pack, known: Mapping[str, Known]) -> None:
    problems = []
    for name, policy in settings.policies.items():
        if policy.selector and (lacking := sum(policy.selector not in found.plans for found in known.values())):
            problems.append(
                f"{name}: {' and '.join(map(str, PLAN_FILES))} lack a plan of selector {policy.selector} for {lacking} "
                "question(s)"
            )
    if problems:
        raise all_problems(
            "params.yaml, pack.policies:",
            problems,
            remedy="Run `dvc repro` to make what is missing, or drop the policies in conf/policies.",
        )


def packed_rows(
    question: Question, context: str, atoms: tuple[Atom, ...], known: Known, settings: Pack
) -> list[dict[str, Any]]:
    """A question's rows of data/packed.parquet, by policy and budget as declared."""
    rows = []
    own = {atom.atom_id: atom for atom in atoms}
    for name, policy in settings.policies.items():
        plan = [as_atom(piece, own, question) for piece in known.plans[policy.selector]] if policy.selector else []
        ordered: Sequence[Atom] = atoms
        if policy.fill not in SPANS:
            ordered = order(policy, known.rankings, atoms, plan=plan)
        for budget in settings.budgets_chars:
            packed = pack_one(policy, ordered, settings, context_chars=len(context), budget_chars=budget)
            if policy.shown_order != PACKING_ORDER:
                every = [*(item for item in plan if item.atom_id not in own), *atoms]
                shown_order = in_order(every, atoms, known.rankings[policy.shown_order])
                packed = packing.reordered(packed, shown_order, budget_chars=budget)
            shown = packed_columns(question, context, packed)
            failed = policy.selector is not None and not plan
            rows.append({"policy": name, "budget_chars": budget, "plan_failed": failed, "text": None, **shown})
    return rows


def read_texts() -> dict[str, dict[tuple[str, int], Mapping[str, Any]]]:
    """The rows of data/given_contexts.parquet by question, then by policy and budget."""
    found: dict[str, dict[tuple[str, int], Mapping[str, Any]]] = defaultdict(dict)
    for row in read_table(DATA / "given_contexts.parquet").to_pylist():
        found[row["question_id"]][row["policy"], row["budget_chars"]] = row
    return found


def text_rows(
    question: Question,
    context: str,
    texts: Mapping[tuple[str, int], Mapping[str, Any]],
    policies: Iterable[str],
    budgets_chars: Sequence[int],
) -> list[dict[str, Any]]:
    """A question's rows of policies that show texts of the user's own; one without text shows nothing."""
    rows = []
    for name in policies:
        for budget in budgets_chars:
            given = texts.get((name, budget))
            text = given["text"] if given else ""
            rows.append(
                {
                    **packed_columns(question, context, packing.Packed((), len(text), bool(given and given["cut"]), 0)),
                    "packed_id": packing.text_id(question.question_id, text),
                    "evidence_recall": packing.quoted_recall(question.evidence, context, text),
                    "policy": name,
                    "budget_chars": budget,
                    "plan_failed": given is None,
                    "text": text,
                }
            )
    return rows


def as_atom(piece: Piece, atoms: Mapping[str, Atom], question: Question) -> Atom:
    """What a plan selects as an atom of the context: one of ``atoms``, or a span in their form."""
    return atoms.get(piece.atom_id) or Atom(piece.atom_id, question.context_id, piece.start, piece.end, document=0)


def packed_columns(question: Question, context: str, packed: packing.Packed) -> dict[str, Any]:
    """The columns of a row that what is shown decides."""
    return {
        "question_id": question.question_id,
        "packed_id": packing.packed_id(question.question_id, context, packed.pieces),
        "atom_ids": [piece.atom_id for piece in packed.pieces],
        "starts": [piece.start for piece in packed.pieces],
        "ends": [piece.end for piece in packed.pieces],
        "chars": packed.chars,
        "cut": packed.cut,
        "skipped": packed.skipped,
        "evidence_recall": packing.evidence_recall(question.evidence, packed.pieces),
    }


def pack_one(
    policy: Policy, atoms: Sequence[Atom], settings: Pack, *, context_chars: int, budget_chars: int
) -> packing.Packed:
    if policy.fill == "head":
        return packing.head(atoms, context_chars=context_chars, budget_chars=budget_chars)
    if policy.fill == "head_tail":
        return packing.head_tail(atoms, context_chars=context_chars, budget_chars=budget_chars)
    return packing.pack(
        atoms, budget_chars=budget_chars, overflow=settings.overflow, merge_overlaps=settings.merge_overlaps
    )
