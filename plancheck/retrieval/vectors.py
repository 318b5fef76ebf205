"""What an encoder makes of the atoms of one context, and of the questions that ask about it."""

from collections.abc import Sequence

import numpy as np

from plancheck.params.rankings import Dense
from plancheck.plumbing.errors import StudyError
from plancheck.records import Question
from plancheck.retrieval.dense import cosines
from plancheck.retrieval.ports import Encoder
from plancheck.retrieval.query import query_text


class Vectors:
    """Unit vectors of atoms and questions, as a dense ranking wants them read.

    Args:
        texts: of the atoms, by position.
        questions: in any order; methods count them from 0.
        encoder: of the ranking's model.
        settings: of the ranking.
        batch_size: texts encoded at once.

    Raises:
        StudyError: the passage's prefix is all that the encoder reads.

    Attributes:
        tokens: of each atom, by position, special tokens and prefix not counted.
        truncated: of each atom whether the encoder read only its beginning.
    """

    def __init__(
        self, texts: Sequence[str], questions: Sequence[Question], encoder: Encoder, settings: Dense, *, batch_size: int
    ) -> None:
        self.tokens = encoder.token_counts(texts)
        whole = settings.coverage == "windows"
        room = encoder.max_tokens - encoder.token_counts([settings.passage_prefix])[0]
        if room < 1:
            raise StudyError(
                f"rankings: passage_prefix {settings.passage_prefix!r} leaves the encoder no room for an atom. Shorten "
                "it."
            )
        self.truncated = [not whole and count > room for count in self.tokens]
        parts = [encoder.windows(text, tokens=room) if whole else [text] for text in texts]
        self._owners = [position for position, group in enumerate(parts) for _ in group]
        passages = [settings.passage_prefix + part for group in parts for part in group]
        self._vectors = encoder.encode(passages, batch_size=batch_size)
        asked = [settings.query_prefix + query_text(question) for question in questions]
        self._queries = encoder.encode(asked, batch_size=batch_size)

    def scores(self, question: int) -> np.ndarray:
        """The cosine of each atom with a question, see `cosines`."""
        return cosines(self._queries[question], self._vectors, self._owners, atoms=len(self.tokens))

    def nearest(self, question: int) -> np.ndarray:
        """One vector an atom: of its parts that which is nearest to the question, the first of equal ones."""
        best: dict[int, int] = {}
        similarity = self._vectors @ self._queries[question]
        for row, owner in enumerate(self._owners):
            if owner not in best or similarity[row] > similarity[best[owner]]:
                best[owner] = row
        vectors: np.ndarray = self._vectors[[best[owner] for owner in sorted(best)]]
        return vectors
