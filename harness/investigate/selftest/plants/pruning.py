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
_adapter = partial(_Plant, module="harness.engines.reference.adapter")

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
        "bounds of decimals in bytes are compared as bytes",
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
        "the deprecated min and max are trusted where the type's order is not signed",
        "orders.deprecated_order(test.node)",
        "orders.type_order(test.node)",
    ),
    _Plant(
        "nan-never-matches",
        "a NaN that no bound shows is not thought of: x <> 5 holds for it",
        'return operator == "!="',
        "return False",
        _ORDER,
        _BOUNDS,
    ),
    _matching(
        "nan-in-bounds",
        "a bound that is NaN is compared with",
        "return None if order.is_float and orders.is_nan(raw) else raw",
        "return raw",
        _ORDER,
    ),
    _statistics_match(
        "null-count-absent",
        "a null_count that is absent is 0",
        "return nulls != 0",
        "return bool(nulls)",
    ),
    _pushdown(
        "null-counts-absent-in-index",
        "null_counts that are absent from a column index are 0",
        "(columns.null_counts[number] if columns.null_counts else None)",
        "(columns.null_counts[number] if columns.null_counts else 0)",
        _INDEX,
    ),
    _statistics_match(
        "null-means-all-null",
        "a chunk with nulls is thought to hold nothing else",
        "if nulls == entries:",
        "if nulls:",
    ),
    _bounds(
        "le-is-lt",
        "x <= c skips what begins with c",
        '"<=": lambda low, _, x: low is None or low <= x',
        '"<=": lambda low, _, x: low is None or low < x',
    ),
    _bounds(
        "ge-is-gt",
        "x >= c skips what ends with c",
        '">=": lambda _, high, x: high is None or high >= x',
        '">=": lambda _, high, x: high is None or high > x',
    ),
    _bounds(
        "eq-upper-bound",
        "x = c skips what ends with c",
        '"=": lambda low, high, x: (low is None or low <= x) and (high is None or x <= high)',
        '"=": lambda low, high, x: (low is None or low <= x) and (high is None or x < high)',
    ),
    _bounds(
        "ne-one-bound",
        "x <> c skips what begins or ends with c",
        "not low == x == high",
        "x not in (low, high)",
    ),
    _bounds(
        "in-all",
        "IN skips what cannot hold all of its constants",
        "return any(_BETWEEN[operator]",
        "return all(_BETWEEN[operator]",
    ),
    _bounds(
        "prefix-lower-bound",
        "a prefix search skips what begins with a longer string of that prefix",
        "low[: len(prefix)] > prefix",
        "low > prefix",
    ),
    _matching(
        "zeros-apart",
        "bounds in total order skip -0.0 where 0.0 is asked for",
        "            compared = Order.FLOAT\n",
        "            compared = Order.FLOAT_TOTAL\n",
        _ORDER,
    ),
    _pushdown(
        "zeros-apart-in-filters",
        "a dictionary or Bloom filter skips -0.0 where 0.0 is asked for",
        "if test.is_float and orders.number(raw) == 0:",
        "if test.is_float and not raw:",
        "BloomFilter.md",
    ),
    _bloom(
        "bloom-seed",
        "values are hashed with another seed",
        "map(xxhash.xxh64_intdigest, plain)",
        "(xxhash.xxh64_intdigest(raw, 1) for raw in plain)",
        "BloomFilter.md, Bloom filter hash",
    ),
    _bloom(
        "bloom-block",
        "the block of a value is chosen by a remainder",
        "((hashes >> half) * np.uint64(blocks)) >> half",
        "(hashes >> half) % np.uint64(blocks)",
        "BloomFilter.md",
    ),
    _pushdown(
        "dictionary-fallback-forgotten",
        "a dictionary is thought to hold all values of a chunk, though some of its pages are PLAIN",
        "header.encoding not in DICTIONARY_ENCODINGS:\n            return True",
        "header.encoding not in DICTIONARY_ENCODINGS:\n            continue",
        "Encodings.md#DICTIONARY",
    ),
    _pushdown(
        "statistics-of-first-group",
        "the statistics of the first row group count for all",
        "meta = file.column_metadata(row_group, leaf)\n    stats",
        "meta = file.column_metadata(0, leaf)\n    stats",
        _STATISTICS,
    ),
    _pushdown(
        "page-last-row",
        "the last row of a page is skipped with the next page",
        "held = starts[number], starts[number + 1]\n    if",
        "held = starts[number], starts[number + 1] - (number + 1 < pages)\n    if",
        _INDEX,
    ),
    _pushdown(
        "pages-contiguous",
        "pages are looked through up to the first that does not match behind one that does",
        "        if not may_match(test, order, stats, entries):\n",
        "        if not may_match(test, order, stats, entries):\n"
        "            if held is not None:\n                break\n",
        f"{_INDEX}, boundary_order",
    ),
    _ranges(
        "boundary-page-skipped",
        "a page of which only the last row is wanted is skipped",
        "any(begin < end and first < past",
        "any(begin < end - 1 and first < past",
        _INDEX,
    ),
    _ranges(
        "first-row-ignored",
        "rows are counted from the beginning of a page, not from that of its row group",
        "wanted[max(0, start - first) : max(0, stop - first)] = True",
        "wanted[start:stop] = True",
        f"{_INDEX}, first_row_index",
    ),
    _ranges(
        "nulls-shift-values",
        "where rows are cut out of a page, nulls are counted as values",
        "at = np.flatnonzero(entries if defined is None else entries[defined])",
        "at = np.flatnonzero(entries if defined is None else entries[: len(data.values)])\n"
        "    at = np.resize(at, np.count_nonzero(entries if defined is None else entries[defined]))",
        "README.md, Nulls",
    ),
    _Plant(
        "not-float",
        "NOT (x < c) is x >= c, also for NaN",
        'if test.type.kind == "float" and test.op not in ("=", "!="):',
        "if test.type.kind == test.op:",
        _ORDER,
        _LOGIC,
    ),
    _pushdown_ranges(
        "not-and",
        "NOT (a AND b) skips what a or b rules out",
        "needed = len(parts) if isinstance(predicate, And) == plain else 1",
        "needed = len(parts) if isinstance(predicate, And) else 1",
    ),
    _pushdown_ranges(
        "not-is-null",
        "NOT (x IS NULL) skips what has no nulls",
        '("is null" if plain else "is not null")',
        '("is null")',
    ),
    _pushdown_ranges(
        "not-in",
        "NOT (x IN ...) skips what IN skips",
        'return ("in", known) if plain else None',
        'return "in", known',
    ),
    _Plant(
        "column-by-last-name",
        "a field of a struct is skipped by the first column of its name",
        "if leaf.path == test.path)",
        "if leaf.path[-1] == test.path[-1])",
        "parquet.thrift, ColumnMetaData.path_in_schema",
        _SCAN,
    ),
    _adapter(
        "projection-order",
        "a projection answers columns in the order of the file",
        "take(whole, range(whole.num_rows), query.columns)",
        "whole",
        "README.md, Column chunks",
    ),
    _adapter(
        "row-group-off-by-one",
        "row groups are counted from 1",
        "row_groups=numbers",
        "row_groups=[max(0, number - 1) for number in numbers]",
        "README.md, Row group",
    ),
)
