"""Text of unknown origin in a safe form: file names, messages and values come from hostile files.

`line` and `block` are for terminals and reports, `quoted` is for shells, `code` and `fenced` are for
Markdown; all accept any text.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

from corpora.cases import USER_FILES, USER_TABLES, Case

LONG = 4_000  # characters of a message or of stderr that a report keeps
SHORT = 500  # characters of a value, a name or a path that a report keeps

# What a terminal, a browser or an XML parser would obey, hide or refuse: the C0 and C1 controls, lone
# surrogates, the non-characters, zero-width and bidirectional formatting, line and paragraph separators.
_UNSAFE_IN_BLOCK = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
_UNSAFE_IN_LINE = re.compile(_UNSAFE_IN_BLOCK.pattern.replace("\x08\x0b", "\x08\t\n\x0b"))
# What begins emphasis, code, links, HTML, tables, addresses or autolinks in Markdown.
_SYNTAX = re.compile(r"[\\`*_\[\]<>#|~&@$]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def line(value: object, limit: int | None = SHORT) -> str:
    """Return `value` as one visible line of at most about `limit` characters; None is the empty text.

    Without a limit, all of it.
    """
    return _clean(value, limit, _UNSAFE_IN_LINE)


def block(value: object, limit: int | None = LONG) -> str:
    """Return `value` as visible text of at most about `limit` characters, newlines and tabs kept."""
    return _clean(value, limit, _UNSAFE_IN_BLOCK)


def show_line(value: object, *, err: bool = False) -> None:
    """Print all of `value` on a visible line."""
    print(line(value, None), file=sys.stderr if err else sys.stdout, flush=True)


def say(value: object) -> None:
    """Print all of `value` on a visible line of standard error."""
    show_line(value, err=True)


def first_line(value: str, limit: int = 160) -> str:
    """Return the first line of visible text that is not blank, cut to `limit` characters."""
    text = next((part.strip() for part in value.splitlines() if part.strip()), "")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def whole_words(text: str, limit: int) -> str:
    """Return text of at most `limit` characters, cut between words, with "…" for the rest."""
    if len(text) <= limit:
        return text
    words, space, _ = text[:limit].rpartition(" ")
    return f"{words} …" if space else f"{text[:limit]}…"


def display_name(case: str, file: str) -> str:
    """Return how output for people names a case: by the path of a user's file, else by the case's id.

    A read of a user's folder is named by the folder, with the name of the read in parentheses.
    """
    if file and case.startswith(USER_TABLES):
        return f"{display_path(file)} ({case.rpartition('/')[2]})"
    return display_path(file) if file and case.startswith(USER_FILES) else case


def case_name(case: Case) -> str:
    """Return how output for people names a case; see `display_name`."""
    return display_name(case.id, str(case.file))


def display_path(file: str) -> str:
    """Return a path as a user would type it: below the working directory, relative to that."""
    try:
        below = str(Path(file).relative_to(Path.cwd()))
    except (OSError, ValueError):  # no such folder any more, or it is elsewhere
        return file
    return Path(file).name if below == "." else below


def quoted(value: object) -> str:
    """Return `value` as one visible word of a shell, with unprintable characters escaped.

    With escapes the word names no file: a shell cannot write a control character or a lone surrogate plainly.
    """
    return shlex.quote(line(value, None))


def code(value: object, limit: int | None = SHORT) -> str:
    """Return `value` as a code span of Markdown: its fence is longer than any run of backticks in it.

    https://spec.commonmark.org/0.31.2/#code-spans: nothing in a span has another meaning, and one space at
    each end is taken off.
    """
    visible = line(value, limit)
    fence = "`" * (_longest_run(visible) + 1)
    pad = " " if not visible.strip() or set(visible[0] + visible[-1]) & {"`", " "} else ""
    return f"{fence}{pad}{visible or ' '}{pad}{fence}"


def fenced(value: object) -> str:
    """Return `value` as a code block of Markdown: its fence is longer than any run of backticks in it."""
    visible = block(value)
    fence = "`" * max(3, _longest_run(visible) + 1)
    return f"{fence}\n{visible}\n{fence}"


def plain(value: object, limit: int | None = SHORT) -> str:
    """Return `value` as running text of Markdown, without a meaning there."""
    return escaped(line(value, limit))


def escaped(visible: str) -> str:
    """Return visible text with character references for what Markdown gives a meaning.

    https://spec.commonmark.org/0.31.2/#entity-and-numeric-character-references: they stand for no structure.
    """
    return _SYNTAX.sub(lambda mark: f"&#{ord(mark[0])};", visible)


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _clean(value: object, limit: int | None, unsafe: re.Pattern[str]) -> str:
    text = "" if value is None else str(value)
    more = 0 if limit is None else len(text) - limit
    if more > 0:
        text = text[:limit]
    visible = unsafe.sub(_escaped, text)
    return f"{visible}… ({more:,} more characters)" if more > 0 else visible


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    if character in _NAMED:
        return _NAMED[character]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
