"""Bugs in what is skipped, and in what a query means: parquet.thrift, PageIndex.md, BloomFilter.md."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import QUERY, Plant

_ORDERS = "reference_impl.parquet.orders"
_PUSHDOWN = "reference_impl.parquet.pushdown"
_MATCHING = "reference_impl.parquet.matching"
_BOUNDS = "reference_impl.matching"
_RANGES = "reference_impl.parquet.ranges"
_BLOOM = "reference_impl.parquet.bloom"
_SCAN = "corpora.build.pushdown_parquet"
_LOGIC = "corpora.build.pushdown_ranges"
_ADAPTER = "harness.engines.reference.adapter"
_ORDER = "parquet.thrift, ColumnOrder"
_STATISTICS = "parquet.thrift, Statistics"
_INDEX = "PageIndex.md"
_Plant = partial(Plant, shows=QUERY)

PLANTS = (
    _Plant(
        "bounds-signed",
        "bounds of unsigned integers are compared signed",
        _ORDER,
        _ORDERS,
        'return Order.UNSIGNED if logical and name == "INTEGER" and not logical.signed else Order.SIGNED',
        "return Order.SIGNED",
    ),
    _Plant(
        "bounds-signed-bytes",
        "bounds of byte arrays are compared byte by byte, signed",
        _ORDER,
        _ORDERS,
        "    return raw\n\n\ndef fits",
        '    return struct.unpack(f"{len(raw)}b", raw)\n\n\ndef fits',
    ),
    _Plant(
        "bounds-decimal-bytes",
        "bounds of decimals in bytes are compared as bytes",
        _ORDER,
        _ORDERS,
        'return Order.DECIMAL_BYTES if name == "DECIMAL" else Order.BYTES',
        "return Order.BYTES",
    ),
    _Plant(
        "bounds-float16-bytes",
        "bounds of half floats are compared as bytes",
        _ORDER,
        _ORDERS,
        ' or name == "FLOAT16":',
        ":",
    ),
    _Plant(
        "deprecated-bounds-trusted",
        "the deprecated min and max are trusted where the type's order is not signed",
        _STATISTICS,
        _MATCHING,
        "orders.deprecated_order(test.node)",
        "orders.type_order(test.node)",
    ),
    _Plant(
        "nan-never-matches",
        "a NaN that no bound shows is not thought of: x <> 5 holds for it",
        _ORDER,
        _BOUNDS,
        'return operator == "!="',
        "return False",
    ),
    _Plant(
        "nan-in-bounds",
        "a bound that is NaN is compared with",
        _ORDER,
        _MATCHING,
        "return None if order.is_float and orders.is_nan(raw) else raw",
        "return raw",
    ),
    _Plant(
        "null-count-absent",
        "a null_count that is absent is 0",
        _STATISTICS,
        _MATCHING,
        "return nulls != 0",
        "return bool(nulls)",
    ),
    _Plant(
        "null-counts-absent-in-index",
        "null_counts that are absent from a column index are 0",
        _INDEX,
        _PUSHDOWN,
        "(columns.null_counts[number] if columns.null_counts else None)",
        "(columns.null_counts[number] if columns.null_counts else 0)",
    ),
    _Plant(
        "null-means-all-null",
        "a chunk with nulls is thought to hold nothing else",
        _STATISTICS,
        _MATCHING,
        "if nulls == entries:",
        "if nulls:",
    ),
    _Plant(
        "le-is-lt",
        "x <= c skips what begins with c",
        _STATISTICS,
        _BOUNDS,
        '"<=": lambda low, _, x: low is None or low <= x',
        '"<=": lambda low, _, x: low is None or low < x',
    ),
    _Plant(
        "ge-is-gt",
        "x >= c skips what ends with c",
        _STATISTICS,
        _BOUNDS,
        '">=": lambda _, high, x: high is None or high >= x',
        '">=": lambda _, high, x: high is None or high > x',
    ),
    _Plant(
        "eq-upper-bound",
        "x = c skips what ends with c",
        _STATISTICS,
        _BOUNDS,
        '"=": lambda low, high, x: (low is None or low <= x) and (high is None or x <= high)',
        '"=": lambda low, high, x: (low is None or low <= x) and (high is None or x < high)',
    ),
    _Plant(
        "ne-one-bound",
        "x <> c skips what begins or ends with c",
        _STATISTICS,
        _BOUNDS,
        "not low == x == high",
        "x not in (low, high)",
    ),
    _Plant(
        "in-all",
        "IN skips what cannot hold all of its constants",
        _STATISTICS,
        _BOUNDS,
        "return any(_BETWEEN[operator]",
        "return all(_BETWEEN[operator]",
    ),
    _Plant(
        "prefix-lower-bound",
        "a prefix search skips what begins with a longer string of that prefix",
        _STATISTICS,
        _BOUNDS,
        "low[: len(prefix)] > prefix",
        "low > prefix",
    ),
    _Plant(
        "zeros-apart",
        "bounds in total order skip -0.0 where 0.0 is asked for",
        _ORDER,
        _MATCHING,
        "            compared = Order.FLOAT\n",
        "            compared = Order.FLOAT_TOTAL\n",
    ),
    _Plant(
        "zeros-apart-in-filters",
        "a dictionary or Bloom filter skips -0.0 where 0.0 is asked for",
        "BloomFilter.md",
        _PUSHDOWN,
        "if test.is_float and orders.number(raw) == 0:",
        "if test.is_float and not raw:",
    ),
    _Plant(
        "bloom-seed",
        "values are hashed with another seed",
        "BloomFilter.md, Bloom filter hash",
        _BLOOM,
        "map(xxhash.xxh64_intdigest, plain)",
        "(xxhash.xxh64_intdigest(raw, 1) for raw in plain)",
    ),
    _Plant(
        "bloom-block",
        "the block of a value is chosen by a remainder",
        "BloomFilter.md",
        _BLOOM,
        "((hashes >> half) * np.uint64(blocks)) >> half",
        "(hashes >> half) % np.uint64(blocks)",
    ),
    _Plant(
        "dictionary-fallback-forgotten",
        "a dictionary is thought to hold all values of a chunk, though some of its pages are PLAIN",
        "Encodings.md#DICTIONARY",
        _PUSHDOWN,
        "header.encoding not in DICTIONARY_ENCODINGS:\n            return True",
        "header.encoding not in DICTIONARY_ENCODINGS:\n            continue",
    ),
    _Plant(
        "statistics-of-first-group",
        "the statistics of the first row group count for all",
        _STATISTICS,
        _PUSHDOWN,
        "meta = file.column_metadata(row_group, leaf)\n    stats",
        "meta = file.column_metadata(0, leaf)\n    stats",
    ),
    _Plant(
        "page-last-row",
        "the last row of a page is skipped with the next page",
        _INDEX,
        _PUSHDOWN,
        "held = starts[number], starts[number + 1]\n    if",
        "held = starts[number], starts[number + 1] - (number + 1 < pages)\n    if",
    ),
    _Plant(
        "pages-contiguous",
        "pages are looked through up to the first that does not match behind one that does",
        f"{_INDEX}, boundary_order",
        _PUSHDOWN,
        "        if not may_match(test, order, stats, entries):\n",
        "        if not may_match(test, order, stats, entries):\n"
        "            if held is not None:\n                break\n",
    ),
    _Plant(
        "boundary-page-skipped",
        "a page of which only the last row is wanted is skipped",
        _INDEX,
        _RANGES,
        "any(begin < end and first < past",
        "any(begin < end - 1 and first < past",
    ),
    _Plant(
        "first-row-ignored",
        "rows are counted from the beginning of a page, not from that of its row group",
        f"{_INDEX}, first_row_index",
        _RANGES,
        "wanted[max(0, start - first) : max(0, stop - first)] = True",
        "wanted[start:stop] = True",
    ),
    _Plant(
        "nulls-shift-values",
        "where rows are cut out of a page, nulls are counted as values",
        "README.md, Nulls",
        _RANGES,
        "at = np.flatnonzero(present)",
        "at = np.flatnonzero(entries[: len(data.values)])\n    at = np.resize(at, np.count_nonzero(present))",
    ),
    _Plant(
        "not-float",
        "NOT (x < c) is x >= c, also for NaN",
        _ORDER,
        _LOGIC,
        'if test.type.kind == "float" and test.op not in ("=", "!="):',
        "if test.type.kind == test.op:",
    ),
    _Plant(
        "not-and",
        "NOT (a AND b) skips what a or b rules out",
        _STATISTICS,
        _LOGIC,
        "needed = len(parts) if isinstance(predicate, And) == plain else 1",
        "needed = len(parts) if isinstance(predicate, And) else 1",
    ),
    _Plant(
        "not-is-null",
        "NOT (x IS NULL) skips what has no nulls",
        _STATISTICS,
        _LOGIC,
        '("is null" if plain else "is not null")',
        '("is null")',
    ),
    _Plant(
        "not-in",
        "NOT (x IN ...) skips what IN skips",
        _STATISTICS,
        _LOGIC,
        'return ("in", known) if plain else None',
        'return "in", known',
    ),
    _Plant(
        "column-by-last-name",
        "a field of a struct is skipped by the first column of its name",
        "parquet.thrift, ColumnMetaData.path_in_schema",
        _SCAN,
        "if leaf.path == test.path)",
        "if leaf.path[-1] == test.path[-1])",
    ),
    _Plant(
        "projection-order",
        "a projection answers columns in the order of the file",
        "README.md, Column chunks",
        _ADAPTER,
        "take(whole, range(whole.num_rows), query.columns)",
        "whole",
    ),
    _Plant(
        "row-group-off-by-one",
        "row groups are counted from 1",
        "README.md, Row group",
        _ADAPTER,
        "row_groups=numbers",
        "row_groups=[max(0, number - 1) for number in numbers]",
    ),
)
