"""Fake engines: what goes wrong around a reader, in its conversions, its queries and its process."""

from __future__ import annotations

from harness.investigate.selftest.plant import QUERY, READ, Plant


def _plant(name: str, cls: str, what: str, clause: str, shows: str = READ) -> Plant:
    return Plant(name, what, "", cls, clause, "", shows)


PLANTS = (
    _plant("crash", "Crashes", "a file without rows ends the process", "no input may end a reader"),
    _plant("hang", "Hangs", "a column of nulls makes the engine hang", "no input may hang a reader"),
    _plant(
        "memory",
        "Allocates",
        "a file with four row groups makes the engine allocate memory without limit",
        "no input may cost more than what is in it",
    ),
    _plant("unstable", "Wavers", "every second read returns a different value", "twice read is the same"),
    _plant(
        "batch-boundary",
        "LosesLastOfBatch",
        "rows are read in batches of ten, and a last batch of one row is lost",
        "all rows of a file",
    ),
    _plant(
        "integers-as-doubles",
        "through_doubles",
        "integers of 64 bits are converted to doubles and lose digits",
        "Encodings.md#PLAIN",
    ),
    _plant("nulls-as-nan", "nulls_are_nan", "a null float is NaN", "README.md, Nulls"),
    _plant("empty-as-null", "empty_is_null", "an empty string is null", "README.md, Nulls"),
    _plant(
        "years-to-9999",
        "through_datetime",
        "a timestamp outside the years 1 to 9999 becomes null",
        "LogicalTypes.md, TIMESTAMP",
    ),
    _plant("latin-1", "latin1", "strings are decoded as Latin-1", "LogicalTypes.md, STRING"),
    _plant("infinity-as-nan", "infinity_is_nan", "an infinite float is NaN", "Encodings.md#PLAIN"),
    _plant(
        "aggregate-of-bounds",
        "aggregates_bounds",
        "MIN and MAX are answered from statistics, even if the bounds are not exact",
        "parquet.thrift, Statistics.is_max_value_exact",
        QUERY,
    ),
    _plant(
        "aggregate-null-count",
        "counts_by_statistics",
        "COUNT is computed from null_count, which counts as 0 if absent",
        "parquet.thrift, Statistics.null_count",
        QUERY,
    ),
    _plant(
        "extremes-without-filter",
        "extremes_of_all",
        "MIN and MAX behind a filter are those of all rows",
        "a predicate decides which rows are aggregated",
        QUERY,
    ),
    _plant(
        "count-of-first-leaf",
        "counts_first_leaves",
        "COUNT of a struct is computed from the nulls of its first field",
        "README.md, Nested Encoding",
        QUERY,
    ),
    _plant(
        "cast-left-out",
        "compares_narrow",
        "a column is compared without its cast, with a constant cut to the column's type",
        "a cast decides as which type values are compared",
        QUERY,
    ),
    _plant(
        "moment-cut-in-pruning",
        "prunes_by_cut_moments",
        "a constant is cut to the unit of a timestamp column before it is compared with the bounds",
        "parquet.thrift, Statistics.min_value",
        QUERY,
    ),
    _plant(
        "first-rows-fetched-late",
        "fetches_next",
        "the first rows in the order of a column have the other columns of the rows behind them",
        "a row has the values of its columns",
        QUERY,
    ),
    _plant(
        "limit-before-filter",
        "limits_first",
        "a filter is applied to the first rows in the order of a column",
        "LIMIT is of the rows for which the predicate is TRUE",
        QUERY,
    ),
    _plant(
        "two-valued-not",
        "two_valued",
        "NOT of null is true instead of null",
        "three-valued logic of SQL",
        QUERY,
    ),
    _plant(
        "filter-drops-filtered-column",
        "filters_projected",
        "a filter on a column that is not projected keeps all rows",
        "a predicate sees all columns",
        QUERY,
    ),
    _plant(
        "groups-as-they-come",
        "out_of_order",
        "a filter that matches many rows returns them in reverse order",
        "rows in the order of the file",
        QUERY,
    ),
)
