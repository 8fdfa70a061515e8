"""Bugs in legal forms that strategies once left out (`corpora/dodges.toml`), so that nothing showed them."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import QUERY, Plant

_STATISTICS = "parquet.thrift, Statistics"
_matching = partial(Plant, module="reference_impl.parquet.matching", clause=_STATISTICS, shows=QUERY)
_COLUMNS = "corpora.build.tagged_columns"

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
)
