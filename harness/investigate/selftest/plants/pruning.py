"""Bugs in what is skipped, and in what a query means: parquet.thrift, PageIndex.md, BloomFilter.md."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import QUERY, Plant

_MATCHING = "reference_impl.parquet.matching"
_BOUNDS = "reference_impl.matching"
_SCAN = "corpora.build.pushdown_parquet"
_LOGIC = "corpora.build.pushdown_ranges"
_ORDER = "parquet.thrift, ColumnOrder"
_STATISTICS = "parquet.thrift, Statistics"
_INDEX = "PageIndex.md"
_Plant = partial(Plant, shows=QUERY)
_orders = partial(_Plant, module="reference_impl.parquet.orders", clause=_ORDER)
_statistics_match = partial(_Plant, module=_MATCHING, clause=_STATISTICS)
_matching = partial(_Plant, module=_MATCHING)
_pushdown = partial(_Plant, module="reference_impl.parquet.pushdown")
_bounds = partial(_Plant, module=_BOUNDS, clause=_STATISTICS)
_bloom = partial(_Plant, module="reference_impl.parquet.bloom")
_ranges = partial(_Plant, module="reference_impl.parquet.ranges")
_pushdown_ranges = partial(_Plant, module=_LOGIC, clause=_STATISTICS)

PLANTS = (
    _orders(
        "bounds-signed",
        "bounds of unsigned integers are compared signed",
        'return Order.UNSIGNED if logical and name == "INTEGER" and not logical.signed else Order.SIGNED',
        "return Order.SIGNED",
    ),
    _orders(
        "bounds-signed-bytes",
        "bounds of byte arrays are compared byte by byte, signed",
        "    return raw\n\n\ndef fits",
        '    return struct.unpack(f"{len(raw)}b", raw)\n\n\ndef fits',
    ),
    _orders(
        "bounds-decimal-bytes",
        "bounds of decimals in byte arrays are compared as unsigned bytes",
        'return Order.DECIMAL_BYTES if name == "DECIMAL" else Order.BYTES',
        "return Order.BYTES",
    ),
    _orders(
        "bounds-float16-bytes",
        "bounds of half floats are compared as bytes",
        ' or name == "FLOAT16":',
        ":",
    ),
    _statistics_match(
        "deprecated-bounds-trusted",
        "the deprecated min and max are trusted for types whose order is not signed",
        "orders.deprecated_order(test.node)",
        "orders.type_order(test.node)",
    ),
    _Plant(
        "nan-never-matches",
        "x <> 5 skips data that holds NaN, which no bound shows",
        'return operator == "!="',
        "return False",
        _ORDER,
        _BOUNDS,
    ),
    _matching(
        "nan-in-bounds",
        "a bound that is NaN is compared instead of ignored",
        "return None if order.is_float and orders.is_nan(raw) else raw",
        "return raw",
        _ORDER,
    ),
    _statistics_match(
        "null-count-absent",
        "an absent null_count is taken as 0",
        "return nulls != 0",
        "return bool(nulls)",
    ),
    _pushdown(
        "null-counts-absent-in-index",
        "absent null_counts of a column index are taken as 0",
        "(columns.null_counts[number] if columns.null_counts else None)",
        "(columns.null_counts[number] if columns.null_counts else 0)",
        _INDEX,
    ),
    _statistics_match(
        "null-means-all-null",
        "a chunk with nulls is assumed to hold nulls only",
        "if nulls == entries:",
        "if nulls:",
    ),
    _bounds(
        "le-is-lt",
        "x <= c skips a chunk or page whose minimum is c",
        '"<=": lambda low, _, x: low is None or low <= x',
        '"<=": lambda low, _, x: low is None or low < x',
    ),
    _bounds(
        "ge-is-gt",
        "x >= c skips a chunk or page whose maximum is c",
        '">=": lambda _, high, x: high is None or high >= x',
        '">=": lambda _, high, x: high is None or high > x',
    ),
    _bounds(
        "eq-upper-bound",
        "x = c skips a chunk or page whose maximum is c",
        '"=": lambda low, high, x: (low is None or low <= x) and (high is None or x <= high)',
        '"=": lambda low, high, x: (low is None or low <= x) and (high is None or x < high)',
    ),
    _bounds(
        "ne-one-bound",
        "x <> c skips a chunk or page if one of its bounds is c",
        "not low == x == high",
        "x not in (low, high)",
    ),
    _bounds(
        "in-all",
        "IN skips data unless it may hold all of the constants, instead of one of them",
        "return any(_BETWEEN[operator]",
        "return all(_BETWEEN[operator]",
    ),
    _bounds(
        "prefix-lower-bound",
        "a prefix search skips data whose minimum is a longer string with that prefix",
        "low[: len(prefix)] > prefix",
        "low > prefix",
    ),
    _matching(
        "zeros-apart",
        "bounds in total order skip -0.0 if the query asks for 0.0",
        "            compared = Order.FLOAT\n",
        "            compared = Order.FLOAT_TOTAL\n",
        _ORDER,
    ),
    _pushdown(
        "zeros-apart-in-filters",
        "a dictionary or Bloom filter skips -0.0 if the query asks for 0.0",
        "if test.is_float and orders.number(raw) == 0:",
        "if test.is_float and not raw:",
        "BloomFilter.md",
    ),
    _bloom(
        "bloom-seed",
        "Bloom filter hashes use another seed",
        "map(xxhash.xxh64_intdigest, plain)",
        "(xxhash.xxh64_intdigest(raw, 1) for raw in plain)",
        "BloomFilter.md, Bloom filter hash",
    ),
    _bloom(
        "bloom-block",
        "the block of a Bloom filter is chosen by the remainder of the hash",
        "((hashes >> half) * np.uint64(blocks)) >> half",
        "(hashes >> half) % np.uint64(blocks)",
        "BloomFilter.md",
    ),
    _pushdown(
        "dictionary-fallback-forgotten",
        "a dictionary is assumed to hold all values of a chunk, though some pages are PLAIN",
        "header.encoding not in DICTIONARY_ENCODINGS:\n            return True",
        "header.encoding not in DICTIONARY_ENCODINGS:\n            continue",
        "Encodings.md#DICTIONARY",
    ),
    _pushdown(
        "statistics-of-first-group",
        "the statistics of the first row group are used for all row groups",
        "meta = file.column_metadata(row_group, leaf)\n    stats",
        "meta = file.column_metadata(0, leaf)\n    stats",
        _STATISTICS,
    ),
    _pushdown(
        "page-last-row",
        "the last row of a page is treated as a row of the next page",
        "held = starts[number], starts[number + 1]\n    if",
        "held = starts[number], starts[number + 1] - (number + 1 < pages)\n    if",
        _INDEX,
    ),
    _pushdown(
        "pages-contiguous",
        "pages after the first matching ones are skipped, though later pages match again",
        "        if not may_match(test, order, stats, entries):\n",
        "        if not may_match(test, order, stats, entries):\n"
        "            if held is not None:\n                break\n",
        f"{_INDEX}, boundary_order",
    ),
    _ranges(
        "boundary-page-skipped",
        "a page is skipped if only its last row is selected",
        "bisect_left(starts, end)]",
        "bisect_left(starts, end - 1)]",
        _INDEX,
    ),
    _ranges(
        "first-row-ignored",
        "first_row_index is ignored: rows are counted from the start of the page",
        "wanted[max(0, start - first) : max(0, stop - first)] = True",
        "wanted[start:stop] = True",
        f"{_INDEX}, first_row_index",
    ),
    _ranges(
        "nulls-shift-values",
        "if only some rows of a page are read, nulls are counted as stored values",
        "at = np.flatnonzero(present)",
        "at = np.flatnonzero(entries[: len(data.values)])\n    at = np.resize(at, np.count_nonzero(present))",
        "README.md, Nulls",
    ),
    _Plant(
        "not-float",
        "NOT (x < c) is evaluated as x >= c, also for NaN",
        'if test.type.kind == "float" and test.op not in ("=", "!="):',
        "if test.type.kind == test.op:",
        _ORDER,
        _LOGIC,
    ),
    _pushdown_ranges(
        "not-and",
        "NOT (a AND b) skips data that a or b excludes",
        "needed = len(parts) if isinstance(predicate, And) == plain else 1",
        "needed = len(parts) if isinstance(predicate, And) else 1",
    ),
    _pushdown_ranges(
        "not-true-as-not",
        "(x < c) IS NOT TRUE skips data that NOT x < c skips, and so nulls",
        "*listed, *nulls], 1)",
        "*listed], 1)",
    ),
    _pushdown_ranges(
        "not-is-null",
        "NOT (x IS NULL) skips data without nulls",
        '("is null" if plain else "is not null")',
        '("is null")',
    ),
    _pushdown_ranges(
        "not-in",
        "NOT (x IN ...) skips the data that IN skips",
        'return ("in", known) if plain else None',
        'return "in", known',
    ),
    _Plant(
        "column-by-last-name",
        "a struct field is skipped by the statistics of the first column of the same name",
        "if leaf.path == test.path)",
        "if leaf.path[-1] == test.path[-1])",
        "parquet.thrift, ColumnMetaData.path_in_schema",
        _SCAN,
    ),
    _Plant(
        "projection-order",
        "a projection returns columns in the order of the file",
        "take(whole, range(whole.num_rows), query.columns)",
        "whole",
        "README.md, Column chunks",
        "harness.engines.reference.adapter",
    ),
    _Plant(
        "row-group-off-by-one",
        "a query reads the row group before the selected one",
        "self._read(number, None, None)",
        "self._read(max(0, number - 1), None, None)",
        "README.md, Row group",
        "harness.engines.reference.files",
    ),
)
