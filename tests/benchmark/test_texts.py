import hashlib

from hypothesis import given
from hypothesis import strategies as st

from plancheck.benchmark.texts import Texts


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_each_distinct_text_is_kept_once_to_the_character_in_the_order_it_came(made):
    texts = Texts(made)
    assert list(texts.values()) == list(dict.fromkeys(made))
    assert all(text_id == hashlib.sha256(text.encode()).hexdigest() for text_id, text in texts.items())
    assert texts == {texts.add(text): text for text in made}
