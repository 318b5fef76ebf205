"""Sequences of tokens as a tree in which every shared beginning stands once, and the passes that read it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


class TokenTree:
    """The trie of some sequences. A node is a token after a beginning; nodes are numbered in depth-first order.

    Args:
        sequences: each of at least one token, in any order; equal ones share their nodes.

    Attributes:
        tokens: of each node.
        parents: the node before each; -1 for a first token.
        depths: how many tokens stand before each.
        ends: the nodes of a subtree are those from its root up to, not including, its root's end.
        paths: the nodes of each sequence, in the order given.

    Raises:
        ValueError: a sequence is empty.
    """

    def __init__(self, sequences: Sequence[Sequence[int]]) -> None:
        if not all(sequences):
            raise ValueError("a sequence needs at least one token")
        self.tokens: list[int] = []
        self.parents: list[int] = []
        self.depths: list[int] = []
        self.paths: list[list[int]] = [[] for _ in sequences]
        path: list[int] = []
        # Sorted, sequences with a shared beginning are neighbours, so that a path only ever loses its end.
        for index in sorted(range(len(sequences)), key=lambda index: tuple(sequences[index])):
            sequence = sequences[index]
            del path[self._shared(path, sequence) :]
            for token in sequence[len(path) :]:
                self.parents.append(path[-1] if path else -1)
                self.depths.append(len(path))
                self.tokens.append(token)
                path.append(len(self.tokens) - 1)
            self.paths[index] = list(path)
        self.ends = list(range(1, len(self.tokens) + 1))
        self.children: list[list[int]] = [[] for _ in self.tokens]
        self.roots: list[int] = []
        for node in reversed(range(len(self.tokens))):
            parent = self.parents[node]
            if parent >= 0:
                self.ends[parent] = max(self.ends[parent], self.ends[node])
            (self.children[parent] if parent >= 0 else self.roots).insert(0, node)

    def __len__(self) -> int:
        return len(self.tokens)

    def _shared(self, path: Sequence[int], sequence: Sequence[int]) -> int:
        pairs = enumerate(zip(path, sequence, strict=False))
        return next((at for at, (node, token) in pairs if self.tokens[node] != token), min(len(path), len(sequence)))


@dataclass(frozen=True, slots=True)
class Pass:
    """Nodes read at once, after the first ``kept`` tokens that earlier passes read; all of those stand before them.

    ``before`` holds for each node the place in ``nodes`` of the one before it, -1 where that is one of the kept.
    """

    kept: int
    nodes: tuple[int, ...]
    before: tuple[int, ...]

    @property
    def is_path(self) -> bool:
        """Whether each node comes after the one to its left, as in a text."""
        return all(place == index - 1 for index, place in enumerate(self.before))


def passes(tree: TokenTree, *, size: int) -> Iterator[Pass]:
    """Passes of at most ``size`` nodes that read every node once, each after its beginning.

    A pass begins with the nodes that later passes come after, so that what they left is cut back to ``kept`` tokens
    and read on from there; behind these stand whole subtrees, as many as there is room for. The passes depend on the
    tree and the size alone.

    Raises:
        ValueError: ``size`` is not positive.
    """
    if size < 1:
        raise ValueError(f"size must be at least 1, got {size}")
    # What is still to be read: after so many tokens these nodes of one path, and after them these subtrees.
    waiting: list[tuple[int, list[int], list[int]]] = [(0, [], tree.roots)]
    while waiting:
        kept, path, subtrees = waiting.pop()
        path, subtrees = list(path), list(subtrees)
        while len(subtrees) == 1 and len(path) < size < len(path) + _nodes(tree, subtrees[0]):
            path.append(subtrees[0])
            subtrees = tree.children[path[-1]]
        room, left = size - len(path), []
        whole: list[int] = []
        for root in subtrees:
            if _nodes(tree, root) <= room:
                whole += range(root, tree.ends[root])
                room -= _nodes(tree, root)
            else:
                left.append(root)
        if whole or not left or len(path) == size or _nodes(tree, left[0]) <= size:
            if path or whole:
                yield _pass(tree, kept, path + whole)
            if left:
                waiting.append((kept + len(path), [], left))
        else:  # nothing fits beside the path: it is read with the beginning of what comes after it
            if left[1:]:
                waiting.append((kept + len(path), [], left[1:]))
            waiting.append((kept, [*path, left[0]], tree.children[left[0]]))


def _nodes(tree: TokenTree, root: int) -> int:
    return tree.ends[root] - root


def _pass(tree: TokenTree, kept: int, nodes: list[int]) -> Pass:
    places = {node: place for place, node in enumerate(nodes)}
    return Pass(kept, tuple(nodes), tuple(places.get(tree.parents[node], -1) for node in nodes))
