"""Words of every script, matched in their folded form and found where they stand."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.retrieval.words import placed, words

SAMPLE = Path(__file__).parents[3] / "shared" / "data" / "longbench_v2_sample.json"
TEXTS = st.text(
    st.one_of(
        st.sampled_from("aZ9_ -'fiﬁéΣς½Ａｂ漢字がカー々น้ำใจខ្មែរမြန်မາລາวहिन्दीمُحَمَّد가각\u0301\u00ad\u200b\u200d〇٣๑\n"),
        st.characters(codec="utf-8"),
    )
)


@given(st.text(st.characters(codec="ascii")))
def test_ascii_words_are_lower_case_letters_and_digits(text):
    assert words(text) == re.findall(r"[a-z0-9]+", text.lower())


@pytest.mark.skipif(not SAMPLE.exists(), reason="the real questions are not here")
def test_real_ascii_contexts_keep_their_words():
    contexts = [item["context"] for item in json.loads(SAMPLE.read_text(encoding="utf-8"))]
    plain = [context for context in contexts if context.isascii()]
    assert plain
    assert all(words(context) == re.findall(r"[a-z0-9]+", context.lower()) for context in plain)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The MILL_at Tarn-1887, Ärger 漢字!", ["the", "mill", "at", "tarn", "1887", "ärger", "漢字"]),
        ("图书馆几点关门？", ["图书", "书馆", "馆几", "几点", "点关", "关门"]),
        ("好。", ["好"]),
        ("GPT模型的2024年", ["gpt", "模型", "型的", "2024", "年"]),
        ("ラーメン", ["ラー", "ーメ", "メン"]),
        ("ｶﾞｷﾞ", ["ガギ"]),
        ("佐々木", ["佐々", "々木"]),
        ("ที่นี่", ["ที่นี่"]),
        ("๑๙๘๗", ["๑๙๘๗"]),
        ("កម្ពុជា", ["កម្ពុ", "ម្ពុជា"]),
        ("서울의 도서관", ["서울의", "도서관"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("বাংলা ভাষা", ["বাংলা", "ভাষা"]),
        ("مُحَمَّد هنا", ["مُحَمَّد", "هنا"]),
        ("co\u00adoperate zero\u200bwidth", ["cooperate", "zerowidth"]),
        ("ﬁxed ＡＢＣ cafe\u0301 ΟΔΟΣ Straße", ["fixed", "abc", "café", "οδοσ", "strasse"]),
        ("", []),
        ("…!_", []),
    ],
)
def test_words_of_every_script(text, expected):
    assert words(text) == expected


@given(TEXTS)
def test_placed_words_are_the_words(text):
    assert [word for word, _ in placed(text).words] == words(text)


@given(TEXTS)
def test_a_word_stands_at_its_place(text):
    for word, span in placed(text).words:
        assert word in words(text[span.start : span.end])


@given(TEXTS)
def test_places_are_in_order_and_within_the_text(text):
    found = placed(text)
    for spans in ([span for _, span in found.words], found.units):
        assert spans == sorted(spans, key=lambda span: (span.start, span.end))
        assert all(0 <= span.start < span.end <= len(text) for span in spans)


@pytest.mark.parametrize(
    ("text", "word", "place"),
    [
        ("a ﬁxed file", "fixed", "ﬁxed"),
        ("a co\u00adop here", "coop", "co\u00adop"),
        ("开在图书馆里", "书馆", "书馆"),
        ("ดื่มน้ำเย็น", "ดื่ม", "ดื่ม"),
    ],
)
def test_a_word_is_found_where_it_is_shown(text, word, place):
    spans = [span for found, span in placed(text).words if found == word]
    assert [text[span.start : span.end] for span in spans] == [place]
