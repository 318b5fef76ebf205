"""Templates of prompts: Jinja files that show a model a question."""

import re
import traceback
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError, meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from plancheck.plumbing.errors import StudyError
from plancheck.records import LETTERS, Question

CODE = "<template>"  # what Jinja calls the file of a template made from a text


@cache
def environment() -> ImmutableSandboxedEnvironment:
    """Jinja without other files, chance, globals, or names that nothing stands behind. Texts are shown as they are.

    Without `range` a template loops over what it is given alone, and so comes to an end.
    """
    made = ImmutableSandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    del made.filters["random"]
    made.globals.clear()
    return made


def read_template(path: Path, variables: Collection[str]) -> Template:
    """The template in a file. A line that holds a tag alone leaves no line behind, nor does the file's last line end,
    nor a byte order mark before the first.

    Raises:
        StudyError: the file is no text in UTF-8, or no template; or it names, even where nothing is shown of it, a
            variable that there is not or another file.
    """
    try:
        source = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"{path}: not readable as UTF-8 text ({error}). Mend the file or name another.") from error
    try:
        tree = environment().parse(source)
        if problems := [*_unknown(tree, variables), *_other_files(tree)]:
            raise StudyError(f"{path}, {'; '.join(problems)}. It is given {', '.join(sorted(variables))}.")
        return environment().from_string(source)
    except (RecursionError, MemoryError, SyntaxError) as error:  # too much for Python, which the template becomes
        raise StudyError(f"{path}: nested too deep ({error}). Write it plainer.") from error
    except ValueError as error:  # of a constant that is worked out at once
        raise StudyError(f"{path}: cannot be worked out ({error}). Write it plainer.") from error
    except TemplateError as error:
        raise StudyError(
            f"{path}, line {getattr(error, 'lineno', 1)}: no Jinja template ({error}). Mend it."
        ) from error


def _unknown(tree: nodes.Template, variables: Collection[str]) -> list[str]:
    unknown = meta.find_undeclared_variables(tree) - set(variables)
    first: dict[str, int] = {}
    for node in tree.find_all(nodes.Name):
        if node.name in unknown:
            first.setdefault(node.name, node.lineno)
    return [f"line {line}: {name!r} is undefined" for name, line in first.items()]


def _other_files(tree: nodes.Template) -> list[str]:
    kinds = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)
    return [f"line {node.lineno}: asks for another file, and has no loader" for node in tree.find_all(kinds)]


def rendered(template: Template, path: Path, *, shown: Mapping[str, str], **variables: Any) -> str:
    """The text that a template makes of its variables.

    Args:
        template: of `read_template`.
        path: its file, for messages.
        shown: the texts that must stand in it, by what they are called; blanks at their ends may be missing.

    Raises:
        StudyError: the template asks for what there is not, or fails; the line is named. Or it leaves out or changes a
            text of ``shown``.
    """
    try:
        text = template.render(variables)
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == CODE]
        raise StudyError(
            f"{path}, line {lines[-1] if lines else 1}: {error}. It is given {', '.join(sorted(variables))}."
        ) from error
    if lacking := [name for name, part in shown.items() if part.strip() not in text]:
        raise StudyError(f"{path}: leaves out or changes {', '.join(lacking)}. A prompt shows each whole and as it is.")
    return text


def unlabelled(text: str, labels: Sequence[str], parts: Sequence[str]) -> list[str]:
    """The labels that do not stand, by themselves, between their part of a text and the part before it."""
    place, found = 0, []
    for label, part in zip(labels, parts, strict=True):
        start = text.find(part, place)
        if start < 0 or not re.search(rf"(?<!\w){label}(?!\w)", text[place:start]):
            found.append(label)
        place = max(place, start + len(part))
    return found


def probe(choices: int) -> Question:
    """A question of some choices whose text would not survive a change."""
    texts = tuple(f"It is  <{letter}x> & {{{{ {letter}y }}}}" for letter in LETTERS[:choices])
    return Question("probe", "", "", "", "", "Which {{ one }}  is <it>,\n & why?", texts, LETTERS[0], "")
