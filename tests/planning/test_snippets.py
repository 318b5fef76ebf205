import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.planning.snippets import snippet

PARTS = [
    "mill",
    "river",
    "the",
    "Tarn",
    "1887",
    "boat",
    "İx",
    "\n",
    "-",
    "图书馆",
    "ห้องน้ำ",
    "ﬁxed",
    "cafe\u0301",
    "मीरा",
]
texts = st.lists(st.sampled_from(PARTS), max_size=30).map(" ".join)


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


@pytest.mark.parametrize(
    ("filler", "sentence", "query", "shown"),
    [
        ("火车站的售票员每天早上六点上班。", "图书馆晚上十点关门。", "图书馆几点关门？", "图书馆晚上十点关门"),
        ("駅は朝六時に開きます。", "図書館は夜十時に閉まります。", "図書館は何時に閉まる？", "図書館は夜十時に閉ま"),
        ("สถานีเปิดหกโมงเช้าทุกวัน", "ห้องสมุดปิดสี่ทุ่ม", "ห้องสมุดปิดกี่โมง", "ห้องสมุดปิด"),
        ("मोरा घर लौट गई। ", "मीरा ने फल बेचे। ", "मीरा ने क्या बेचा?", "मीरा ने"),
        ("The museum sells maps. ", "The cafe\u0301 is ﬁxed. ", "When was the café fixed?", "cafe\u0301 is ﬁxed"),
    ],
)
def test_shared_words_are_shown_in_every_script(filler, sentence, query, shown):
    assert shown in snippet(filler * 20 + sentence + filler * 20, query, chars=40)


def test_unspaced_text_is_cut_between_characters_as_a_reader_sees_them():
    text = "ที่" * 30 + "กุ้งน้ำ" + "ที่" * 30
    for chars in range(8, 20):
        found = snippet(text, "กุ้งน้ำ", chars=chars)
        assert "กุ้งน้ำ" in found
        assert set(found.replace("กุ้งน้ำ", "").split("ที่")) == {""}


@pytest.mark.parametrize("name", ["chinese_bm25", "combining_marks_within_words", "decomposed_accents_and_ligatures"])
def test_the_cases_show_what_is_asked(cases, name):
    seen = {
        "chinese_bm25": "图书馆",
        "combining_marks_within_words": "मीरा",
        "decomposed_accents_and_ligatures": "cafe\u0301",
    }
    for item in json.loads((cases / f"{name}.json").read_text(encoding="utf-8")):
        assert seen[name] in snippet(item["context"], item["question"], chars=150)


def test_a_snippet_has_characters():
    with pytest.raises(ValueError, match="at least 1"):
        snippet("text", "text", chars=0)
