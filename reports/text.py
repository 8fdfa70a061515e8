"""Text of unknown origin, made safe to look at: file names, messages and values come from hostile files."""

from __future__ import annotations

import re

LONG = 4_000  # characters of a message or of stderr that a report keeps
SHORT = 500  # characters of a value, a name or a path that a report keeps

# Characters that a terminal, a browser or an XML parser obeys, hides or refuses: the C0 and C1 controls, lone
# surrogates, the non-characters, zero-width and bidirectional formatting, line and paragraph separators.
_UNSAFE_IN_BLOCK = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
_UNSAFE_IN_LINE = re.compile(_UNSAFE_IN_BLOCK.pattern.replace("\x08\x0b", "\x08\t\n\x0b"))
_NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def line(value: object, limit: int = SHORT) -> str:
    """Return `value` as one visible line of at most about `limit` characters; None is the empty text."""
    return _clean(value, limit, _UNSAFE_IN_LINE)


def block(value: object, limit: int = LONG) -> str:
    """Return `value` as visible text of at most about `limit` characters, newlines and tabs kept."""
    return _clean(value, limit, _UNSAFE_IN_BLOCK)


def first_line(value: str, limit: int = 160) -> str:
    """Return the first line of visible text that is not blank, cut to `limit` characters."""
    first = next((part.strip() for part in value.splitlines() if part.strip()), "")
    return first if len(first) <= limit else first[: limit - 1] + "…"


def _clean(value: object, limit: int, unsafe: re.Pattern[str]) -> str:
    text = "" if value is None else str(value)
    more = len(text) - limit
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
