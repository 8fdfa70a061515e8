"""Bugs in what is skipped: ORCv1.md, Column Statistics and Indexes."""

from __future__ import annotations

from functools import partial

from corpora.build.formats import ORC
from harness.investigate.selftest.plant import QUERY, Plant

_FILE = "reference_impl.orc.file"
_PUSHDOWN = "reference_impl.orc.pushdown"
_STATISTICS = "reference_impl.orc.statistics"
_BLOOM = "reference_impl.orc.bloom"
_SOURCE = "reference_impl.orc.readers.source"
_COLUMN = "ORCv1.md, Column Statistics"
_GROUPS = "ORCv1.md, Row Group Index"
_FILTERS = "ORCv1.md, Bloom Filter Index"
_ADAPTER = "harness.engines.reference.adapter"
_Plant = partial(Plant, shows=QUERY, format=ORC.name)

PLANTS = (
    _Plant(
        "stripe-off-by-one",
        "stripes are counted from 1",
        "ORCv1.md, Stripe Information",
        _ADAPTER,
        "opened.read(stripes=numbers)",
        "opened.read(stripes=[max(0, number - 1) for number in numbers])",
    ),
    _Plant(
        "positions-ignored",
        "a row group is read from the begin of its stripe",
        _GROUPS,
        _FILE,
        "Reader(opened, self.limits, wanted, self.zone, positions, opened.offset)",
        "Reader(opened, self.limits, wanted, self.zone, None, opened.offset)",
    ),
    _Plant(
        "positions-of-group-before",
        "a row group begins where the one before it does",
        _GROUPS,
        _FILE,
        "row_index.entry[group].positions",
        "row_index.entry[group - 1].positions",
    ),
    _Plant(
        "position-within-run-ignored",
        "a row group begins with the run that its first value is in",
        _GROUPS,
        _SOURCE,
        "skip=sum(skips), signed=signed",
        "skip=0, signed=signed",
    ),
    _Plant(
        "position-within-byte-ignored",
        "booleans of a row group begin with the byte that the first one is in",
        _GROUPS,
        _SOURCE,
        "skip=skip, bits=bits",
        "skip=skip, bits=0",
    ),
    _Plant(
        "position-within-chunk-ignored",
        "a row group begins with the chunk that its first byte is in",
        _GROUPS,
        "reference_impl.orc.framing",
        "return self._starts[index] + offset",
        "return self._starts[index]",
    ),
    _Plant(
        "list-offsets-of-row-groups",
        "the elements of lists are counted from the begin of what was read",
        "ORCv1.md, List Columns",
        "reference_impl.orc.column_slices",
        "offsets = offsets - begin",
        "offsets = offsets.copy()",
    ),
    _Plant(
        "statistics-of-stripe-before",
        "a stripe is skipped by the statistics of the one before it",
        _COLUMN,
        _PUSHDOWN,
        "stripes[stripe].col_stats",
        "stripes[stripe - 1].col_stats",
    ),
    _Plant(
        "statistics-of-column-before",
        "statistics of the file are those of the column before",
        _COLUMN,
        _PUSHDOWN,
        "_at(file.statistics, node.id)",
        "_at(file.statistics, max(0, node.id - 1))",
    ),
    _Plant(
        "has-null-absent",
        "has_null that is absent means that there are no nulls",
        _COLUMN,
        _PUSHDOWN,
        "any(item.has_null is not False for item in found_statistics)",
        "any(item.has_null for item in found_statistics)",
    ),
    _Plant(
        "count-absent",
        "number_of_values that is absent is 0",
        _COLUMN,
        _PUSHDOWN,
        "if summary.count == 0:",
        "if not summary.count:",
    ),
    _Plant(
        "bounds-of-decimals-as-text",
        "bounds of decimals are compared as text",
        _COLUMN,
        _PUSHDOWN,
        "        return matching.between(self.operator, low, high, keys)",
        "        if self.kind is TypeKind.DECIMAL:\n"
        "            low, high = (None if one is None else str(one) for one in (low, high))\n"
        "            keys = [str(one) for one in keys]\n"
        "        return matching.between(self.operator, low, high, keys)",
    ),
    _Plant(
        "bounds-of-decimals-unscaled",
        "bounds of decimals have another scale than what is looked for",
        _COLUMN,
        _STATISTICS,
        "key = Fraction(text) * 10**MAX_SCALE",
        "key = Fraction(text) * 10 ** (MAX_SCALE // 2)",
    ),
    _Plant(
        "bounds-of-text-signed",
        "bounds of text are compared byte by byte, signed",
        _COLUMN,
        _PUSHDOWN,
        "        return matching.between(self.operator, low, high, keys)",
        "        if self.kind in statistics.TEXTS:\n"
        "            low, high, *keys = (\n"
        "                one and bytes(byte ^ 0x80 for byte in one) for one in (low, high, *keys))\n"
        "        return matching.between(self.operator, low, high, keys)",
    ),
    _Plant(
        "lower-bound-for-upper",
        "the upper bound of text is its lower bound where there is no maximum",
        _COLUMN,
        _STATISTICS,
        "typed.maximum is not None else typed.upper_bound",
        "typed.maximum is not None else typed.lower_bound",
    ),
    _Plant(
        "maximum-of-millisecond",
        "a maximum without nanoseconds is the begin of its millisecond",
        _COLUMN,
        _STATISTICS,
        "_moment(typed.maximum_utc, typed.maximum_nanos, _LAST_NANO)",
        "_moment(typed.maximum_utc, typed.maximum_nanos, 0)",
    ),
    _Plant(
        "bound-nanos-as-stored",
        "nanoseconds of bounds are taken as stored, one too many",
        _COLUMN,
        _STATISTICS,
        "default if not nanos else nanos - 1",
        "default if not nanos else nanos",
    ),
    _Plant(
        "bounds-in-zone",
        "bounds in the zone of the writer are taken for those in UTC",
        _COLUMN,
        _STATISTICS,
        "_moment(typed.minimum_utc, typed.minimum_nanos, 0),\n            _moment(typed.maximum_utc,",
        "_moment(typed.minimum or typed.minimum_utc, typed.minimum_nanos, 0),\n"
        "            _moment(typed.maximum or typed.maximum_utc,",
    ),
    _Plant(
        "buckets-of-false",
        "the bucket of booleans counts those that are false",
        _COLUMN,
        _STATISTICS,
        "return trues == count, trues > 0, trues",
        "return trues == 0, trues < count, trues",
    ),
    _Plant(
        "bloom-hash-sign",
        "a negative hash is made positive by its sign, not by its bits",
        _FILTERS,
        _BLOOM,
        "~combined if combined < 0 else combined",
        "abs(combined)",
    ),
    _Plant(
        "bloom-logical-shift",
        "hashes of integers are shifted without their sign",
        _FILTERS,
        _BLOOM,
        "key ^= key >> 24",
        "key ^= (key & _MASK64) >> 24",
    ),
    _Plant(
        "bloom-from-0",
        "hash functions are counted from 0",
        _FILTERS,
        _BLOOM,
        "range(1, functions + 1)",
        "range(functions)",
    ),
    _Plant(
        "bloom-murmur-tail",
        "the last bytes of what is hashed stand highest first",
        _FILTERS,
        _BLOOM,
        'int.from_bytes(data[whole:], "little")',
        'int.from_bytes(data[whole:], "big")',
    ),
    _Plant(
        "bloom-decimal-unscaled",
        "decimals are hashed without their point",
        _FILTERS,
        _BLOOM,
        "of_bytes(decimal_text(value, scale).encode())",
        "of_bytes(decimal_text(value, 0).encode())",
    ),
    _Plant(
        "bloom-zeros-apart",
        "a filter that has -0.0 is thought not to have 0.0",
        _FILTERS,
        _PUSHDOWN,
        "if self.kind in _BY_ZERO and number(self.kind, constant) == 0:",
        "if self.kind in _BY_ZERO and number(self.kind, constant) is None:",
    ),
    _Plant(
        "bloom-of-zone",
        "filters of moments in the zone of the writer are taken for UTC",
        f"{_FILTERS}, bloom_encoding",
        _PUSHDOWN,
        "in_utc = encoding == 1 or node.kind not in bloom.TIMES",
        "in_utc = True",
    ),
)
