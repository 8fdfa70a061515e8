"""Constants near a value in the order of its type, and special values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpora.build.questions.columns import is_constant
from corpora.constants import BINARY, TEXT
from corpora.tagged import Type, Value

SIGNS = {16: 1 << 15, 32: 1 << 31, 64: 1 << 63}
QUIET = {16: "7e00", 32: "7fc00000", 64: "7ff8000000000000"}
_INFINITE = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF0000000000000}


def above(type_: Type, value: Value) -> Value:
    """Return the next greater value, None if there is none or it cannot be a constant."""
    return _legal(type_, _stepped(type_, value, 1))


def below(type_: Type, value: Value) -> Value:
    """Return the next smaller value, or a value close below where there is no next one; None without one."""
    return _legal(type_, _stepped(type_, value, -1))


def between(type_: Type, low: Value, high: Value, present: Sequence[Value]) -> Value:
    """Return a value between two values that is not present, None without one."""
    taken = set(map(str, present))
    for start, step in ((low, above), (high, below)):
        value = step(type_, start)
        if value is not None and value not in (low, high) and str(value) not in taken:
            return value
    return None


def nan(type_: Type) -> Value:
    """Return the quiet NaN of a floating point type."""
    return QUIET[type_.bits or 64]


def zeros(type_: Type) -> tuple[Value, Value]:
    """Return +0.0 and -0.0."""
    bits = type_.bits or 64
    return "0" * (bits // 4), f"{SIGNS[bits]:x}"


def infinities(type_: Type) -> tuple[Value, Value]:
    """Return the infinities, the negative one first."""
    bits = type_.bits or 64
    return f"{_INFINITE[bits] | SIGNS[bits]:x}", f"{_INFINITE[bits]:x}"


def is_nan(type_: Type, value: Value) -> bool:
    """Return whether a constant of a floating point type is NaN."""
    bits = type_.bits or 64
    return type_.kind == "float" and int(str(value), 16) & ~SIGNS[bits] > _INFINITE[bits]


def is_zero(type_: Type, value: Value) -> bool:
    """Return whether a constant of a floating point type is one of the zeros."""
    return type_.kind == "float" and value in zeros(type_)


def _legal(type_: Type, value: Value) -> Value:
    return value if is_constant(type_, value) else None


def _stepped(type_: Type, value: Value, step: int) -> Value:
    kind = type_.kind
    if isinstance(value, bool):
        return (step > 0) if value is not (step > 0) else None
    if not isinstance(value, str):
        return None
    if kind == "float":
        return _float(type_, value, step)
    if kind in TEXT:
        return value + "\x00" if step > 0 else _shorter(value)
    if kind == "uuid":
        return next(_numbered(value, step), None)
    if kind in BINARY:
        if step > 0:
            return value + "00"
        return value[:-2] if value.endswith("00") else next(_numbered(value, step), None)
    return str(int(value) + step)


def _float(type_: Type, value: str, step: int) -> Value:
    """Return the next float by its bits; from the zeros to the smallest numbers, from infinity nowhere."""
    bits = type_.bits or 64
    if is_nan(type_, value):
        return None
    raw, sign = int(value, 16), SIGNS[bits]
    place = raw if raw < sign else sign - raw  # the zeros have the place 0
    place += step
    if abs(place) > _INFINITE[bits]:
        return None
    return f"{place if place >= 0 else sign - place:0{bits // 4}x}"


def _shorter(text: str) -> Value:
    """Return a text that is smaller: without its end, or with a smaller last character."""
    if not text:
        return None
    last = ord(text[-1])
    if last == 0:
        return text[:-1]
    if 0xD800 <= last - 1 <= 0xDFFF:  # surrogates stand for bytes that are no UTF-8
        return text[:-1]
    return text[:-1] + chr(last - 1)


def _numbered(value: str, step: int) -> Iterator[str]:
    """Yield bytes of the same length as the number beside, if there is one."""
    width = len(value)
    number = int(value or "0", 16) + step
    if width and 0 <= number < 1 << (4 * width):
        yield f"{number:0{width}x}"
