"""Marks: properties of a column that readers are known to fail on.

The weight of a mark says how early the queries of a column with the mark are asked. The weights follow from
FINDINGS.md: of the findings that only a query shows, most are about NaN and zeros, then come statistics that
are absent in part, then bounds in another order, then Bloom filters.
"""

from __future__ import annotations

from collections.abc import Collection

NAN = "nan"  # NaN among the values or the bounds
ZERO = "zero"  # a zero among the values: there are two of them
NULL_COUNT = "null-count"  # a number of nulls that is absent
NO_BOUNDS = "no-bounds"  # statistics without bounds, or with one of the two
SOME_PARTS = "some-parts"  # statistics of some row groups, stripes or pages alone
DEPRECATED = "deprecated"  # the deprecated min and max
INEXACT = "inexact"  # bounds that are no values of the column
ORDER = "order"  # an order that is not that of the bytes: unsigned, decimals in bytes, INT96, deprecated
BLOOM = "bloom"
PAGES = "pages"  # bounds of pages that differ from those of their row group
NESTED = "nested"  # a field of a struct that can be null
EMPTY = "empty"  # a row group, stripe or file without rows
TEXT = "text"  # characters outside of the basic plane, which UTF-16 orders differently
FLOAT = "float"  # floating point with bounds, which leave NaN out
MOMENT = "moment"  # a wall clock or an instant, which time zones and calendars move
DICTIONARY = "dictionary"

WEIGHTS = {
    NAN: 4,
    ZERO: 3,
    NULL_COUNT: 3,
    NO_BOUNDS: 3,
    SOME_PARTS: 3,
    DEPRECATED: 3,
    INEXACT: 3,
    BLOOM: 3,
    EMPTY: 2,
    ORDER: 2,
    NESTED: 2,
    TEXT: 2,
    PAGES: 2,
    FLOAT: 1,
    MOMENT: 1,
    DICTIONARY: 1,
}


def weight(marks: Collection[str]) -> int:
    """Return the sum of the weights of marks."""
    return sum(WEIGHTS[mark] for mark in marks)


def by_weight(marks: Collection[str]) -> list[str]:
    """Return marks, the heaviest first."""
    return [mark for mark in WEIGHTS if mark in marks]
