"""Bugs in decoding runs and numbers: ORCv1.md, Run Length Encoding."""

from __future__ import annotations

from functools import partial

from corpora.build.formats import ORC
from harness.investigate.selftest.plant import Plant

_HOME = "reference_impl.orc.encodings"
_BYTE_CLAUSE = "ORCv1.md, Byte Run Length Encoding"
_V1_CLAUSE = "ORCv1.md, Integer Run Length Encoding, version 1"
_SHORT_CLAUSE = "ORCv1.md, Short Repeat"
_Plant = partial(Plant, format=ORC.name)
_byte_rle = partial(_Plant, module=f"{_HOME}.byte_rle")
_rle_v1 = partial(_Plant, module=f"{_HOME}.rle_v1")
_varints = partial(_Plant, module=f"{_HOME}.varints")
_short_repeat = partial(_Plant, module=f"{_HOME}.rle_v2.short_repeat")
_patched_base = partial(_Plant, module=f"{_HOME}.rle_v2.patched_base", clause="ORCv1.md, Patched Base")
_delta = partial(_Plant, module=f"{_HOME}.rle_v2.delta", clause="ORCv1.md, Delta")

PLANTS = (
    _byte_rle(
        "byte-run-short",
        "runs of bytes are one shorter",
        "length = header + SHORTEST",
        "length = header + SHORTEST - 1",
        _BYTE_CLAUSE,
    ),
    _byte_rle(
        "byte-literals-of-128",
        "the length of a list of bytes has 7 bits, so that one of 128 is empty",
        "length = 0x100 - header",
        "length = 0x100 - header & 0x7F",
        _BYTE_CLAUSE,
    ),
    _Plant(
        "boolean-bit-order",
        "booleans are taken from the lowest bit of a byte on",
        "np.unpackbits(packed, count=",
        'np.unpackbits(packed, bitorder="little", count=',
        "ORCv1.md, Boolean Run Length Encoding",
        f"{_HOME}.boolean_rle",
    ),
    _rle_v1(
        "v1-step-unsigned",
        "the delta of a run of version 1 is taken for unsigned",
        '(self.cursor.u8("delta") ^ 0x80) - 0x80',
        'self.cursor.u8("delta")',
        _V1_CLAUSE,
    ),
    _rle_v1(
        "v1-base-not-zigzag",
        "the sign of the first value of a run of version 1 is lost",
        "first = (first >> 1) ^ -(first & 1)",
        "first >>= 1",
        _V1_CLAUSE,
    ),
    _varints(
        "zigzag-arithmetic-shift",
        "zigzag is undone with a shift that keeps the sign, as of numbers of 64 bits",
        '((values >> bit) ^ -(values & bit)).view(f"i{values.dtype.itemsize}")',
        'values.view(f"i{values.dtype.itemsize}") >> 1 ^ -(values & bit).view(f"i{values.dtype.itemsize}")',
        "ORCv1.md, Base 128 Varint",
    ),
    _varints(
        "varint-of-nine-bytes",
        "the last byte of the longest varints is lost",
        "for at in (8, 9):",
        "for at in (8,):",
        "ORCv1.md, Base 128 Varint",
    ),
    _short_repeat(
        "short-repeat-32-bits",
        "a value that is repeated has no more than 4 bytes",
        "values = self._values(headers >> np.uint64(3))",
        "values = self._values(headers >> np.uint64(3)) & np.uint64(0xFFFFFFFF)",
        _SHORT_CLAUSE,
    ),
    _short_repeat(
        "short-repeat-byte-order",
        "a value that is repeated stands lowest byte first",
        "values <<= unused",
        "values = values.byteswap()\n        unused *= 0",
        _SHORT_CLAUSE,
    ),
    _Plant(
        "width-table",
        "code 24 is 25 bits",
        "WIDTHS = (*range(1, 25), 26, 28,",
        "WIDTHS = (*range(1, 26), 28,",
        "ORCv1.md, Direct",
        f"{_HOME}.rle_v2.widths",
    ),
    _patched_base(
        "patched-base-complement",
        "the base is two's complement, not sign and magnitude",
        "base = sign - base if base & sign else base",
        "base = base - 2 * sign if base & sign else base",
    ),
    _patched_base(
        "patched-gap-behind",
        "a gap counts from behind the patched value before",
        "places = np.cumsum(gaps)",
        "places = np.cumsum(gaps) + np.arange(len(gaps)) - first",
    ),
    _patched_base(
        "patched-gap-of-255",
        "a gap of 255 without a patch is passed over, and not counted",
        "places = np.cumsum(gaps)",
        "gaps[(gaps == LONGEST_GAP) & (patches == 0)] = 0\n        places = np.cumsum(gaps)",
    ),
    _patched_base(
        "patches-tight",
        "gap and patch take as many bits as they have, not the closest width of the table",
        "closed = closest(entry_width)",
        "closed = entry_width",
    ),
    _delta(
        "delta-sign-lost",
        "deltas are added, whatever the sign of the first one",
        "np.negative(rest, out=rest)",
        "pass",
    ),
    _delta(
        "delta-base-unsigned",
        "the delta base of unsigned integers is taken for unsigned",
        "first = (first >> 1) ^ -(first & 1)",
        "first = (first >> 1) ^ -(first & 1) if self.signed else first",
    ),
    _delta(
        "delta-width-zero",
        "width code 0 is one bit, also for deltas",
        "if code and length > 2:",
        "if length > 2:",
    ),
    _Plant(
        "decimals-of-64-bits",
        "unscaled values are cut to 64 bits",
        "if np.array_equal(values >> 63, high.view(np.int64)):",
        "if len(values):",
        "ORCv1.md, Decimal Columns",
        f"{_HOME}.decimal",
    ),
)
