"""Bit widths that a run may have, and their codes of five bits (ORCv1.md, "Integer Run Length Encoding, version 2").

Code 0 is 1 bit, or 0 bits in a delta run. Widths that the text calls deprecated are read like the others.
"""

from __future__ import annotations

WIDTHS = (*range(1, 25), 26, 28, 30, 32, 40, 48, 56, 64)
CODES = {width: code for code, width in enumerate(WIDTHS)}
MAX_RUN = 512


def closest(bits: int, steps: int = 0) -> int:
    """Answer the smallest width of at least `bits` (0 to 64) bits, or `steps` widths further, 64 at most."""
    code = next(code for code, width in enumerate(WIDTHS) if width >= bits)
    return WIDTHS[min(code + steps, len(WIDTHS) - 1)]


def header(kind: int, width_code: int, length: int) -> bytes:
    """Answer the first two bytes of a direct, patched base, or delta run."""
    return (kind << 14 | width_code << 9 | length - 1).to_bytes(2, "big")
