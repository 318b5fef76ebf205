"""A comparison of two files as text for people and as JSON for programs."""

import dataclasses
from typing import Any

from plancheck.comparison.files import FileComparison
from plancheck.comparison.selection import ScoredFile
from plancheck.statistics.comparison import Arm, Comparison


def as_text(found: FileComparison) -> str:
    """Lines of at most 110 characters, but for the files' paths; accuracies in %, their differences in points."""
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
        _line("sign test", f"p = {_p(comparison.p)} (exact, two-sided)"),
        _line("detectable", _detectable(comparison)),
    ]
    if comparison.clusters is not None:
        lines += ["", "The sign test takes questions for independent; where clusters share luck, trust the interval."]
    return "\n".join(lines)


def as_json(found: FileComparison) -> dict[str, Any]:
    """The same figures unrounded: shares and differences in the unit of the score, null where there is none."""
    return {
        "a": {**_file(found.a), "left_out": found.left_out[0]},
        "b": {**_file(found.b), "left_out": found.left_out[1]},
        "bootstrap": {"resamples": found.resamples, "seed": found.seed},
        **dataclasses.asdict(found.comparison),
    }


def _file(scored: ScoredFile) -> dict[str, Any]:
    return {
        "path": str(scored.file.path),
        "format": scored.file.kind,
        "id": scored.id_field,
        "score": scored.score_field,
    }


def _line(name: str, value: str) -> str:
    return f"{name:<18}{value}"


def _source(scored: ScoredFile) -> str:
    return f"{scored.file.path} ({scored.file.kind}; ID {scored.id_field}, score {scored.score_field})"


def _left_out(found: FileComparison) -> str:
    if not any(found.left_out):
        return ""
    return f" in both files; left out: {found.left_out[0]:,} in A only, {found.left_out[1]:,} in B only"


def _arm(arm: Arm) -> str:
    if arm.interval is None:
        return f"mean {arm.mean:.4g}"
    return (
        f"{100 * arm.mean:.2f} % [{100 * arm.interval.low:.2f}, {100 * arm.interval.high:.2f}], {arm.correct:,} right"
    )


def _difference(found: FileComparison) -> str:
    comparison = found.comparison
    low, high = comparison.interval.low, comparison.interval.high
    if comparison.treatment.interval is None:
        value = f"{comparison.difference:+.4g} [{low:+.4g}, {high:+.4g}]"
    else:
        value = f"{100 * comparison.difference:+.2f} points [{100 * low:+.2f}, {100 * high:+.2f}]"
    what = "questions" if comparison.clusters is None else f"{comparison.clusters:,} clusters"
    return f"{value} ({100 * comparison.confidence:g} % bootstrap of {what}, {found.resamples:,} resamples)"


def _p(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"


def _detectable(comparison: Comparison) -> str:
    at = f"at {100 * comparison.power:g} % power and {100 * comparison.alpha:g} % level"
    if comparison.detectable is None:
        return f"none: too few questions differ to find any difference {at}"
    if comparison.treatment.interval is None:
        return f"a difference of {comparison.detectable:.3g} {at} (paired t test)"
    return f"a difference of {100 * comparison.detectable:.1f} points {at}, were the discordance as seen"
