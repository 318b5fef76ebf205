import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.planning.snippets import snippet

texts = st.lists(st.sampled_from(["mill", "river", "the", "Tarn", "1887", "boat", "İx", "\n", "-"]), max_size=30).map(
    " ".join
)


def test_a_text_that_fits_is_shown_whole():
    assert snippet("  The mill. ", "boat", chars=12) == "  The mill. "


def test_without_a_shared_word_the_beginning_is_shown():
    assert snippet("one two three four", "mill", chars=10) == "one two "


def test_shared_words_lie_in_the_middle():
    text = "x " * 50 + "the old mill" + " y" * 50
    found = snippet(text, "Where is the old Mill?", chars=30)
    assert "the old mill" in found
    assert abs(found.index("the old mill") - (len(found) - len("the old mill")) / 2) <= 2


def test_rare_words_count_more_than_common_ones():
    text = "the the the river " + "z " * 30 + "mill"
    assert "mill" in snippet(text, "the mill", chars=12)


def test_equal_stretches_show_the_earliest():
    text = "a mill b " + "z " * 30 + "c mill d"
    assert snippet(text, "mill", chars=9).startswith("a mill")


def test_a_word_longer_than_the_snippet_is_cut():
    assert snippet("x" * 50 + " y", "x" * 50, chars=10) == "x" * 10


@given(texts, texts, st.integers(1, 60))
def test_a_snippet_is_a_stretch_of_the_text_no_longer_than_asked(text, query, chars):
    found = snippet(text, query, chars=chars)
    assert len(found) <= chars
    assert found in text
    assert bool(found) == bool(text)


def test_a_snippet_has_characters():
    with pytest.raises(ValueError, match="at least 1"):
        snippet("text", "text", chars=0)
