"""Masks: the values that a reader without the key sees of an encrypted column (ORCv1.md, "Data Masks").

    nullify   all values become null
    redact    characters and digits become constants, dates and times lose their parts
    sha256    text and bytes become their SHA-256; values of other types become null

The specification has no further masks; the constants, and the effect on each type, are from
the documentation of ORC Java's RedactMaskFactory and SHA256MaskFactory. A mask never changes a type: a
redacted number with more digits than its type is cut to the bits of the type.

Values are those of a plan (`reference_impl.orc.plan`).
"""

from __future__ import annotations

import hashlib
import struct
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from math import isnan
from typing import Any

from reference_impl.errors import UsageError
from reference_impl.orc.days import civil, from_civil
from reference_impl.orc.encryption_plan import Encryption, Mask
from reference_impl.orc.plan import Row
from reference_impl.orc.schema import TypeKind
from reference_impl.orc.shred import BITS
from reference_impl.orc.statistics import FLOATS, TEXTS, TIMES
from reference_impl.orc.types import BINARIES, TypeNode
from reference_impl.orc.values import decimal_parts, number

NULLIFY = Mask("nullify", ())
NESTED = (TypeKind.STRUCT, TypeKind.LIST, TypeKind.MAP, TypeKind.UNION)
_KEEP = "_"
_GROUPS = (  # Unicode's general categories in the order of the parameter, and their replacement
    (("Lu",), "X"),
    (("Ll",), "x"),
    (("Nd",), "9"),
    (("Sm", "Sc", "Sk", "So"), "$"),
    (("Pd", "Ps", "Pe", "Pc", "Po", "Pi", "Pf"), "."),
    (("Zs", "Zl", "Zp"), _KEEP),
    (("Lt", "Lm", "Lo"), "\u00aa"),
    (("Mn", "Me", "Mc"), "\u0903"),
    (("Nl", "No"), "\u00b2"),
)
_OTHER = "\u06dd"
_DIGIT = 2  # the place of digits in the parameter
_TIMES = (None, 1, 1, 0, 0, 0)  # year, month, day, hour, minute, second; None: unchanged
_POWERS = [float(f"1e{exponent}") for exponent in range(-308, 308)]
_LONGEST = 18  # nines that 64 bits hold
_DAY = 86_400
_HEX = 64


def masked(root: TypeNode, rows: Sequence[Row], encryption: Encryption) -> list[Row]:
    """Return the rows of the unencrypted variant. Raises UsageError for an unknown mask."""
    tops = {variant.root for variant in encryption.variants}
    by_column = {column: mask for mask in encryption.masks for column in mask.columns}
    return [_masked(root, row, tops, by_column, None) for row in rows]


def _masked(
    node: TypeNode, value: Any, tops: set[int], by_column: dict[int, Mask], above: Mask | None
) -> Any:
    mask = above
    if node.id in tops or above is not None:
        mask = by_column.get(node.id, above or NULLIFY)
    if value is None or (mask is not None and mask.name == NULLIFY.name and node.parent is not None):
        return None
    if node.kind not in NESTED:  # a struct may have no fields, and is no value of its own
        return value if mask is None else apply(mask, node, value)

    def below(child: int, item: Any) -> Any:
        return _masked(node.children[child], item, tops, by_column, mask)

    if node.kind is TypeKind.STRUCT:
        return tuple(below(place, item) for place, item in enumerate(value))
    if node.kind is TypeKind.LIST:
        return [below(0, item) for item in value]
    if node.kind is TypeKind.MAP:
        return [(below(0, key), below(1, item)) for key, item in value]
    return (value[0], below(*value))


def apply(mask: Mask, node: TypeNode, value: Any) -> Any:
    """Return the masked value of a value that is not null, not of a nested type; raises UsageError."""
    if mask.name == NULLIFY.name:
        return None
    if mask.name == "sha256":
        return _sha256(node, value)
    if mask.name == "redact":
        return Redact(mask.parameters).apply(node, value)
    raise UsageError(f"a mask {mask.name!r}")


def _sha256(node: TypeNode, value: Any) -> bytes | None:
    if node.kind in TEXTS:
        text = hashlib.sha256(value).hexdigest().upper().encode()
        if node.kind is TypeKind.STRING:
            return text
        length = node.type.maximum_length or _HEX
        return text[:length].ljust(length) if node.kind is TypeKind.CHAR else text[:length]
    return hashlib.sha256(value).digest() if node.kind is TypeKind.BINARY else None


class Redact:
    """Redaction with its two parameters: replacements of groups of characters, and of the parts of a time.

    The first has a character each for upper case, lower case, digits, symbols, punctuation,
    separators, other letters, marks, other numbers, and all others; the second has numbers for year, month,
    day, hour, minute and second. "_" leaves a part unchanged.
    """

    def __init__(self, parameters: tuple[str, ...] = ()) -> None:
        """Read the parameters; raises UsageError for a third one, which ORC has but does not document."""
        if len(parameters) > 2:
            raise UsageError(f"{len(parameters)} parameters of redact")
        letters = parameters[0] if parameters else ""
        defaults = [letter for _, letter in _GROUPS] + [_OTHER]
        self.letters = [*letters, *defaults[len(letters) :]]
        self.groups = {
            name: letter for (names, _), letter in zip(_GROUPS, self.letters, strict=False) for name in names
        }
        parts = parameters[1].split() if len(parameters) > 1 else []
        self.times = [None if part == _KEEP else int(part) for part in parts]
        self.times += _TIMES[len(parts) :]
        self.digit = unicodedata.digit(self.letters[_DIGIT], 9)

    def apply(self, node: TypeNode, value: Any) -> Any:
        """Return the redacted value of a value that is not null."""
        kind = node.kind
        if kind in TEXTS:
            return self.text(value)
        if kind in BINARIES:
            return None
        if kind is TypeKind.DATE:
            return self.date(value)
        if kind in TIMES:
            return self.moment(value)
        if self.letters[_DIGIT] == _KEEP:
            return value
        if kind is TypeKind.BOOLEAN:
            return self.digit != 0
        if kind in FLOATS:
            return self.float(kind, value)
        if kind is TypeKind.DECIMAL:
            return self.decimal(node, value)
        half = 1 << BITS[kind] - 1
        return (self.integer(value) + half) % (2 * half) - half

    def text(self, raw: bytes) -> bytes:
        """Replace each character by that of its group; bytes that are no UTF-8 are in the last group."""
        out = []
        for letter in raw.decode("utf-8", "replace"):
            new = self.groups.get(unicodedata.category(letter), self.letters[-1])
            out.append(letter if new == _KEEP else new)
        return "".join(out).encode()

    def integer(self, value: int) -> int:
        """Replace all digits."""
        digits = len(str(abs(value)))
        if self.digit == 9:
            digits = min(digits, _LONGEST)
        redacted = int(str(self.digit) * digits)
        return -redacted if value < 0 else redacted

    def float(self, kind: TypeKind, value: Any) -> float | bytes:
        """Replace the digits: 9.99999 times the power of ten of the number; 0 for zeros."""
        read = number(kind, value)
        if read == 0 or not self.digit:
            out = self.digit * 1.11111
        else:
            base = 1.11111 if read > 0 else -1.11111
            place = len(_POWERS) if isnan(read) else bisect_right(_POWERS, abs(read))
            out = self.digit * base * _POWERS[max(0, place - 1)]
        if kind is TypeKind.FLOAT:
            try:
                struct.pack("<f", out)
            except OverflowError:
                return float("inf") if out > 0 else float("-inf")
        return out

    def decimal(self, node: TypeNode, value: Any) -> int:
        """Replace the digits before the point (a single 0 too), and those behind it up to the last."""
        unscaled, scale = decimal_parts(value, node.scale)
        whole, part = divmod(abs(unscaled), 10**scale)
        behind = str(part).rjust(scale, "0").rstrip("0") if scale else ""
        before = min(len(str(whole)), node.precision - node.scale)
        digits = str(self.digit) * (before + len(behind))
        redacted = int(digits or "0") * int(10 ** (node.scale - len(behind)))
        return -redacted if unscaled < 0 else redacted

    def date(self, days: int) -> int:
        """Replace the parts of a date of the proleptic Gregorian calendar."""
        parts = [old if new is None else new for old, new in zip(civil(days), self.times[:3], strict=True)]
        return from_civil(*parts)

    def moment(self, value: tuple[int, int]) -> tuple[int, int]:
        """Replace the parts of a time; fractions of seconds are dropped."""
        days, second = divmod(value[0], _DAY)
        parts = (second // 3600, second // 60 % 60, second % 60)
        hour, minute, second = (
            old if new is None else new for old, new in zip(parts, self.times[3:], strict=True)
        )
        return self.date(days) * _DAY + hour * 3600 + minute * 60 + second, 0
