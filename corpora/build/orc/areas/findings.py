"""What readers were found to get wrong, each as small as it gets; `corpora/known` says who and how."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from corpora import tagged
from corpora.build.orc import samples
from corpora.build.orc.schemas import INT, STRING, leaf, nested, one, plan, recipe, struct_of
from corpora.queries import Aggregate, Compare, Filter, IsNull
from reference_impl.orc.plan import Bloom, Column, Index, Statistics
from reference_impl.orc.schema import CompressionKind, TypeKind
from reference_impl.orc.tamper import Tamper

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpora.build.recipe import Recipe
    from reference_impl.orc.schema import ColumnStatistics
    from reference_impl.orc.tamper import Place

_NULLS = Filter(IsNull(("x",)))
_ALL = (Aggregate(("x",)),)
_YEAR_1850, _YEAR_2020 = -3_786_825_600, 1_577_836_800  # seconds since 1970
_NO_ROW = "a row that is null is not among what engines know"


@dataclass(frozen=True)
class _Bounds(Tamper):
    """Gives a column of doubles bounds that pass over NaN, as Java's writer does."""

    low: float
    high: float

    def statistics(self, place: Place, group: int | None, found: ColumnStatistics) -> ColumnStatistics:
        """Add the bounds."""
        del place, group
        told = found.double_statistics
        told = told and replace(told, minimum=self.low, maximum=self.high)
        return replace(found, double_statistics=told)


def recipes() -> Iterator[Recipe]:
    """Yield the cases of all findings."""
    yield from _stripes()
    yield from _values()
    yield from _moments()
    yield from _statistics()
    yield from _aggregates()


def _stripes() -> Iterator[Recipe]:
    spec = "ORCv1.md, Stripe Information (numberOfRows)"
    yield recipe("findings/empty-stripe", one(INT, range(10), stripes=(3, 0, 7), row_index_stride=0), spec)
    nonzero = Filter(Compare(("x",), "!=", tagged.integer(32), "0"))
    made = one(INT, range(3), stripes=(3, 0))
    yield recipe("findings/filter-of-empty-stripe", made, spec, queries=(nonzero,))
    made = one(INT, [5], stripe_statistics=False, unknown_fields=True)
    yield recipe("findings/metadata-without-stripes", made, "ORCv1.md, File Metadata", queries=(nonzero,))
    last = one(INT, [1, 2, None], row_index_stride=2)
    yield recipe("findings/nulls-at-the-end", last, "ORCv1.md, Row Group Index", queries=(_NULLS,))
    rows = [(1,), None, (None,), (2,)]
    spec = samples.clause(TypeKind.STRUCT)
    yield recipe("findings/null-root", plan(struct_of(x=INT), rows), spec, either=_NO_ROW)
    root = nested(TypeKind.STRUCT)
    yield recipe("findings/no-fields", plan(root, [(), (), ()]), spec)
    made = plan(struct_of(**{"a`b": INT, "`q`": INT}), [(1, 2)])
    yield recipe("findings/backquotes", made, "ORCv1.md, Type Information (fieldNames)")


def _moments() -> Iterator[Recipe]:
    wall, instant = leaf(TypeKind.TIMESTAMP), leaf(TypeKind.TIMESTAMP_INSTANT)
    spec = samples.clause(TypeKind.TIMESTAMP)
    made = one(wall, [(0, 123_456_789)], writer_timezone="Asia/Kolkata")
    yield recipe("findings/borrowed-second", made, spec)
    same = Filter(Compare(("x",), "=", tagged.timestamp("ns", utc=False), f"{_YEAR_2020}000000000"))
    yield recipe("findings/wall-clock-sought", one(wall, [(_YEAR_2020, 0)]), spec, queries=(same,))
    yield recipe("findings/wall-clock-of-1850", one(wall, [(_YEAR_1850, 0)]), spec)
    spec = samples.clause(TypeKind.TIMESTAMP_INSTANT)
    yield recipe("findings/instant-of-1850", one(instant, [(_YEAR_1850, 0)]), spec)


def _values() -> Iterator[Recipe]:
    made = one(STRING, [b"aaaaaaaabaa"], compression=CompressionKind.LZO)
    yield recipe("findings/lzo-short-match", made, "ORCv1.md, Compression (LZO)")
    decimal = leaf(TypeKind.DECIMAL, precision=9, scale=2)
    made = one(decimal, [(0, 38), (0, 21), (7, 2)])
    yield recipe("findings/decimal-of-another-scale", made, samples.clause(TypeKind.DECIMAL))
    made = one(leaf(TypeKind.DATE), [-141_437, -141_428, -141_427])
    yield recipe("findings/days-of-1582", made, "orc_proto.proto, CalendarKind")
    made = one(leaf(TypeKind.DATE), [-1_000_000, -719_163, -719_162])
    yield recipe("findings/dates-before-year-1", made, "orc_proto.proto, CalendarKind")


def _statistics() -> Iterator[Recipe]:
    spec = "ORCv1.md, Column Statistics"
    bare = Statistics(bounds=False)
    made = one(INT, [7], Column(index=Index(bare), statistics=bare))
    seven = Filter(Compare(("x",), "=", tagged.integer(32), "7"))
    yield recipe("findings/no-bounds", made, spec, queries=(seven,))
    bare = Statistics(count=False)
    made = one(INT, [7, None], Column(index=Index(bare), statistics=bare))
    yield recipe("findings/no-counts", made, spec, queries=(seven,))
    zero = Filter(Compare(("x",), "=", tagged.floating(64), "0000000000000000"))
    made = one(leaf(TypeKind.DOUBLE), [-0.0], Column(bloom=Bloom(words=4)))
    yield recipe("findings/zero-in-bloom-filter", made, "ORCv1.md, Bloom Filter Index", queries=(zero,))
    below = Filter(Compare(("x",), "<", tagged.STRING, "\U0010ffff"))
    made = one(STRING, ["\uffff".encode(), "\U0010ffff".encode()])
    yield recipe("findings/order-of-characters", made, spec, queries=(below,))
    rows = [(0, None), (1, (5,))]
    made = plan(struct_of(row=INT, x=struct_of(y=INT)), rows)
    nulls = Filter(IsNull(("x", "y")))
    yield recipe("findings/field-of-null-struct", made, spec, queries=(nulls,))


def _aggregates() -> Iterator[Recipe]:
    """Yield what minimum, maximum and count cannot be taken from."""
    spec = "ORCv1.md, Column Statistics"
    made = one(leaf(TypeKind.DOUBLE), [1.5, 2.5], Column(statistics=Statistics(bounds=False)))
    yield recipe("findings/aggregate-without-bounds", made, spec, queries=_ALL)
    made = one(INT, [1, 2, 3], Column(statistics=None))
    yield recipe("findings/aggregate-without-counts", made, spec, queries=_ALL)
    made = one(leaf(TypeKind.DOUBLE), [1.0, float("nan"), 2.0])
    yield recipe("findings/aggregate-of-nan", made, spec, queries=_ALL, tamper=_Bounds(1.0, 2.0))
