"""Bugs in legal forms that strategies once left out (`corpora/dodges.toml`), so that nothing showed them."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import QUERY, Plant
from harness.investigate.selftest.plants.map_keys import changed_keys

_STATISTICS = "parquet.thrift, Statistics"
_matching = partial(Plant, module="reference_impl.parquet.matching", clause=_STATISTICS, shows=QUERY)
_COLUMNS = "corpora.build.tagged_columns"
_PLUS = "key if key.strip('0') != '8' else '0' * len(key)"
_CUT = "str((int(key) + (1 << 63)) % (1 << 64) - (1 << 63))"
_SECONDS = "str(int(key) // 1000 * 1000)"
_SIGNED = "str(int(key) - (1 << 64) if int(key) >= 1 << 63 else int(key))"

PLANTS = (
    _matching(
        "positive-zero-is-least",
        "a minimum of +0.0 excludes -0.0",
        "    low, high = stats.min_value, stats.max_value\n",
        "    low, high = stats.min_value, stats.max_value\n"
        "    if test.is_float and test.operator == '=' and test.fits and low is not None and not any(low):\n"
        "        if orders.number(test.constants[0]) == 0 and any(test.constants[0]):\n"
        "            return False\n",
    ),
    _matching(
        "minimum-stands-for-both",
        "where a number has no maximum, the minimum stands for it",
        "    low, high = stats.min_value, stats.max_value\n",
        "    low, high = stats.min_value, stats.max_value\n"
        "    high = low if high is None and order is Order.SIGNED else high\n",
    ),
    _matching(
        "bound-ends-at-noncharacter",
        "a bound ends in front of U+FFFE, which is a character like any other",
        "orders.is_nan(raw) else raw",
        'orders.is_nan(raw) else raw.partition("\\ufffe".encode())[0]',
    ),
    Plant(
        "least-timestamp-null",
        "the least INT64 of a TIMESTAMP is read as null",
        '"TIMESTAMP": lambda kind, values: _count(tagged.timestamp(kind.unit, utc=kind.utc), values),',
        '"TIMESTAMP": lambda kind, values: (\n'
        "        tagged.timestamp(kind.unit, utc=kind.utc),\n"
        "        [None if value == str(-1 << 63) else value for value in numbers(values)],\n"
        "    ),",
        "LogicalTypes.md, TIMESTAMP",
        "corpora.build.tagged_parquet",
    ),
    Plant(
        "row-group-behind-two-empty",
        "a row group behind two that are empty is left out",
        "        groups = range(len(self.metadata.row_groups)) if row_groups is None else row_groups\n",
        "        groups = range(len(self.metadata.row_groups)) if row_groups is None else row_groups\n"
        "        sizes = [1, 1, *(group.num_rows for group in self.metadata.row_groups)]\n"
        "        groups = [at for at in groups if sizes[at] or sizes[at + 1]]\n",
        "parquet.thrift, RowGroup",
        "reference_impl.parquet.file",
    ),
    Plant(
        "blank-ends-of-names",
        "blanks and control characters at the ends of a column's name are left out",
        "    types = [(column.name, type_)",
        "    types = [(column.name.strip(), type_)",
        "parquet.thrift, SchemaElement.name",
        _COLUMNS,
    ),
    *(
        changed_keys(name, what, kind, change)
        for name, what, kind, change in (
            ("float-key-without-sign", "a key that is -0.0 is +0.0", "float", _PLUS),
            (
                "date-key-behind-1970",
                "days before 1970 count on behind it in keys",
                "date",
                "str(abs(int(key)))",
            ),
            ("decimal-key-of-64-bits", "a key that is a DECIMAL has 64 bits", "decimal", _CUT),
            (
                "bytes-key-without-end",
                "zero bytes at the end of a key are left out",
                "bytes",
                'key.rstrip("0")',
            ),
            (
                "uuid-key-mixed",
                "the first bytes of a UUID are swapped in keys",
                "uuid",
                "key[6:8] + key[:6] + key[8:]",
            ),
            ("boolean-key-true", "each key that is a BOOLEAN is true", "bool", "True"),
            ("instant-key-of-seconds", "a key that is a TIMESTAMP has whole seconds", "timestamp", _SECONDS),
            ("unsigned-key-negative", "a key of 64 bits has a sign", "int", _SIGNED),
        )
    ),
    Plant(
        "deep-field-by-last-name",
        "a field of a struct within a struct is the first field of its name",
        "if leaf.path == test.path)",
        "if leaf.path == test.path or len(test.path) > 2 and leaf.path[-1] == test.path[-1])",
        _STATISTICS,
        "corpora.build.pushdown_parquet",
        shows=QUERY,
    ),
    _matching(
        "one-value-beside-nan",
        "where both bounds are one value, a column has no other, not even NaN",
        '    if test.operator == "is not null":\n',
        "    if test.is_float and test.operator == '!=' and test.fits:\n"
        "        if stats.min_value == stats.max_value == test.constants[0]:\n"
        "            return False\n"
        '    if test.operator == "is not null":\n',
    ),
    _matching(
        "bounds-by-two-bytes",
        "bounds of text are compared by the two-byte units of UTF-16",
        "        lower = None if low is None else orders.key(compared, low)\n",
        "        if compared is Order.BYTES and orders.is_text(self.node):\n"
        "            texts = [raw and raw.decode('utf-8', 'replace').encode('utf-16-be')\n"
        "                     for raw in (low, high, *self.constants)]\n"
        "            return matching.between(self.operator, texts[0], texts[1], texts[2:])\n"
        "        lower = None if low is None else orders.key(compared, low)\n",
    ),
    _matching(
        "bounds-of-bytes-as-text",
        "bytes of a bound that are no UTF-8 become U+FFFD",
        "orders.is_nan(raw) else raw",
        'orders.is_nan(raw) else raw.decode("utf-8", "replace").encode() if node.logical is None '
        "and node.physical.type == Type.BYTE_ARRAY else raw",
    ),
    _matching(
        "step-above-the-least",
        "a float less than the one behind the least is none",
        "        return matching.between(self.operator, lower, upper, tests)\n",
        "        if self.is_float and self.operator == '<' and low is not None:\n"
        "            step = int.from_bytes(self.constants[0], 'little') - int.from_bytes(low, 'little')\n"
        "            if abs(step) == 1:\n"
        "                return False\n"
        "        return matching.between(self.operator, lower, upper, tests)\n",
    ),
    Plant(
        "bloom-alone-of-one-block",
        "a Bloom filter of a chunk without statistics has one block",
        "    bitset = index.bloom_bitset(file, row_group, leaf, filter_)\n",
        "    bitset = index.bloom_bitset(file, row_group, leaf, filter_)\n"
        "    if file.column_metadata(row_group, leaf).statistics is None:\n"
        "        bitset = bitset[:32]\n",
        "BloomFilter.md",
        "reference_impl.parquet.pushdown",
        shows=QUERY,
    ),
    Plant(
        "bounds-of-descending-swapped",
        "the bounds of a sorting column that descends are the wrong way round",
        "    order = _order(file, leaf)\n    return may_match(",
        "    order = _order(file, leaf)\n"
        "    sorting = file.row_group(row_group).sorting_columns\n"
        "    if sorting and sorting[0].column_idx == leaf and sorting[0].descending:\n"
        "        swapped = Statistics(min_value=stats.max_value, max_value=stats.min_value)\n"
        "        if swapped.min_value != swapped.max_value:\n"
        "            return test.operator not in ('<', '<=')\n"
        "    return may_match(",
        "parquet.thrift, SortingColumn",
        "reference_impl.parquet.pushdown",
        shows=QUERY,
    ),
    Plant(
        "sorted-nulls-first-and-row",
        "a row group that is sorted by two columns, nulls first, is left out",
        "        groups = range(len(self.metadata.row_groups)) if row_groups is None else row_groups\n",
        "        groups = range(len(self.metadata.row_groups)) if row_groups is None else row_groups\n"
        "        of = [group.sorting_columns or [] for group in self.metadata.row_groups]\n"
        "        groups = [at for at in groups if len(of[at]) < 2 or not of[at][0].nulls_first]\n",
        "parquet.thrift, SortingColumn",
        "reference_impl.parquet.file",
    ),
)
