"""What tables, page and terminal say in a sentence."""

from plancheck.statistics.pairs import Outcomes, SameText


def same_text_sentence(seen: Outcomes, same: SameText) -> str:
    """How many pairs could not differ, for both arms were shown the same text; "" for none."""
    if not same.pairs:
        return ""
    if same.pairs != same.ties:
        return f"Of {seen.questions:,} questions, {same.pairs:,} saw the same text."
    if same.pairs == seen.questions:
        return f"Both saw the same text in all {seen.questions:,} questions: this comparison says nothing."
    return f"Of {seen.ties:,} ties, {same.pairs:,} saw the same text."
