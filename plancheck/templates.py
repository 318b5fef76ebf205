"""Templates of prompts: Jinja files that show a model a question."""

import traceback
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from plancheck.plumbing.errors import StudyError
from plancheck.records import LETTERS, Question

CODE = "<template>"  # what Jinja calls the file of a template made from a text


@cache
def environment() -> ImmutableSandboxedEnvironment:
    """Jinja without other files, chance, or names that nothing stands behind. Texts are shown as they are."""
    made = ImmutableSandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    del made.filters["random"], made.globals["lipsum"]
    return made


def read_template(path: Path) -> Template:
    """The template in a file. A line that holds a tag alone leaves no line behind, nor does the file's last line end.

    Raises:
        StudyError: the file is no text in UTF-8, or no template.
    """
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"{path}: not readable as UTF-8 text ({error}). Mend the file or name another.") from error
    try:
        return environment().from_string(source)
    except TemplateError as error:
        raise StudyError(
            f"{path}, line {getattr(error, 'lineno', 1)}: no Jinja template ({error}). Mend it."
        ) from error


def rendered(template: Template, path: Path, **variables: Any) -> str:
    """The text that a template makes of its variables.

    Args:
        template: of `read_template`.
        path: its file, for messages.

    Raises:
        StudyError: the template asks for what there is not, or fails; the line is named.
    """
    try:
        return template.render(variables)
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == CODE]
        raise StudyError(
            f"{path}, line {lines[-1] if lines else 1}: {error}. It is given {', '.join(sorted(variables))}."
        ) from error


def probe(choices: int) -> Question:
    """A question of some choices whose text would not survive a change."""
    texts = tuple(f"It is  <{letter}> & {{{{ {letter} }}}}" for letter in LETTERS[:choices])
    return Question("probe", "", "", "", "", "Which {{ one }}  is <it>,\n & why?", texts, LETTERS[0], "")
