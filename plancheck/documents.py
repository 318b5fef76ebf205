"""Documents of a context: where one text ends and another begins."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from plancheck.records import Span

LINE_CHARS = 1000  # of a line that separators see, so that a context on one line takes no longer than others
RUNNING_HEADS = 3  # places of one numbered line from which it is the head of pages ("Paper 352"), not of documents
FENCES = ("```", "~~~")  # of code in Markdown
MARKDOWN_INDENT = 3  # blanks before a heading; with more it is code
MOST_TITLES = 100  # headings of a context beyond which they are its sections

_LINE = re.compile(r"[^\n\r\f]+")
_FORM_FEEDS = re.compile(r"\f+")


def documents(text: str, separators: Sequence[str], *, section_chars: int) -> tuple[Span, ...]:
    """The documents of a text, in order; blank ones join what follows, at the end what comes before.

    A document opens

    - at a line whose beginning one of the separators matches, blanks before it or not, unless the line holds a digit
      and stands in three or more places: it is then the head of pages;
    - after a form feed, unless half or more of the stretches between form feeds are blank: these are then signs of
      formulas, as text out of PDFs has them;
    - where neither is found, at Markdown headings of the first level (``# Title``) after a blank line and outside
      fenced code, if they are titles: 100 at most, each once in the text, with sections as long as ``section_chars``
      on median. Other headings, and comments of code, are parts of a document.

    Args:
        text: the whole context.
        separators: regular expressions. Each sees one line at a time, at most its first 1,000 characters, ended by a
            line feed whatever ends it in the text.
        section_chars: the least median length of what headings part.

    Returns:
        Spans that cover the text; empty for an empty one.
    """
    if not text:
        return ()
    starts = {*separated(text, separators), *after_form_feeds(text)}
    return spans(text, sorted(starts or titled(text, section_chars=section_chars)))


def separated(text: str, separators: Sequence[str]) -> Iterator[int]:
    """Starts of the lines that a separator matches, heads of pages left out."""
    if not separators:
        return
    patterns = [re.compile(separator) for separator in separators]
    found = [(start, line.strip()) for start, line in lines(text) if opens(line + "\n", patterns)]
    places = Counter(line for _, line in found)
    for start, line in found:
        if places[line] < RUNNING_HEADS or not any(sign.isdigit() for sign in line):
            yield start


def lines(text: str) -> Iterator[tuple[int, str]]:
    """Start and first characters of every line that is not empty; a line ends at a line feed, return or form feed."""
    for match in _LINE.finditer(text):
        start, end = match.span()
        yield start, text[start : min(end, start + LINE_CHARS)]


def opens(line: str, patterns: Sequence[re.Pattern[str]]) -> bool:
    """Whether a pattern matches where the line starts, or after the blanks there; a blank line is never matched."""
    bare = line.removeprefix("\ufeff").lstrip()
    if not bare:
        return False
    for pattern in patterns:  # noqa: SIM110 any() of a generator takes longer than the matching
        if pattern.match(bare) or (len(bare) < len(line) and pattern.match(line)):
            return True
    return False


def after_form_feeds(text: str) -> list[int]:
    """Ends of the runs of form feeds; none where they are signs of formulas."""
    if "\f" not in text:
        return []
    runs = [match.span() for match in _FORM_FEEDS.finditer(text)]
    between = [not text[end:start].strip() for (_, end), (start, _) in pairwise(runs)]
    return [] if between and 2 * sum(between) >= len(between) else [end for _, end in runs]


def titled(text: str, *, section_chars: int) -> list[int]:
    """Starts of the headings that are titles of documents; none where headings part sections."""
    found = list(headings(text))
    often = Counter(title for _, title in found)
    starts = [start for start, title in found if often[title] == 1]
    lengths = [end - start for start, end in pairwise([*starts, len(text)])]
    return starts if 2 <= len(starts) <= MOST_TITLES and median(lengths) >= section_chars else []


def headings(text: str) -> Iterator[tuple[int, str]]:
    """Start and title of each Markdown heading of the first level after a blank line and outside fenced code."""
    if "# " not in text:
        return
    fence = ""
    for start, line in lines(text):
        bare = line.removeprefix("\ufeff").lstrip()
        mark = bare[:3]
        if mark in FENCES:
            fence = "" if mark == fence else fence or mark
        indent = len(line) - len(bare)
        if mark.startswith("# ") and indent <= MARKDOWN_INDENT and not fence and after_blank_line(text, start):
            yield start, " ".join(bare.split())


def after_blank_line(text: str, start: int) -> bool:
    """Whether the line before ``start`` is blank, or nothing but blanks or a form feed is before it."""
    before = text[max(0, start - LINE_CHARS) : start].replace("\r\n", "\n").removeprefix("\ufeff")
    gap = before[len(before.rstrip()) :]
    return gap == before or "\f" in gap or gap.count("\n") + gap.count("\r") >= 2


def spans(text: str, starts: Iterable[int]) -> tuple[Span, ...]:
    """What the starts part, without blank spans: each joins the next, the last the one before it."""
    kept, solid, before = [0], False, 0
    for start in starts:
        solid = solid or bool(text[before:start].strip())
        before = start
        if solid:
            kept.append(start)
            solid = False
    if len(kept) > 1 and not text[kept[-1] :].strip():
        kept.pop()
    return tuple(Span(start, end) for start, end in pairwise([*kept, len(text)]))
