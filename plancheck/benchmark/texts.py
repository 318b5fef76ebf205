"""Distinct texts under the hash of their content, kept small."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping


class Texts(Mapping[str, str]):
    """Texts by ID, the SHA-256 of their UTF-8 bytes, in the order in which they came.

    They are kept as UTF-8 and decoded when asked for: Python's own strings take four bytes a character as soon as one
    of them is an emoji.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._bytes: dict[str, bytes] = {}
        for text in texts:
            self.add(text)

    def add(self, text: str) -> str:
        """Keep a text, unless it is kept already; its ID.

        Raises:
            UnicodeEncodeError: the text holds half a surrogate pair.
        """
        content = text.encode("utf-8")
        text_id = hashlib.sha256(content).hexdigest()
        self._bytes.setdefault(text_id, content)
        return text_id

    def __getitem__(self, text_id: str) -> str:
        return self._bytes[text_id].decode("utf-8")

    def __iter__(self) -> Iterator[str]:
        return iter(self._bytes)

    def __len__(self) -> int:
        return len(self._bytes)
