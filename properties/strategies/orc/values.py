"""Values of a primitive type, as in plans: the edges of the type, and values in order."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from properties.strategies import moments, numbers, texts
from properties.strategies.domains import Domain
from reference_impl.orc.schema import Type, TypeKind
from reference_impl.orc.types import INTEGERS, TIMES


def domain(type_: Type, *, trimmed: bool = False, wide: bool = True) -> Domain:
    """Return the domain of a type.

    `trimmed`: decimals without trailing zeros, as Java writes them. `wide`: with timestamps whose nanoseconds
    do not fit 64 bits, and days before 1582, some of which readers refuse or change.
    """
    assert type_.kind is not None
    if type_.kind == TypeKind.DECIMAL:
        return _decimal(type_.precision or 0, type_.scale or 0, trimmed)
    if type_.kind == TypeKind.DATE and not wide:
        return moments.gregorian()
    if type_.kind in TIMES:
        return moments.instant(wide=wide)
    return _domain(type_.kind, type_.maximum_length or 0)


@cache
def _domain(kind: TypeKind, length: int) -> Domain:
    if kind in INTEGERS:
        return numbers.integers(INTEGERS[kind], signed=True)
    if kind in (TypeKind.CHAR, TypeKind.VARCHAR):
        return _limited(length, padded=kind == TypeKind.CHAR)
    return _OTHERS[kind]()


@cache
def _decimal(precision: int, scale: int, trimmed: bool) -> Domain:
    plain = numbers.decimals(precision)
    if not trimmed:
        return plain

    def cut(value: int) -> tuple[int, int]:
        left = scale
        while left and value % 10 == 0:
            value, left = value // 10, left - 1
        return value, left

    return Domain([cut(value) for value in plain.edges], lambda at: cut(plain.nth(at)), plain.bases)


def _limited(length: int, *, padded: bool) -> Domain:
    """Return texts of at most `length` characters; `padded`: of exactly that many, as CHAR has."""
    plain = texts.text()

    def cut(value: bytes) -> bytes:
        text = value.decode()[:length]
        return (text.ljust(length) if padded else text).encode()

    def nth(at: int) -> bytes:
        text = plain.nth(at).decode()
        return cut(text[-length:].encode() if length < len(text) else text.encode())

    return Domain(list(dict.fromkeys(cut(value) for value in plain.edges)), nth, plain.bases)


_OTHERS: dict[TypeKind, Callable[[], Domain]] = {
    TypeKind.BOOLEAN: lambda: Domain((False, True), lambda at: bool(at % 2)),
    TypeKind.FLOAT: lambda: numbers.floats("<f"),
    TypeKind.DOUBLE: lambda: numbers.floats("<d"),
    TypeKind.STRING: texts.long_text,
    TypeKind.BINARY: texts.binary,
    TypeKind.DATE: moments.date,
    TypeKind.GEOMETRY: texts.geometries,
    TypeKind.GEOGRAPHY: texts.geometries,
}
