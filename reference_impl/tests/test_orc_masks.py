"""Masks of encrypted columns: by the words of the specification and of ORC Java's documentation of them."""

from __future__ import annotations

import struct
from datetime import date

import pytest

from reference_impl.errors import UsageError
from reference_impl.orc.days import civil, from_civil
from reference_impl.orc.encryption_plan import Encryption, Mask, MasterKey, Variant
from reference_impl.orc.masks import Redact, apply, masked
from reference_impl.orc.schema import Type, TypeKind
from reference_impl.orc.types import build

NULLIFY, REDACT, SHA256 = (Mask(name, ()) for name in ("nullify", "redact", "sha256"))
# https://en.wikipedia.org/wiki/SHA-2, of the empty string
EMPTY = b"E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855"


def leaf(kind, **fields):
    """A type without children, as the only column of a file."""
    root = Type(kind=TypeKind.STRUCT, subtypes=(1,), field_names=("a",))
    return build((root, Type(kind=kind, **fields))).children[0]


@pytest.mark.parametrize("kind", [kind for kind in TypeKind if kind not in range(10, 14)])
def test_nullify(kind):
    """All values become null."""
    assert apply(NULLIFY, leaf(kind, maximum_length=4), b"1") is None


@pytest.mark.parametrize("mask", [REDACT, SHA256])
def test_a_struct_without_fields_stays(mask):
    """A mask works on the values below a struct: one without fields stays what it is, and null stays null."""
    root = build(
        (
            Type(kind=TypeKind.STRUCT, subtypes=(1,), field_names=("a",)),
            Type(kind=TypeKind.STRUCT),
        )
    )
    sealed = Encryption(
        keys=(MasterKey("k", bytes(16)),), variants=(Variant(1, bytes(16)),), masks=(Mask(mask.name, (1,)),)
    )
    assert masked(root, [((),), (None,)], sealed) == [((),), (None,)]


def test_another_mask_is_refused():
    """A mask that is none of the three is for its user to apply."""
    with pytest.raises(UsageError):
        apply(Mask("mine", ()), leaf(TypeKind.INT), 1)
    with pytest.raises(UsageError):
        Redact(("", "", "0:3"))


@pytest.mark.parametrize(
    ("kind", "fields", "value", "expected"),
    [
        (TypeKind.STRING, {}, b"", EMPTY),
        (TypeKind.VARCHAR, {"maximum_length": 10}, b"", EMPTY[:10]),
        (TypeKind.VARCHAR, {"maximum_length": 100}, b"", EMPTY),
        (TypeKind.CHAR, {"maximum_length": 10}, b"", EMPTY[:10]),
        (TypeKind.CHAR, {"maximum_length": 70}, b"", EMPTY + b" " * 6),
        (TypeKind.BINARY, {}, b"", bytes.fromhex(EMPTY.decode())),
        (TypeKind.LONG, {}, 1, None),
        (TypeKind.DATE, {}, 1, None),
        (TypeKind.BOOLEAN, {}, True, None),
        (TypeKind.DOUBLE, {}, 1.0, None),
    ],
)
def test_sha256(kind, fields, value, expected):
    """Text becomes 64 hexadecimal digits, cut and padded by its type, binary 32 bytes, the rest null."""
    assert apply(SHA256, leaf(kind, **fields), value) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dongjoon Hyun", "Xxxxxxxx Xxxx"),
        ("123-45-6789", "999.99.9999"),
        ("a+b=c£", "x$x$x$"),
        ("(é, Ñ)", ".x. X."),
        ("ª日本", "\u00aa\u00aa\u00aa"),
        ("e\u0301", "x\u0903"),
        ("½Ⅷ", "\u00b2\u00b2"),
        ("\t\u0000", "\u06dd\u06dd"),
        ("७", "9"),
        ("", ""),
    ],
)
def test_redacted_text(text, expected):
    """Each character becomes that of its group; separators stay."""
    assert Redact().text(text.encode()).decode() == expected


def test_parameters_of_text():
    """Replacements stand in the order of the groups; "_" keeps what is there."""
    assert Redact(("Aa0",)).text(b"Ab 12-x").decode() == "Aa 00.a"
    assert Redact(("__",)).text(b"Ab 12").decode() == "Ab 99"
    every = Redact(("1234567890",))
    assert every.text("Aa1$. 日\u0301½\t".encode()).decode() == "1234567890"


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (TypeKind.LONG, 0, 9),
        (TypeKind.LONG, 12345, 99999),
        (TypeKind.LONG, -12345, -99999),
        (TypeKind.LONG, -(1 << 63), -(10**18 - 1)),
        (TypeKind.LONG, (1 << 63) - 1, 10**18 - 1),
        (TypeKind.INT, 1_234_567_890, 9_999_999_999 - (2 << 32)),
        (TypeKind.INT, -7, -9),
        (TypeKind.SHORT, -123, -999),
        (TypeKind.BYTE, 12, 99),
        (TypeKind.BYTE, 100, 999 - 4 * 256),
        (TypeKind.BOOLEAN, False, True),
    ],
)
def test_redacted_integers(kind, value, expected):
    """Each digit becomes 9, the sign stays; of more digits than the type has, its bits are left."""
    assert apply(REDACT, leaf(kind), value) == expected


@pytest.mark.parametrize("value", [0, 5, -17, (1 << 63) - 1])
def test_parameters_of_integers(value):
    """Another digit takes the place of 9, of any script; "_" leaves numbers alone."""
    node = leaf(TypeKind.LONG)
    digits = len(str(abs(value)))
    assert abs(apply(Mask("redact", (), ("Xx1",)), node, value)) == int("1" * digits)
    if digits < 19:
        assert abs(apply(Mask("redact", (), ("Xx७",)), node, value)) == int("7" * digits)
    assert apply(Mask("redact", (), ("Xx_",)), node, value) == value
    assert apply(Mask("redact", (), ("Xx0",)), node, value) == 0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, 9.99999),
        (-0.0, 9.99999),
        (12.5, 99.9999),
        (-0.03, -0.0999999),
        (1e307, 9.99999e307),
        (5e-324, 9.99999e-308),
    ],
)
def test_redacted_floats(value, expected):
    """A number keeps its sign and its power of ten; a zero is taken for one of the power 0."""
    found = apply(REDACT, leaf(TypeKind.DOUBLE), value)
    assert found == pytest.approx(expected, rel=1e-12)


def test_redacted_floats_of_32_bits():
    """What is too large for 32 bits is infinite."""
    assert apply(REDACT, leaf(TypeKind.FLOAT), float("inf")) == float("inf")
    assert apply(REDACT, leaf(TypeKind.FLOAT), float("-inf")) == float("-inf")
    assert apply(REDACT, leaf(TypeKind.FLOAT), struct.pack("<f", 2.0)) == pytest.approx(9.99999)


@pytest.mark.parametrize(
    ("precision", "scale", "value", "expected"),
    [
        (10, 2, 12345, 99999),
        (10, 2, -12300, -99900),
        (10, 2, 5, 999),
        (10, 2, 0, 900),
        (3, 3, 123, 999),
        (5, 0, 42, 99),
        (10, 2, (12345, 2), 99999),
    ],
)
def test_redacted_decimals(precision, scale, value, expected):
    """Each digit that is shown becomes 9, as far as the type has room."""
    node = leaf(TypeKind.DECIMAL, precision=precision, scale=scale)
    assert apply(REDACT, node, value) == expected


def test_redacted_times():
    """A year is kept; months and days become 1, hours, minutes and seconds 0."""
    day = (date(2021, 8, 17) - date(1970, 1, 1)).days
    first = (date(2021, 1, 1) - date(1970, 1, 1)).days
    assert apply(REDACT, leaf(TypeKind.DATE), day) == first
    assert apply(REDACT, leaf(TypeKind.TIMESTAMP), (day * 86400 + 12345, 678)) == (first * 86400, 0)
    keep = Mask("redact", (), ("", "2000 _ _ 3 _ _"))
    moved = (date(2000, 8, 17) - date(1970, 1, 1)).days
    assert apply(keep, leaf(TypeKind.TIMESTAMP_INSTANT), (day * 86400 + 12345, 678)) == (
        moved * 86400 + 3 * 3600 + 12345 % 3600,
        0,
    )
    assert apply(REDACT, leaf(TypeKind.BINARY), b"1") is None


@pytest.mark.parametrize("days", [0, -1, 59, 60, -719_163, 2_932_896, 11_016, -141_428, -141_427])
def test_days(days):
    """Days are the dates of the calendar, both ways, and go on beyond its years."""
    if -719_163 < days <= 2_932_896:
        found = date.fromordinal(days + date(1970, 1, 1).toordinal())
        assert civil(days) == (found.year, found.month, found.day)
    assert from_civil(*civil(days)) == days
    assert from_civil(*civil(days * 1000)) == days * 1000


def test_masks_of_a_tree():
    """A mask is that of the nearest column above that has one; what is beside a variant stays."""
    types = (
        Type(kind=TypeKind.STRUCT, subtypes=(1, 2, 6, 8, 11), field_names=("a", "b", "c", "d", "e")),
        Type(kind=TypeKind.INT),
        Type(kind=TypeKind.STRUCT, subtypes=(3, 4, 5), field_names=("x", "y", "z")),
        Type(kind=TypeKind.STRING),
        Type(kind=TypeKind.STRING),
        Type(kind=TypeKind.INT),
        Type(kind=TypeKind.LIST, subtypes=(7,)),
        Type(kind=TypeKind.STRING),
        Type(kind=TypeKind.MAP, subtypes=(9, 10)),
        Type(kind=TypeKind.STRING),
        Type(kind=TypeKind.INT),
        Type(kind=TypeKind.UNION, subtypes=(12, 13)),
        Type(kind=TypeKind.INT),
        Type(kind=TypeKind.STRING),
    )
    row = (1, (b"Ab", b"", 12), [b"x1", None], [(b"k", 12)], (1, b"Zz"))
    keys = (MasterKey("k", bytes(16)),)
    variants = tuple(Variant(root, bytes(16)) for root in (2, 6, 8, 11))
    masks = (Mask("redact", (2, 6, 8, 11)), Mask("sha256", (4,)), Mask("nullify", (5,)))
    found = masked(build(types), [row, None], Encryption(keys, variants, masks))
    assert found == [(1, (b"Xx", EMPTY, None), [b"x9", None], [(b"x", 99)], (1, b"Xx")), None]
    assert masked(build(types), [row], Encryption(keys, variants[:1])) == [(1, None, *row[2:])]
    assert masked(build(types), [row], Encryption(keys, (Variant(0, bytes(16)),))) == [(None,) * 5]
