"""False statistics and Bloom filters: a reader that trusts them loses rows, which shows that it skips."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from corpora import tagged
from corpora.build.orc.schemas import LONG, STRING, column_plan, recipe
from corpora.build.recipe import Recipe
from corpora.queries import Compare, Filter
from reference_impl.orc.plan import Bloom, Column
from reference_impl.orc.schema import BloomFilterIndex
from reference_impl.orc.statistics_schema import ColumnStatistics, IntegerStatistics, StringStatistics
from reference_impl.orc.tamper import Place, Tamper

_ROWS = 20
_X = 1
_EITHER = (
    "a reader of all rows need not read the false metadata; a reader that skips rows by them loses rows; "
    "both may refuse the file"
)
_NOTES = {
    "stripe-statistics": "the stripe statistics of the first {rows} rows are false",
    "row-index": "the row index has false statistics of the first {rows} rows",
    "bloom": "the Bloom filters of the first {rows} rows lack their values",
}
_LONG, _TEXT = "long", "string"


@dataclass(frozen=True)
class _Lies(Tamper):
    """Falsifies the first stripe: its bounds, those of its first row group, or its filters."""

    kind: str
    about: str

    def statistics(self, place: Place, group: int | None, column: ColumnStatistics) -> ColumnStatistics:
        here = None if self.about == "stripe-statistics" else 0
        if self.about.startswith("bloom") or place.stripe != 0 or place.column != _X or group != here:
            return column
        if self.kind == _LONG:
            return replace(column, int_statistics=IntegerStatistics(minimum=100, maximum=109))
        return replace(column, string_statistics=StringStatistics(minimum="v100", maximum="v109"))

    def bloom(self, place: Place, index: BloomFilterIndex) -> BloomFilterIndex:
        if not self.about.startswith("bloom") or place.stripe:
            return index
        clear = tuple(
            replace(
                bloom_filter,
                bitset=(0,) * len(bloom_filter.bitset),
                utf8bitset=None if bloom_filter.utf8bitset is None else bytes(len(bloom_filter.utf8bitset)),
            )
            for bloom_filter in index.bloom_filter
        )
        return replace(index, bloom_filter=clear)


def recipes() -> Iterator[Recipe]:
    """Yield false bounds of stripes and of row groups, and false filters of both kinds."""
    rising = tuple(range(_ROWS))
    mixed = (*range(0, _ROWS, 2), *range(1, _ROWS, 2))
    forms = {"utf8": Bloom(words=2), "original": Bloom(words=2, utf8=False, original=True)}
    for kind in (_LONG, _TEXT):
        yield _recipe("stripe-statistics", kind, "ORC-STATS-001", rising, Column(), range(10))
        yield _recipe("row-index", kind, "ORC-STATS-001", rising, Column(), range(5))
        for name, form in forms.items():
            if kind == _TEXT and name == "original":
                continue  # the text names no character set for the hash, so readers need not use it
            layout = Column(bloom=form)
            yield _recipe(f"bloom/{name}", kind, "ORC-BLOOM-001", mixed, layout, range(10))


def _recipe(  # noqa: PLR0917 - the parts of false statistics
    about: str, kind: str, rule: str, numbers: tuple[int, ...], layout: Column, hidden: range
) -> Recipe:
    """Return two stripes of two row groups each; `hidden` are the rows with false statistics."""
    values = [number if kind == _LONG else f"v{number:03}".encode() for number in numbers]
    types = LONG if kind == _LONG else STRING
    plan = column_plan(types, values, layout, stripes=(_ROWS // 2, _ROWS // 2), row_index_stride=5)
    queries = [(_filter("=", kind, number), [numbers.index(number)]) for number in (numbers[3], numbers[12])]
    is_bloom = about.startswith("bloom")
    if not is_bloom:
        queries.append((_filter("<", kind, 4), [0, 1, 2, 3]))
    return recipe(
        f"lies/{about}/{kind}",
        plan,
        "ORCv1.md, Bloom Filter Index" if is_bloom else "ORCv1.md, Column Statistics",
        notes=_NOTES[about.partition("/")[0]].format(rows=len(hidden)),
        tamper=_Lies(kind, about),
        refuse=rule,
        either=_EITHER,
        lies=tuple(
            (query, tuple(row for row in ordinals if row not in hidden)) for query, ordinals in queries
        ),
    )


def _filter(op: str, kind: str, number: int) -> Filter:
    if kind == _LONG:
        return Filter(Compare(("x",), op, tagged.integer(64), str(number)))
    return Filter(Compare(("x",), op, tagged.STRING, f"v{number:03}"))
