"""YAML of any hand as Python values; what PyYAML would take silently or fail on unnamed is refused."""

from collections.abc import Hashable
from typing import Any

import yaml
from yaml.constructor import ConstructorError
from yaml.nodes import MappingNode, ScalarNode


class _Strict(yaml.SafeLoader):
    """As the safe loader, which keeps the last of two values with one key."""

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[tuple[str, str]] = set()
        for key, _ in node.value:  # before what `<<` merges comes in, which a mapping's own keys may replace
            if isinstance(key, ScalarNode):
                if (key.tag, key.value) in seen:
                    raise ConstructorError(None, None, f"the key {key.value!r} comes twice", key.start_mark)
                seen.add((key.tag, key.value))
        found: dict[Hashable, Any] = super().construct_mapping(node, deep=deep)
        return found


def yaml_value(text: str) -> Any:
    """The value of a YAML text.

    Raises:
        yaml.YAMLError: the text is no YAML, nests deeper than Python's recursion limit, or a mapping has a key twice;
            it names line and column where there is one.
    """
    try:
        return yaml.load(text, Loader=_Strict)
    except RecursionError as error:
        raise yaml.YAMLError("nested too deeply") from error
