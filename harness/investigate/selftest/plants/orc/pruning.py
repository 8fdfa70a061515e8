"""Bugs in what is skipped: ORCv1.md, Column Statistics and Indexes."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import ORC, QUERY, Plant

_PUSHDOWN = "reference_impl.orc.pushdown"
_COLUMN = "ORCv1.md, Column Statistics"
_GROUPS = "ORCv1.md, Row Group Index"
_FILTERS = "ORCv1.md, Bloom Filter Index"
_FILES = "harness.engines.reference.files"
_Plant = partial(Plant, shows=QUERY, format=ORC)
_file = partial(_Plant, module="reference_impl.orc.file")
_source = partial(_Plant, module="reference_impl.orc.readers.source")
_column_pushdown = partial(_Plant, module=_PUSHDOWN, clause=_COLUMN)
_statistics = partial(_Plant, module="reference_impl.orc.statistics", clause=_COLUMN)
_bloom = partial(_Plant, module="reference_impl.orc.bloom", clause=_FILTERS)
_pushdown = partial(_Plant, module=_PUSHDOWN)

PLANTS = (
    _Plant(
        "stripe-off-by-one",
        "a query reads the stripe before the selected one",
        "self._read(number, None, None)",
        "self._read(max(0, number - 1), None, None)",
        "ORCv1.md, Stripe Information",
        _FILES,
    ),
    _file(
        "positions-ignored",
        "the positions of a row group are ignored, and reading begins at the stripe",
        "self.zone, self.hybrid, positions, opened.offset)",
        "self.zone, self.hybrid, None, opened.offset)",
        _GROUPS,
    ),
    _file(
        "positions-of-group-before",
        "the positions of the previous row group are used",
        "row_index.entry[group].positions",
        "row_index.entry[group - 1].positions",
        _GROUPS,
    ),
    _source(
        "position-within-run-ignored",
        "a row group begins with the first value of a run, even if its first value lies within the run",
        "skip=sum(skips), signed=signed",
        "skip=0, signed=signed",
        _GROUPS,
    ),
    _source(
        "position-within-byte-ignored",
        "the booleans of a row group begin at a byte, even if its first value lies within the byte",
        "skip=skip, bits=bits",
        "skip=skip, bits=0",
        _GROUPS,
    ),
    _Plant(
        "position-within-chunk-ignored",
        "a row group begins with the first byte of a chunk, even if its own lies within the chunk",
        "return self._starts[index] + offset",
        "return self._starts[index]",
        _GROUPS,
        "reference_impl.orc.framing",
    ),
    _Plant(
        "list-offsets-of-row-groups",
        "list offsets are not rebased if leading rows are cut off",
        "offsets = offsets - begin",
        "offsets = offsets.copy()",
        "ORCv1.md, List Columns",
        "reference_impl.orc.column_slices",
    ),
    _column_pushdown(
        "statistics-of-stripe-before",
        "a stripe is skipped by the statistics of the previous stripe",
        "stripes[stripe].col_stats",
        "stripes[stripe - 1].col_stats",
    ),
    _column_pushdown(
        "statistics-of-column-before",
        "the file statistics of the previous column are used",
        "_at(file.statistics, node.id)",
        "_at(file.statistics, max(0, node.id - 1))",
    ),
    _column_pushdown(
        "has-null-absent",
        "an absent has_null is taken to mean that there are no nulls",
        "any(item.has_null is not False for item in found_statistics)",
        "any(item.has_null for item in found_statistics)",
    ),
    _column_pushdown(
        "count-absent",
        "an absent number_of_values is taken as 0",
        "if summary.count == 0:",
        "if not summary.count:",
    ),
    _column_pushdown(
        "bounds-of-decimals-as-text",
        "bounds of decimals are compared as text",
        "        return matching.between(self.operator, low, high, keys)",
        "        if self.kind is TypeKind.DECIMAL:\n"
        "            low, high = (None if one is None else str(one) for one in (low, high))\n"
        "            keys = [str(one) for one in keys]\n"
        "        return matching.between(self.operator, low, high, keys)",
    ),
    _statistics(
        "bounds-of-decimals-unscaled",
        "bounds of decimals are compared with a constant of another scale",
        "key = Fraction(text) * 10**MAX_SCALE",
        "key = Fraction(text) * 10 ** (MAX_SCALE // 2)",
    ),
    _column_pushdown(
        "bounds-of-text-signed",
        "bounds of text are compared byte by byte, signed",
        "        return matching.between(self.operator, low, high, keys)",
        "        if self.kind in statistics.TEXTS:\n"
        "            low, high, *keys = (\n"
        "                one and bytes(byte ^ 0x80 for byte in one) for one in (low, high, *keys))\n"
        "        return matching.between(self.operator, low, high, keys)",
    ),
    _statistics(
        "lower-bound-for-upper",
        "the lower bound of text is used as upper bound if there is no maximum",
        "typed.maximum is not None else typed.upper_bound",
        "typed.maximum is not None else typed.lower_bound",
    ),
    _statistics(
        "maximum-of-millisecond",
        "a maximum without nanoseconds is taken as the start of its millisecond",
        "_moment(typed.maximum_utc, typed.maximum_nanos, _LAST_NANO)",
        "_moment(typed.maximum_utc, typed.maximum_nanos, 0)",
    ),
    _statistics(
        "bound-nanos-as-stored",
        "the nanoseconds of bounds, which are stored plus one, are used as stored",
        "default if not nanos else nanos - 1",
        "default if not nanos else nanos",
    ),
    _statistics(
        "bounds-in-zone",
        "bounds in the writer's time zone are read as bounds in UTC",
        "_moment(typed.minimum_utc, typed.minimum_nanos, 0),\n            _moment(typed.maximum_utc,",
        "_moment(typed.minimum or typed.minimum_utc, typed.minimum_nanos, 0),\n"
        "            _moment(typed.maximum or typed.maximum_utc,",
    ),
    _statistics(
        "buckets-of-false",
        "the bucket of booleans is read as the count of false values",
        "return trues == count, trues > 0, trues",
        "return trues == 0, trues < count, trues",
    ),
    _bloom(
        "bloom-hash-sign",
        "a negative hash is made positive by negation instead of inverting its bits",
        "~combined if combined < 0 else combined",
        "abs(combined)",
    ),
    _bloom(
        "bloom-logical-shift",
        "hashes of integers use a logical shift instead of an arithmetic shift",
        "key ^= key >> 24",
        "key ^= (key & _MASK64) >> 24",
    ),
    _bloom(
        "bloom-from-0",
        "hash functions are numbered from 0 instead of 1",
        "range(1, functions + 1)",
        "range(functions)",
    ),
    _bloom(
        "bloom-murmur-tail",
        "the tail bytes of a Murmur3 hash are read big-endian",
        'int.from_bytes(data[whole:], "little")',
        'int.from_bytes(data[whole:], "big")',
    ),
    _bloom(
        "bloom-decimal-unscaled",
        "decimals are hashed as unscaled integers",
        "of_bytes(decimal_text(value, scale).encode())",
        "of_bytes(decimal_text(value, 0).encode())",
    ),
    _pushdown(
        "bloom-zeros-apart",
        "a Bloom filter that contains -0.0 skips data where 0.0 is searched",
        "if self.kind in _BY_ZERO and number(self.kind, constant) == 0:",
        "if self.kind in _BY_ZERO and number(self.kind, constant) is None:",
        _FILTERS,
    ),
    _Plant(
        "bloom-of-zone",
        "Bloom filters of timestamps in the writer's time zone are read as UTC",
        "in_utc = encoding == 1 or node.kind not in bloom.TIMES",
        "in_utc = True",
        f"{_FILTERS}, bloom_encoding",
        "reference_impl.orc.trust",
    ),
)
