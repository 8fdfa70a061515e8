"""Bugs in decoding runs and numbers: ORCv1.md, Run Length Encoding."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import ORC, Plant

_HOME = "reference_impl.orc.encodings"
_BYTE_CLAUSE = "ORCv1.md, Byte Run Length Encoding"
_V1_CLAUSE = "ORCv1.md, Integer Run Length Encoding, version 1"
_SHORT_CLAUSE = "ORCv1.md, Short Repeat"
_Plant = partial(Plant, format=ORC)
_byte_rle = partial(_Plant, module=f"{_HOME}.byte_rle")
_rle_v1 = partial(_Plant, module=f"{_HOME}.rle_v1")
_varints = partial(_Plant, module=f"{_HOME}.varints")
_short_repeat = partial(_Plant, module=f"{_HOME}.rle_v2.short_repeat")
_patched_base = partial(_Plant, module=f"{_HOME}.rle_v2.patched_base", clause="ORCv1.md, Patched Base")
_delta = partial(_Plant, module=f"{_HOME}.rle_v2.delta", clause="ORCv1.md, Delta")

PLANTS = (
    _byte_rle(
        "byte-run-short",
        "a run of bytes is read one byte too short",
        "length = header + SHORTEST",
        "length = header + SHORTEST - 1",
        _BYTE_CLAUSE,
    ),
    _byte_rle(
        "byte-literals-of-128",
        "the length of literal bytes has 7 bits, so that 128 literal bytes are read as none",
        "length = 0x100 - header",
        "length = 0x100 - header & 0x7F",
        _BYTE_CLAUSE,
    ),
    _Plant(
        "boolean-bit-order",
        "booleans are unpacked least significant bit first",
        "np.unpackbits(packed, count=",
        'np.unpackbits(packed, bitorder="little", count=',
        "ORCv1.md, Boolean Run Length Encoding",
        f"{_HOME}.boolean_rle",
    ),
    _rle_v1(
        "v1-step-unsigned",
        "the delta of an RLE version 1 run is decoded as unsigned",
        '(self.cursor.u8("delta") ^ 0x80) - 0x80',
        'self.cursor.u8("delta")',
        _V1_CLAUSE,
    ),
    _rle_v1(
        "v1-base-not-zigzag",
        "the first value of an RLE version 1 run is decoded without its sign",
        "first = (first >> 1) ^ -(first & 1)",
        "first >>= 1",
        _V1_CLAUSE,
    ),
    _varints(
        "zigzag-arithmetic-shift",
        "zigzag is decoded with an arithmetic shift of 64 bits instead of a logical shift",
        '((values >> bit) ^ -(values & bit)).view(f"i{values.dtype.itemsize}")',
        'values.view(f"i{values.dtype.itemsize}") >> 1 ^ -(values & bit).view(f"i{values.dtype.itemsize}")',
        "ORCv1.md, Base 128 Varint",
    ),
    _varints(
        "varint-of-nine-bytes",
        "the tenth byte of a varint is ignored",
        "for at in (8, 9):",
        "for at in (8,):",
        "ORCv1.md, Base 128 Varint",
    ),
    _short_repeat(
        "short-repeat-32-bits",
        "the value of a short repeat is cut to 4 bytes",
        "values = self._values(headers >> np.uint64(3))",
        "values = self._values(headers >> np.uint64(3)) & np.uint64(0xFFFFFFFF)",
        _SHORT_CLAUSE,
    ),
    _short_repeat(
        "short-repeat-byte-order",
        "the value of a short repeat is read little-endian",
        "values <<= unused",
        "values = values.byteswap()\n        unused *= 0",
        _SHORT_CLAUSE,
    ),
    _Plant(
        "width-table",
        "width code 24 is read as 25 bits",
        "WIDTHS = (*range(1, 25), 26, 28,",
        "WIDTHS = (*range(1, 26), 28,",
        "ORCv1.md, Direct",
        f"{_HOME}.rle_v2.widths",
    ),
    _patched_base(
        "patched-base-complement",
        "the base of a patched run is read as two's complement instead of sign and magnitude",
        "base = sign - base if base & sign else base",
        "base = base - 2 * sign if base & sign else base",
    ),
    _patched_base(
        "patched-gap-behind",
        "a patch gap is counted from the value after the previous patch",
        "places = np.cumsum(gaps)",
        "places = np.cumsum(gaps) + np.arange(len(gaps)) - first",
    ),
    _patched_base(
        "patched-gap-of-255",
        "a patch gap of 255 without a patch is skipped and not added to the position",
        "places = np.cumsum(gaps)",
        "gaps[(gaps == LONGEST_GAP) & (patches == 0)] = 0\n        places = np.cumsum(gaps)",
    ),
    _patched_base(
        "patches-tight",
        "patch entries have the sum of gap and patch widths, not the closest width of the table",
        "closed = closest(entry_width)",
        "closed = entry_width",
    ),
    _delta(
        "delta-sign-lost",
        "deltas are always added, even if the first delta is negative",
        "np.negative(rest, out=rest)",
        "pass",
    ),
    _delta(
        "delta-base-unsigned",
        "the delta base of unsigned integers is decoded as unsigned",
        "first = (first >> 1) ^ -(first & 1)",
        "first = (first >> 1) ^ -(first & 1) if self.signed else first",
    ),
    _delta(
        "delta-width-zero",
        "width code 0 is read as one bit for deltas, too",
        "if code and length > 2:",
        "if length > 2:",
    ),
    _Plant(
        "decimals-of-64-bits",
        "unscaled values of decimals are cut to 64 bits",
        "if np.array_equal(values >> 63, high.view(np.int64)):",
        "if len(values):",
        "ORCv1.md, Decimal Columns",
        f"{_HOME}.decimal",
    ),
)
