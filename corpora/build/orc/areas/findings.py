"""The smallest files of confirmed findings; `corpora/known` describes the findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from corpora import tagged
from corpora.build.orc import samples
from corpora.build.orc.schemas import (
    INT,
    STRING,
    column_plan,
    column_recipe,
    leaf,
    nested,
    plan,
    recipe,
    struct_of,
)
from corpora.build.recipe import Recipe
from corpora.predicates import Not, NotTrue, NullSafe
from corpora.queries import Aggregate, Compare, Filter, In, IsNull
from reference_impl.orc.encodings.runs import Run, RunKind
from reference_impl.orc.plan import Bloom, Chunks, Column, Empty, Index, Original, Statistics
from reference_impl.orc.schema import CalendarKind, CompressionKind, TypeKind
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.orc.tamper import Place, Tamper

_NULLS = Filter(IsNull(("x",)))
_ALL = (Aggregate(("x",)),)
_YEAR_1850, _YEAR_1960, _YEAR_2020 = -3_786_825_600, -315_619_200, 1_577_836_800  # seconds since 1970
_SUMMER_OF_2099, _SUMMER_OF_2100 = 4_086_576_000, 4_118_112_000  # July 1, 08:00
_GIGA = 1_000_000_000
_HOLLOW = "a chunk of no bytes breaks ORC-COMP-005, a SHOULD"
_NO_ROW = "engines have no rows that are null"


@dataclass(frozen=True)
class _Bounds(Tamper):
    """Sets bounds of a column of doubles that leave out NaN, as Java's writer does."""

    low: float
    high: float

    def statistics(self, place: Place, group: int | None, column: ColumnStatistics) -> ColumnStatistics:
        del place, group
        doubles = column.double_statistics
        doubles = doubles and replace(doubles, minimum=self.low, maximum=self.high)
        return replace(column, double_statistics=doubles)


def recipes() -> Iterator[Recipe]:
    """Yield the cases of all findings."""
    return chain(_stripes(), _runs(), _names(), _values(), _moments(), _statistics(), _aggregates())


def _stripes() -> Iterator[Recipe]:
    spec = "ORCv1.md, Stripe Information (numberOfRows)"
    yield column_recipe("findings/empty-stripe", spec, INT, range(10), stripes=(3, 0, 7), row_index_stride=0)
    nonzero = Filter(Compare(("x",), "!=", tagged.integer(32), "0"))
    file = column_plan(INT, range(3), stripes=(3, 0))
    yield recipe("findings/filter-of-empty-stripe", file, spec, queries=(nonzero,))
    file = column_plan(INT, [5], stripe_statistics=False, unknown_fields=True)
    yield recipe("findings/metadata-without-stripes", file, "ORCv1.md, File Metadata", queries=(nonzero,))
    last = column_plan(INT, [1, 2, None], row_index_stride=2)
    yield recipe("findings/nulls-at-the-end", last, "ORCv1.md, Row Group Index", queries=(_NULLS,))
    first = column_plan(INT, [None, None, 1, 1], row_index_stride=2)
    same = NullSafe(("x",), tagged.integer(32), "2")
    others = tuple(Filter(test) for test in (Not(same), NotTrue(same)))
    yield recipe("findings/distinct-from-of-nulls", first, "ORCv1.md, Row Group Index", queries=others)
    rows = [(1,), None, (None,), (2,)]
    spec = samples.clause(TypeKind.STRUCT)
    yield recipe("findings/null-root", plan(struct_of(x=INT), rows), spec, either=_NO_ROW)
    root = nested(TypeKind.STRUCT)
    yield recipe("findings/no-fields", plan(root, [(), (), ()]), spec)
    empty = column_plan(STRING, [*[b""] * 7, b"x"])
    yield recipe("findings/sought-past-empty", empty, "ORCv1.md, String, Char, and VarChar Columns")
    hollow = Chunks(original=Original.ALWAYS, empty=Empty.FIRST)
    file = column_plan(INT, [1, 2, 3], compression=CompressionKind.ZLIB, chunks=hollow)
    yield recipe("findings/empty-chunk", file, "ORCv1.md, Compression", either=_HOLLOW)
    file = column_plan(leaf(TypeKind.FLOAT), [1.5, 2.5], compression=CompressionKind.ZLIB, chunks=hollow)
    yield recipe("findings/empty-chunk-of-floats", file, "ORCv1.md, Compression", either=_HOLLOW)
    file = plan(struct_of(**{"a`b": INT, "`q`": INT}), [(1, 2)])
    yield recipe("findings/backquotes", file, "ORCv1.md, Type Information (fieldNames)")


def _moments() -> Iterator[Recipe]:
    wall, instant = leaf(TypeKind.TIMESTAMP), leaf(TypeKind.TIMESTAMP_INSTANT)
    spec = samples.clause(TypeKind.TIMESTAMP)
    file = column_plan(wall, [(0, 123_456_789)], writer_timezone="Asia/Kolkata")
    yield recipe("findings/borrowed-second", file, spec)
    file = column_plan(wall, [(_SUMMER_OF_2099, 0), (_SUMMER_OF_2100, 0)], writer_timezone="America/New_York")
    yield recipe("findings/summer-of-2100", file, spec)
    same = Filter(Compare(("x",), "=", tagged.timestamp("ns", utc=False), f"{_YEAR_2020}000000000"))
    yield recipe("findings/wall-clock-sought", column_plan(wall, [(_YEAR_2020, 0)]), spec, queries=(same,))
    moment = Filter(
        Compare(("x",), "=", tagged.timestamp("ns", utc=False), str(_YEAR_1960 * _GIGA + 855_000_000))
    )
    file = column_plan(wall, [(_YEAR_1960, 855_000_000)])
    yield recipe("findings/fraction-before-1970", file, "ORCv1.md, Column Statistics", queries=(moment,))
    yield recipe("findings/wall-clock-of-1850", column_plan(wall, [(_YEAR_1850, 0)]), spec)
    spec = samples.clause(TypeKind.TIMESTAMP_INSTANT)
    yield recipe("findings/instant-of-1850", column_plan(instant, [(_YEAR_1850, 0)]), spec)


def _runs() -> Iterator[Recipe]:
    wide = Column(data_runs=(Run(RunKind.DIRECT, extra_width=24),))  # INT in 64 bits
    spec = "ORCv1.md, Direct (encoded width)"
    yield column_recipe("findings/wide-direct-run", spec, INT, [9999], wide)
    # The base is the least value; the others are more than 2^63 above it.
    values = [*range((1 << 63) - 41, (1 << 63) - 31), 1 - (1 << 63)]
    layout = Column(data_runs=(Run(RunKind.PATCHED_BASE),))
    spec = "ORCv1.md, Patched Base"
    yield column_recipe("findings/patched-base-of-64-bits", spec, leaf(TypeKind.LONG), values, layout)
    # Of the base, -32768, the magnitude has 16 bits, and the sign one more.
    yield column_recipe("findings/base-of-three-bytes", spec, leaf(TypeKind.SHORT), [-32768, 32761], layout)


def _names() -> Iterator[Recipe]:
    # A field of a struct, whose bounds are others, has the name of a column behind it.
    root = struct_of(x=struct_of(y=INT), y=INT)
    file = plan(root, [((1,), 5)])
    five = Filter(Compare(("y",), "=", tagged.integer(32), "5"))
    yield recipe("findings/name-of-a-field", file, samples.clause(TypeKind.STRUCT), queries=(five,))


def _values() -> Iterator[Recipe]:
    file = column_plan(STRING, [b"aaaaaaaabaa"], compression=CompressionKind.LZO)
    yield recipe("findings/lzo-short-match", file, "ORCv1.md, Compression (LZO)")
    zeros = column_plan(leaf(TypeKind.DOUBLE), [-0.0, 0.0])
    yield recipe("findings/both-zeros", zeros, samples.clause(TypeKind.DOUBLE))
    decimal = leaf(TypeKind.DECIMAL, precision=9, scale=2)
    file = column_plan(decimal, [(0, 38), (0, 21), (7, 2)])
    yield recipe("findings/decimal-of-another-scale", file, samples.clause(TypeKind.DECIMAL))
    file = column_plan(leaf(TypeKind.DATE), [-141_437, -141_428, -141_427])
    yield recipe("findings/days-of-1582", file, "orc_proto.proto, CalendarKind")
    file = column_plan(leaf(TypeKind.DATE), [-354_285, -141_438], calendar=CalendarKind.JULIAN_GREGORIAN)
    yield recipe("findings/days-of-julian-gregorian", file, "orc_proto.proto, CalendarKind")
    file = column_plan(leaf(TypeKind.DATE), [-1_000_000, -719_163, -719_162])
    yield recipe("findings/dates-before-year-1", file, "orc_proto.proto, CalendarKind")


def _statistics() -> Iterator[Recipe]:
    spec = "ORCv1.md, Column Statistics"
    bare = Statistics(bounds=False)
    file = column_plan(INT, [7], Column(index=Index(bare), statistics=bare))
    seven = Filter(Compare(("x",), "=", tagged.integer(32), "7"))
    yield recipe("findings/no-bounds", file, spec, queries=(seven,))
    bare = Statistics(count=False)
    file = column_plan(INT, [7, None], Column(index=Index(bare), statistics=bare))
    yield recipe("findings/no-counts", file, spec, queries=(seven,))
    zero = Filter(Compare(("x",), "=", tagged.floating(64), "0000000000000000"))
    file = column_plan(leaf(TypeKind.DOUBLE), [-0.0], Column(bloom=Bloom(words=4)))
    yield recipe("findings/zero-in-bloom-filter", file, "ORCv1.md, Bloom Filter Index", queries=(zero,))
    inward = Statistics(inward=True)
    file = column_plan(leaf(TypeKind.DOUBLE), [0.0, 0.0, 1.0], Column(index=Index(inward), statistics=inward))
    negative = [Filter(Compare(("x",), op, tagged.floating(64), "8000000000000000")) for op in ("=", "<=")]
    yield recipe("findings/zero-in-bounds", file, spec, queries=tuple(negative))
    listed = Filter(In(("x",), tagged.integer(32), ("63", None)))
    yield recipe("findings/in-list-with-null", column_plan(INT, [1, None, 63]), spec, queries=(listed,))
    below = Filter(Compare(("x",), "<", tagged.STRING, "\U0010ffff"))
    file = column_plan(STRING, ["\uffff".encode(), "\U0010ffff".encode()])
    yield recipe("findings/order-of-characters", file, spec, queries=(below,))
    rows = [(0, None), (1, (5,))]
    file = plan(struct_of(row=INT, x=struct_of(y=INT)), rows)
    nulls = Filter(IsNull(("x", "y")))
    yield recipe("findings/field-of-null-struct", file, spec, queries=(nulls,))


def _aggregates() -> Iterator[Recipe]:
    """Yield files whose statistics do not give minimum, maximum or count."""
    spec = "ORCv1.md, Column Statistics"
    file = column_plan(leaf(TypeKind.DOUBLE), [1.5, 2.5], Column(statistics=Statistics(bounds=False)))
    yield recipe("findings/aggregate-without-bounds", file, spec, queries=_ALL)
    file = column_plan(INT, [1, 2, 3], Column(statistics=None))
    yield recipe("findings/aggregate-without-counts", file, spec, queries=_ALL)
    file = column_plan(leaf(TypeKind.DOUBLE), [1.0, float("nan"), 2.0])
    yield recipe("findings/aggregate-of-nan", file, spec, queries=_ALL, tamper=_Bounds(1.0, 2.0))
