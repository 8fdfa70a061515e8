"""Rewrites of equivalences: functions at one node of the type tree, given the expected and the actual type.

Each returns None where it does not apply, else a `Rewrite`. A value that the engine's type cannot hold is
rewritten to a text in parentheses that no engine returns: the engine must refuse there, not wrap around.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from struct import error, pack
from typing import NamedTuple

from corpora import tagged
from corpora.tagged import Type, Value
from reference_impl.wkb import little_endian

Convert = Callable[[Value], Value]

WIDEST_DECIMAL = 38  # digits that 128 bits hold
NAN = "NaN"  # the form that all NaN share
_SMALL = (8, 16)
_FRACTION_BITS = {16: 10, 32: 23, 64: 52}


class Rewrite(NamedTuple):
    """The type that the engine returns instead, and how a value that is not null is rewritten."""

    type: Type
    convert: Convert


Apply = Callable[[Type, Type], Rewrite | None]
Same = Callable[[Value, Value], bool]  # of an expected value and the actual one
Pair = Callable[[Type, Type], Same | None]


@dataclass(frozen=True)
class Equivalence:
    """A named equivalence; `doc` is why users accept it, and where an engine documents it.

    `apply` gets the expected and the actual type, and returns None where it does not apply. It may return a
    type that is only closer to the actual type; it leaves the children of nested types alone. `formats` are
    the file formats that it applies to; `of_null`: the `pair` is of nulls that are
    expected, and of no other values. `switches`, if any, are values of switches, `name=value`: it holds under
    each of them, and no other configuration. `feature`, if not "", is one that a file must have.
    """

    name: str
    doc: str
    apply: Apply
    both: bool = False
    formats: tuple[str, ...] = ("parquet", "orc")
    pair: Pair | None = None
    of_null: bool = False
    switches: tuple[str, ...] = ()
    feature: str = ""

    def holds(self, on: AbstractSet[str]) -> bool:
        """Return whether it holds where these values of switches are on."""
        return not self.switches or any(switch in on for switch in self.switches)


def same(value: Value) -> Value:
    """Return the value as it is."""
    return value


def bounded(count: int, bits: int = 64) -> Value:
    """Return a count as a value, or a text that no engine returns where so many bits cannot hold it."""
    return str(count) if -(1 << bits - 1) <= count < 1 << bits - 1 else f"({count} is no int{bits})"


def nothing(expected: Type, actual: Type) -> Rewrite | None:  # noqa: ARG001 - an `Apply`
    """Rewrite nothing: an equivalence of pairs keeps types."""
    return None


def when(fits: Callable[[Type, Type], bool], convert: Convert = same) -> Apply:
    """Return the engine's type, with values in its form, where the expected and the actual type fit."""
    return lambda expected, actual: Rewrite(actual, convert) if fits(expected, actual) else None


def renamed(source: str, target: str, convert: Convert = same) -> Apply:
    """Return kind `source` as `target`, neither with parameters; values sent as digests stay."""

    def rewrite(value: Value) -> Value:
        return value if isinstance(value, dict) else convert(value)

    return lambda expected, actual: (
        Rewrite(actual, rewrite) if (expected.kind, actual.kind) == (source, target) else None
    )


def text_to_hex(value: Value) -> Value:
    """Return the UTF-8 bytes of a text."""
    return str(value).encode("utf-8", "surrogateescape").hex()


def hex_to_text(value: Value) -> Value:
    """Return bytes as text."""
    return bytes.fromhex(str(value)).decode("utf-8", "surrogateescape")


def uuid_text(value: Value) -> Value:
    """Return a UUID in its canonical form 8-4-4-4-12 (RFC 9562 §4)."""
    raw = str(value)
    return "-".join((raw[:8], raw[8:12], raw[12:16], raw[16:20], raw[20:]))


def _widened(expected: Type, actual: Type) -> bool:
    """Return whether both are integers, the actual type the wider one."""
    return expected.kind == actual.kind == "int" and (expected.bits or 64) < (actual.bits or 0)


unsigned_widened = when(
    lambda expected, actual: _widened(expected, actual) and not expected.signed and bool(actual.signed)
)
int_widened = when(lambda expected, actual: _widened(expected, actual) and expected.signed == actual.signed)
uint64_as_decimal = when(
    lambda expected, actual: (expected, actual) == (tagged.integer(64, signed=False), tagged.decimal(20, 0))
)


def float_widened(expected: Type, actual: Type) -> Rewrite | None:
    """Return floats as wider ones."""
    if not expected.kind == actual.kind == "float" or not expected.bits or not actual.bits:
        return None
    narrow, wide = expected.bits, actual.bits
    return Rewrite(actual, lambda value: _widen(str(value), narrow, wide)) if narrow < wide else None


def float16_as_float32(expected: Type, actual: Type) -> Rewrite | None:
    """Return half floats as single ones."""
    fits = expected.bits == 16 and actual.bits == 32
    return float_widened(expected, actual) if fits else None


def _widen(value: str, narrow: int, wide: int) -> str:
    """Return the same number's bits in the wider format (IEEE 754-2008 §3.4); NaN payloads shift along."""
    bits, few, many = int(value, 16), _FRACTION_BITS[narrow], _FRACTION_BITS[wide]
    sign, fraction = bits >> (narrow - 1), bits & ((1 << few) - 1)
    top, high = (1 << (narrow - 1 - few)) - 1, (1 << (wide - 1 - many)) - 1
    exponent = bits >> few & top
    if exponent == top:
        exponent = high
    elif exponent or fraction:
        if not exponent:  # subnormal: the wider format has a normal number for it
            shift = few + 1 - fraction.bit_length()
            fraction, exponent = (fraction << shift) & ((1 << few) - 1), 1 - shift
        exponent += high // 2 - top // 2
    return f"{sign << (wide - 1) | exponent << many | fraction << (many - few):0{wide // 4}x}"


decimal_widened = when(
    lambda expected, actual: (
        expected.kind == actual.kind == "decimal"
        and expected.scale == actual.scale
        and (expected.precision or 0) < (actual.precision or 0)
    )
)


def decimal_as_float64(expected: Type, actual: Type) -> Rewrite | None:
    """Return decimals as the nearest double."""
    if expected.kind != "decimal" or actual != tagged.floating(64):
        return None
    scale = expected.scale or 0

    def convert(value: Value) -> Value:
        unscaled = int(str(value))
        try:
            number = float(Fraction(unscaled, 10**scale) if scale >= 0 else unscaled * 10**-scale)
        except OverflowError:
            return f"({unscaled}e{-scale} is no double)"
        return pack(">d", number).hex()

    return Rewrite(actual, convert)


def wide_decimal_as_float64(expected: Type, actual: Type) -> Rewrite | None:
    """Return decimals of more than 38 digits as the nearest double."""
    return decimal_as_float64(expected, actual) if (expected.precision or 0) > WIDEST_DECIMAL else None


def interval_bytes(value: Value) -> Value:
    """Return the 12 bytes of a Parquet INTERVAL (LogicalTypes.md, INTERVAL)."""
    assert isinstance(value, list)
    months, days, nanos = map(int, value)
    millis, rest = divmod(nanos, 10**6)
    if rest or not all(0 <= part < 1 << 32 for part in (months, days, millis)):
        return f"({months} months {days} days {nanos} ns is no Parquet interval)"
    return b"".join(part.to_bytes(4, "little") for part in (months, days, millis)).hex()


def float16_bytes(value: Value) -> Value:
    """Return the two bytes of a half float as they are stored: little-endian (LogicalTypes.md, FLOAT16)."""
    return bytes.fromhex(str(value))[::-1].hex()


float16_as_bytes = when(
    lambda expected, actual: (expected, actual) == (tagged.floating(16), tagged.BYTES), float16_bytes
)


def nan_payload(expected: Type, actual: Type) -> Rewrite | None:
    """Bring all NaN into one form."""
    if expected.kind != "float" or expected != actual or not expected.bits:
        return None
    bits = expected.bits
    return Rewrite(actual, lambda value: nan_form(value, bits))


def nan_for_null(expected: Type, actual: Type) -> Same | None:  # noqa: ARG001 - a `Pair`
    """Return whether a float is accepted for a null: a NaN is."""
    bits = actual.bits
    if actual.kind != "float" or not bits:
        return None
    return lambda _, value: nan_form(value, bits) == NAN


def nan_form(value: Value, bits: int) -> Value:
    """Return NAN for a float of so many bits that is a NaN, else the value."""
    infinity = ((1 << bits) - 1 >> 1) & ~((1 << _FRACTION_BITS[bits]) - 1)
    is_nan = value == NAN or int(str(value), 16) & (1 << bits - 1) - 1 > infinity
    return NAN if is_nan else value


def wkb_in_one_order(expected: Type, actual: Type) -> Rewrite | None:
    """Bring geometries into little-endian order; bytes that are no WKB do not change."""
    if expected.kind not in ("geometry", "geography") or expected != actual:
        return None

    def convert(value: Value) -> Value:
        try:
            return little_endian(bytes.fromhex(str(value))).hex()
        except (ValueError, error):
            return value

    return Rewrite(actual, convert)


def out_of_range(expected: Type, actual: Type) -> Same | None:
    """Return which values are accepted for a small integer that its type cannot hold: any."""
    bits = expected.bits or 0
    if expected.kind != "int" or bits not in _SMALL or actual.kind != "int":
        return None
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if expected.signed else (0, (1 << bits) - 1)
    return lambda value, _: not least <= int(str(value)) <= most
