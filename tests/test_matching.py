import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.matching import fold, folded
from plancheck.records import Span

TEXTS = st.text(
    st.one_of(
        st.sampled_from(
            "aEsß fiﬁéΣςİǅ²½ＡｂⒶ한각가\u1100\u1161\u11a8\u0301\u0323\u0308\u00ad\u200b\u200d\u0915\u093f\u094d\r\n"
        ),
        st.characters(codec="utf-8"),
    )
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("café", "cafe\u0301"),
        ("fixed", "ﬁxed"),
        ("ABC 12", "ＡＢＣ　１２"),
        ("straße", "STRASSE"),
        ("ΟΔΟΣ", "οδος"),
        ("co\u00adoperate", "cooperate"),
        ("zero\u200bwidth", "zerowidth"),
        ("가나", "\u1100\u1161\u1102\u1161"),
    ],
)
def test_ways_to_write_the_same_are_one(one, other):
    assert fold(one) == fold(other)


def test_case_is_kept_where_asked():
    assert fold("Ａ ﬁ", case=False) == "A fi"


@pytest.mark.parametrize(
    ("text", "word", "place"),
    [
        ("a ﬁxed file", "fixed", "ﬁxed"),
        ("a cafe\u0301 here", "café", "cafe\u0301"),
        ("a co\u00adop here", "coop", "co\u00adop"),
        ("İstanbul now", "now", "now"),
        ("plain text", "text", "text"),
    ],
)
def test_a_word_is_found_where_it_stands(text, word, place):
    found = folded(text)
    start = found.text.index(fold(word))
    span = found.span(start, start + len(fold(word)))
    assert text[span.start : span.end] == place


@given(TEXTS, st.booleans())
def test_places_belong_to_the_folded_text(text, case):
    found = folded(text, case=case)
    assert found.text == fold(text, case=case)
    assert len(found.starts) == len(found.ends) == len(found.text)
    assert all(0 <= start < end <= len(text) for start, end in zip(found.starts, found.ends, strict=True))
    assert list(found.starts) == sorted(found.starts)


@given(st.text(st.characters(codec="ascii"), min_size=1))
def test_ascii_is_lower_cased_and_nothing_else(text):
    assert fold(text) == text.lower()
    assert folded(text).span(0, len(text)) == Span(0, len(text))


@given(TEXTS)
def test_folding_twice_changes_nothing(text):
    assert fold(fold(text)) == fold(text)
