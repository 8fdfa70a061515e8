"""Fake engines: what goes wrong around a reader, in its conversions, its queries and its process."""

from __future__ import annotations

from harness.investigate.selftest.plant import QUERY, READ, Plant


def _plant(name: str, cls: str, what: str, clause: str, shows: str = READ) -> Plant:
    return Plant(name, what, "", cls, clause, "", shows)


PLANTS = (
    _plant("crash", "Crashes", "a file without rows ends the process", "no input may end a reader"),
    _plant("hang", "Hangs", "a column of nulls is waited for forever", "no input may hang a reader"),
    _plant(
        "memory",
        "Allocates",
        "memory is taken without end where a file has four row groups",
        "no input may cost more than what is in it",
    ),
    _plant("unstable", "Wavers", "every other time a value is another one", "twice read is the same"),
    _plant(
        "batch-boundary",
        "LosesLastOfBatch",
        "rows are read in tens, and one that is left over is lost",
        "all rows of a file",
    ),
    _plant("integers-as-doubles", "ThroughDoubles", "integers of 64 bits lose digits", "Encodings.md#PLAIN"),
    _plant("nulls-as-nan", "NullsAreNaN", "a null float is NaN", "README.md, Nulls"),
    _plant("empty-as-null", "EmptyIsNull", "an empty string is null", "README.md, Nulls"),
    _plant(
        "years-to-9999",
        "ThroughDatetime",
        "a timestamp outside of the years 1 to 9999 is null",
        "LogicalTypes.md, TIMESTAMP",
    ),
    _plant("latin-1", "Latin1", "strings are decoded as Latin-1", "LogicalTypes.md, STRING"),
    _plant("infinity-as-nan", "InfinityIsNaN", "an infinite float is NaN", "Encodings.md#PLAIN"),
    _plant(
        "aggregate-of-bounds",
        "AggregatesBounds",
        "minimum and maximum are those of statistics, exact or not",
        "parquet.thrift, Statistics.is_max_value_exact",
        QUERY,
    ),
    _plant(
        "aggregate-null-count",
        "CountsByStatistics",
        "present values are counted by null_count, 0 where it is absent",
        "parquet.thrift, Statistics.null_count",
        QUERY,
    ),
    _plant(
        "two-valued-not",
        "TwoValued",
        "NOT holds for null",
        "three-valued logic of SQL",
        QUERY,
    ),
    _plant(
        "filter-drops-filtered-column",
        "FiltersProjected",
        "a filter sees the columns that are answered, and no others",
        "a predicate sees all columns",
        QUERY,
    ),
    _plant(
        "groups-as-they-come",
        "OutOfOrder",
        "rows that a filter finds are answered last first where there are many",
        "rows in the order of the file",
        QUERY,
    ),
)
