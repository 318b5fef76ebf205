"""A comparison of two files as text for people and as JSON for programs."""

import dataclasses
from typing import Any

from plancheck.comparison import ids
from plancheck.comparison.detection import ScoreField
from plancheck.comparison.files import FileComparison
from plancheck.comparison.selection import ScoredFile
from plancheck.reporting.wording import same_text_sentence
from plancheck.statistics.comparison import Arm, Comparison


def as_text(found: FileComparison) -> str:
    """Lines of at most 110 characters, but for paths and sentences; accuracies in %, their differences in points."""
    comparison = found.comparison
    seen = comparison.outcomes
    lines = [
        f"A  {_source(found.a)}",
        f"B  {_source(found.b)}",
        "",
        _line("questions", f"{comparison.questions:,}{_left_out(found)}"),
        _line("A", _arm(comparison.treatment)),
        _line("B", _arm(comparison.control)),
        _line("A against B", f"{seen.wins:,} wins, {seen.losses:,} losses, {seen.ties:,} ties"),
        _line("discordance", f"{100 * comparison.discordance:.1f} % of the questions are no tie"),
        _line("difference A - B", _difference(found)),
        _test(found),
        _line("detectable", _detectable(comparison)),
    ]
    if said := _sentences(found):
        lines += ["", *said]
    return "\n".join(lines)


def as_json(found: FileComparison) -> dict[str, Any]:
    """The same figures unrounded: shares and differences in the unit of the score, null where there is none."""
    return {
        "a": {**_file(found.a), "left_out": found.left_out[0]},
        "b": {**_file(found.b), "left_out": found.left_out[1]},
        "bootstrap": {"resamples": found.resamples, "seed": found.seed},
        **dataclasses.asdict(found.comparison),
        "test": "sign test" if _binary(found.comparison) else "sign-flip test",
        "identical": found.identical and dataclasses.asdict(found.identical),
        "sentences": _sentences(found),
    }


def _file(scored: ScoredFile) -> dict[str, Any]:
    graded = scored.graded
    return {
        "path": str(scored.file.path),
        "format": scored.file.kind,
        "id": scored.id_field,
        **dict.fromkeys(("score", "pred", "gold")),
        **({"score": graded.name} if isinstance(graded, ScoreField) else dataclasses.asdict(graded)),
        "results": scored.results,
        "unanswered": scored.unanswered,
    }


def _line(name: str, value: str) -> str:
    return f"{name:<18}{value}"


def _source(scored: ScoredFile) -> str:
    return f"{scored.file.path} ({scored.file.kind}; ID {scored.id_field}, {scored.graded})"


def _left_out(found: FileComparison) -> str:
    if not any(found.left_out):
        return ""
    return f" in both files; left out: {found.left_out[0]:,} in A only, {found.left_out[1]:,} in B only"


def _binary(comparison: Comparison) -> bool:
    return comparison.treatment.interval is not None


def _arm(arm: Arm) -> str:
    if arm.interval is None:
        return f"mean {arm.mean:.4g}"
    return (
        f"{100 * arm.mean:.2f} % [{100 * arm.interval.low:.2f}, {100 * arm.interval.high:.2f}], {arm.correct:,} right"
    )


def _difference(found: FileComparison) -> str:
    comparison = found.comparison
    low, high = comparison.interval.low, comparison.interval.high
    if _binary(comparison):
        value = f"{100 * comparison.difference:+.2f} points [{100 * low:+.2f}, {100 * high:+.2f}]"
    else:
        value = f"{comparison.difference:+.4g} [{low:+.4g}, {high:+.4g}]"
    what = "questions" if comparison.clusters is None else f"{comparison.clusters:,} clusters"
    return f"{value} ({100 * comparison.confidence:g} % bootstrap of {what}, {found.resamples:,} resamples)"


def _test(found: FileComparison) -> str:
    p = found.comparison.p
    said = f"p = {p:.3f}" if p >= 0.001 else f"p = {p:.1e}"
    if _binary(found.comparison):
        return _line("sign test", f"{said} (exact, two-sided)")
    return _line("sign-flip test", f"{said} (of the mean difference, two-sided)")


def _detectable(comparison: Comparison) -> str:
    at = f"at {100 * comparison.power:g} % power and {100 * comparison.alpha:g} % level"
    if comparison.detectable is None:
        if comparison.constant:
            return "none: the differences have no variance"
        return f"none: too few questions differ to find any difference {at}"
    if not _binary(comparison):
        return f"a difference of {comparison.detectable:.3g} {at} (paired t test)"
    return f"a difference of {100 * comparison.detectable:.1f} points {at}, were the discordance as seen"


def _sentences(found: FileComparison) -> list[str]:
    """What a reader must know beside the figures."""
    comparison = found.comparison
    said = [sentence for name, scored in (("A", found.a), ("B", found.b)) for sentence in _of_file(name, scored)]
    if found.other_golds:
        said.append(
            f"In {found.other_golds:,} questions the gold answers of A and B differ: are they the same questions?"
        )
    if comparison.constant:
        said.append(_no_variance(comparison))
    if found.identical and (sentence := same_text_sentence(comparison.outcomes, found.identical)):
        said.append(sentence)
    if comparison.clusters is not None and _binary(comparison):
        said.append("The sign test takes questions for independent; where clusters share luck, trust the interval.")
    return [*said, *filter(None, [ids.told(found.look_alikes)])]


def _of_file(name: str, scored: ScoredFile) -> list[str]:
    repeats = scored.repeats
    said = []
    if repeats.most > 1:
        number = f"{repeats.most}" if repeats.fewest == repeats.most else f"{repeats.fewest} to {repeats.most}"
        differ = f", which differ in {' and '.join(repeats.fields)}" if repeats.fields else ""
        said.append(
            f"{name}: {number} results a question{differ}, averaged by question, of {scored.results:,}; "
            "every question counts once."
        )
    if scored.unanswered:
        said.append(
            f"{name}: {scored.unanswered:,} of {scored.results:,} results have no prediction and count as wrong."
        )
    return said


def _no_variance(comparison: Comparison) -> str:
    if comparison.outcomes.ties == comparison.questions:
        what = "A and B score the same on every question"
    else:
        what = "Every question has the same difference"
    return (
        f"{what}: the differences have no variance, so the interval has no width and says nothing of other questions."
    )
