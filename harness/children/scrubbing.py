"""Keys are taken out of what an engine says: its messages and standard error go into results and reports.

Each key that the child was given is looked for as the bytes themselves, in hex of either case, with and
without separators, in base64 of both alphabets, as a list of numbers with signs or without, and escaped as in
a literal of bytes. colconf's own test keys are public, and stay readable.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from corpora.keys import TEST_KEYS
from harness.children.outcomes import Detail

REDACTED = "[key]"
_BETWEEN = r"[\s:_-]?"  # digits of hex
_NEXT = r"[\s,;]+"  # numbers of a list


def scrubbed(detail: Detail, keys: Iterable[bytes]) -> Detail:
    """Return the details of an outcome without the keys."""
    patterns = [pattern for key in keys if key not in TEST_KEYS for pattern in _patterns(key)]
    if not patterns:
        return detail
    any_key = re.compile("|".join(patterns))
    return replace(
        detail,
        error_class=any_key.sub(REDACTED, detail.error_class),
        message=any_key.sub(REDACTED, detail.message),
        stderr=any_key.sub(REDACTED, detail.stderr),
    )


def _patterns(key: bytes) -> Iterator[str]:
    """Yield a pattern for each spelling of a key, the longest first."""
    digits = [f"{byte:02x}" for byte in key]
    yield _BETWEEN.join(f"(?:0x)?{''.join(f'[{digit}{digit.upper()}]' for digit in pair)}" for pair in digits)
    for numbers in ([str(byte) for byte in key], [str(byte - 256 * (byte > 127)) for byte in key]):
        yield rf"(?<![\d-]){_NEXT.join(map(re.escape, numbers))}(?!\d)"
    standard = base64.b64encode(key).decode("ascii").rstrip("=")
    for text in {standard, standard.replace("+", "-").replace("/", "_")}:
        yield f"{re.escape(text)}={{0,2}}"
    for text in {key.decode("latin-1"), key.decode("utf-8", "backslashreplace")}:
        yield re.escape(text)
    yield re.escape(repr(key)[2:-1])
