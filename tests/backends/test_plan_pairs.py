"""What the matched-supervision control learns from, and that a cross-encoder learns it the same way each time."""

import pytest
import torch
from sentence_transformers import CrossEncoder
from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

from plancheck.backends.models import file_digests
from plancheck.backends.plan_pairs import plan_pairs
from plancheck.backends.reranker_tuning import from_cross_encoder, tune_reranker
from plancheck.backends.tuning_pairs import Pair
from plancheck.planning.plans import Pool, candidate_texts
from plancheck.plumbing.errors import StudyError
from plancheck.records import Atom, Question

CONTEXT = "aaaabbbbcccc"
ATOMS = tuple(Atom(f"a-{index}", "c", 4 * index, 4 * index + 4, 0) for index in range(3))
QUESTION = Question("q1", "d", "", "", "", "Who?", ("w", "x", "y", "z"), "A", "c")


def whole(pool):
    return candidate_texts(pool, snippet_chars=None)


def test_a_plan_s_atoms_are_wanted_and_the_rest_of_the_pool_is_not():
    pairs = plan_pairs([Pool(QUESTION, CONTEXT, ATOMS)], {"q1": ["a-2", "a-0"]}, whole)
    assert [(pair.text, pair.label) for pair in pairs] == [("aaaa", 1.0), ("bbbb", 0.0), ("cccc", 1.0)]
    assert {pair.query for pair in pairs} == {"Who?\nw\nx\ny\nz"}


def test_what_is_learned_from_an_atom_is_what_is_given_of_it():
    pool = Pool(QUESTION, CONTEXT, ATOMS)
    pairs = plan_pairs([pool], {"q1": ["a-1"]}, lambda pool: candidate_texts(pool, snippet_chars=2))
    assert [(pair.text, pair.label) for pair in pairs] == [("aa", 0.0), ("bb", 1.0), ("cc", 0.0)]


def test_a_plan_outside_the_pool_is_a_fault():
    with pytest.raises(ValueError, match="no candidates"):
        plan_pairs([Pool(QUESTION, CONTEXT, ATOMS[:2])], {"q1": ["a-2"]}, whole)


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory):
    path = tmp_path_factory.mktemp("cross")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "red", "blue", "town"]
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(vocab_size=len(words), num_labels=1, max_position_embeddings=32, initializer_range=0.5, **sizes)
    BertForSequenceClassification(config).save_pretrained(path)
    BertTokenizerFast(vocab={word: index for index, word in enumerate(words)}, model_max_length=32).save_pretrained(
        path
    )
    return path


def tune(start, pairs, target, **changes):
    settings = {"epochs": 6, "batch_size": 4, "learning_rate": 1e-2, "seed": 5, "device": "cpu", "remedy": "Mine more."}
    tune_reranker(from_cross_encoder(start), pairs, target, **settings | changes)


def test_a_cross_encoder_goes_on_learning_to_the_same_bytes(cross_encoder, tmp_path):
    pairs = [Pair("town", "red", 1.0), Pair("town", "blue", 0.0)] * 8
    for name in ("one", "two"):
        tune(cross_encoder, pairs, tmp_path / name)
    assert file_digests(tmp_path / "one") == file_digests(tmp_path / "two")
    assert not list((tmp_path / "one").glob("*.bin"))

    scores = CrossEncoder(str(tmp_path / "one"), device="cpu", local_files_only=True).predict(
        [("town", "red"), ("town", "blue")]
    )
    assert scores[0] > 0.9 and scores[1] < 0.1


def test_pairs_of_one_kind_are_refused_with_the_remedy(cross_encoder, tmp_path):
    with pytest.raises(StudyError, match=r"1 training pairs.*Mine more\."):
        tune(cross_encoder, [Pair("town", "red", 1.0)], tmp_path / "none")
