"""Removes keys from an engine's messages and standard error, which go into results and reports.

Each key that the child was given is looked for as the bytes themselves, in hex of either case, with and
without separators, in base64 of both alphabets, as a list of numbers with signs or without, and escaped as in
a literal of bytes. Messages are clipped: a text that ends with the beginning of a key, or begins with its
end, loses that too, if it is three bytes of a key or more (three signs of base64). colconf's own test keys
are public, and stay readable.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from corpora.keys import TEST_KEYS
from harness.children.outcomes import Detail

REDACTED = "[key]"
_LEAST = 3  # units of a key at the end of a text
_CUT = r"[\da-fA-Fx\\,;:=_\s-]{0,5}"  # the rest of a unit that was cut
_QUOTE = r"(?:b?['\"\[(<])?"  # what a clipped text may be printed in
_END_QUOTE = r"['\"\])>]{0,3}"
_UNIT = re.compile(r"\\x[0-9a-f]{2}|\\.|.", re.DOTALL)


class _Spelling(NamedTuple):
    """How a key may be written: a pattern for each of its units, and between, before and after them."""

    units: list[str]
    between: str = ""
    before: str = ""
    after: str = ""

    def whole(self) -> str:
        return self.before + self.between.join(self.units) + self.after

    def beginning(self) -> str:
        """Return a pattern of the first units, at least `_LEAST`, that ends a text."""
        further = ""
        for unit in reversed(self.units[_LEAST:]):
            further = f"(?:{self.between}{unit}{further})?"
        return rf"{self.before}{self.between.join(self.units[:_LEAST])}{further}{_CUT}(?={_END_QUOTE}\Z)"

    def ending(self) -> str:
        """Return a pattern of the last units, at least `_LEAST`, that begins a text."""
        further = ""
        for unit in self.units[:-_LEAST]:
            further = f"(?:{further}{unit}{self.between})?"
        return rf"\A{_QUOTE}{_CUT}?{further}{self.between.join(self.units[-_LEAST:])}{self.after}"


def scrubbed(detail: Detail, keys: Iterable[bytes]) -> Detail:
    """Return the details of an outcome without the keys."""
    spellings = [spelling for key in keys if key not in TEST_KEYS for spelling in _spellings(key)]
    if not spellings:
        return detail
    wholes, beginnings, endings = (
        re.compile("|".join(map(form, spellings)))
        for form in (_Spelling.whole, _Spelling.beginning, _Spelling.ending)
    )

    def clean(text: str) -> str:
        for pattern in (wholes, beginnings, endings):
            text = pattern.sub(REDACTED, text)
        return text

    return replace(
        detail,
        error_class=clean(detail.error_class),
        message=clean(detail.message),
        stderr=clean(detail.stderr),
    )


def _spellings(key: bytes) -> Iterator[_Spelling]:
    """Yield the spellings of a key, the longest first."""
    digits = [f"{byte:02x}" for byte in key]
    pairs = ["".join(f"[{digit}{digit.upper()}]" for digit in pair) for pair in digits]
    yield _Spelling([f"(?:0x)?{pair}" for pair in pairs], r"[\s:_-]?")
    for numbers in ([str(byte) for byte in key], [str(byte - 256 * (byte > 127)) for byte in key]):
        yield _Spelling(list(map(re.escape, numbers)), r"[\s,;]+", r"(?<![\d-])", r"(?!\d)")
    standard = base64.b64encode(key).decode("ascii").rstrip("=")
    for text in {standard, standard.replace("+", "-").replace("/", "_")}:
        yield _Spelling(list(map(re.escape, text)), after="={0,2}")
    for text in {key.decode("latin-1"), key.decode("utf-8", "backslashreplace"), repr(key)[2:-1]}:
        yield _Spelling(list(map(re.escape, _UNIT.findall(text))))
