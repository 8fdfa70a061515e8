"""Reductions of what ORC files say: the reference reads them into a plan, and a smaller plan is written.

The plan keeps types, stripes, the stride of row groups, codec, encodings, which streams, statistics and
indexes there are, the writer and its zone; how runs and chunks were cut, it does not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from harness.minimize.reduction import Reduction, Sites
from reference_impl.byte_arrays import ByteArrays
from reference_impl.columns import LeafColumn, ListColumn, MapColumn, StructColumn, UnionColumn
from reference_impl.errors import LimitExceeded, UsageError
from reference_impl.orc import plan as plans
from reference_impl.orc.file import OrcFile
from reference_impl.orc.readers.nested import Reader
from reference_impl.orc.schema import EncodingKind, StreamKind, TypeKind
from reference_impl.orc.stripe import DICTIONARY_KINDS, V2_KINDS
from reference_impl.orc.writer import write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reference_impl.columns import Column
    from reference_impl.orc.schema import ColumnStatistics
    from reference_impl.orc.stripe import Stripe

_MOST = 1 << 17  # rows of a file that is read into a plan
_ZERO: dict[TypeKind, Any] = {
    TypeKind.BOOLEAN: False,
    TypeKind.FLOAT: 0.0,
    TypeKind.DOUBLE: 0.0,
    TypeKind.TIMESTAMP: (0, 0),
    TypeKind.TIMESTAMP_INSTANT: (0, 0),
}
_TEXTS = (
    TypeKind.STRING,
    TypeKind.CHAR,
    TypeKind.VARCHAR,
    TypeKind.BINARY,
    TypeKind.GEOMETRY,
    TypeKind.GEOGRAPHY,
)


def plan_of(data: bytes) -> plans.FilePlan:
    """Answer the plan of a file.

    Raises what the reference raises for one that it cannot read, LimitExceeded for one of too many rows, and
    UsageError for one that no plan says.
    """
    file = OrcFile(data)
    if (file.footer.number_of_rows or 0) > _MOST:
        raise LimitExceeded("too many rows for a plan")
    tail, end = file.footer, file.postscript
    stripes = [file.stripe(number) for number in range(len(tail.stripes))]
    wanted = file.select(None)
    rows: list[Any] = []
    for stripe in stripes:
        rows += values_of(Reader(stripe, file.limits, wanted, file.zone).column(file.root, stripe.rows))
    version = tuple(end.version[:2]) if len(end.version) >= 2 else (0, 12)
    return plans.FilePlan(
        types=tail.types,
        rows=tuple(rows),
        stripes=tuple(stripe.rows for stripe in stripes),
        row_index_stride=tail.row_index_stride or 0,
        overrides=tuple(_layouts(file, stripes)),
        compression=file.tail.codec,
        block_size=file.tail.block_size,
        block_size_absent=end.compression_block_size is None,
        writer_timezone=next((stripe.footer.writer_timezone for stripe in stripes), None),
        calendar=tail.calendar,
        version=(version[0], version[1]),
        writer=tail.writer,
        writer_version=end.writer_version,
        software_version=tail.software_version,
        file_statistics=bool(tail.statistics),
        stripe_statistics=bool(end.metadata_length),
        metadata=tuple((one.name or "", one.value or b"") for one in tail.metadata),
    )


def _layouts(file: OrcFile, stripes: list[Stripe]) -> Iterator[tuple[int, int, plans.Column]]:
    told = file.metadata.stripe_stats if file.postscript.metadata_length else ()
    for number, stripe in enumerate(stripes):
        stats = told[number].col_stats if number < len(told) else ()
        for node in file.root.walk():
            kind, _ = stripe.encodings[node.id]
            there = {place.kind for place in stripe.streams if place.column == node.id}
            blooms = {StreamKind.BLOOM_FILTER, StreamKind.BLOOM_FILTER_UTF8} & there
            layout = plans.Column(
                rle=2 if kind in V2_KINDS else 1,
                dictionary=plans.Dictionary() if kind in DICTIONARY_KINDS else None,
                present=plans.Present.ALWAYS if StreamKind.PRESENT in there else plans.Present.NEEDED,
                index=plans.Index() if StreamKind.ROW_INDEX in there else None,
                statistics=_statistics(stats[node.id]) if node.id < len(stats) else plans.Statistics(),
                bloom=plans.Bloom(
                    words=1,
                    utf8=StreamKind.BLOOM_FILTER_UTF8 in blooms,
                    original=StreamKind.BLOOM_FILTER in blooms,
                )
                if blooms
                else None,
            )
            if kind is EncodingKind.DIRECT and node.kind in _PLAIN:
                layout = replace(layout, rle=2)  # there are no integers to say which
            yield number, node.id, layout


_PLAIN = (TypeKind.BOOLEAN, TypeKind.BYTE, TypeKind.FLOAT, TypeKind.DOUBLE, TypeKind.STRUCT, TypeKind.UNION)


def _statistics(found: ColumnStatistics) -> plans.Statistics | None:
    return plans.Statistics(
        count=found.number_of_values is not None,
        has_null=found.has_null is not None,
        bytes_on_disk=found.bytes_on_disk is not None,
    )


def values_of(column: Column) -> list[Any]:
    """Answer a column as a plan's values, one per slot."""
    valid = [True] * column.length if column.valid is None else column.valid.tolist()
    if isinstance(column, LeafColumn):
        left = iter(_scalars(column))
        return [next(left) if ok else None for ok in valid]
    if isinstance(column, StructColumn):
        fields = [values_of(field) for field in column.fields]
        every = zip(*fields, strict=True) if fields else [()] * column.length
        return [row if ok else None for ok, row in zip(valid, every, strict=True)]
    if isinstance(column, UnionColumn):
        variants = [iter(values_of(variant)) for variant in column.variants]
        tagged = iter([(tag, next(variants[tag])) for tag in column.tags.tolist()])
        return [next(tagged) if ok else None for ok in valid]
    cuts = column.offsets.tolist()
    items = _items(column)
    return [items[cuts[at] : cuts[at + 1]] if ok else None for at, ok in enumerate(valid)]


def _items(column: ListColumn | MapColumn) -> list[Any]:
    if isinstance(column, ListColumn):
        return values_of(column.element)
    if column.value is None:
        raise UsageError("a map without values")
    return list(zip(values_of(column.key), values_of(column.value), strict=True))


def _scalars(column: LeafColumn) -> list[Any]:
    values = column.values
    if isinstance(values, ByteArrays):
        return list(values)
    if values.dtype.kind == "f":  # their bytes, which keep the payload of a NaN
        return [one.tobytes() for one in values]
    return list(values.tolist())


def rewritten(data: bytes) -> Sites:
    """Write the file anew from its plan."""
    return Sites(1, lambda _start, _stop: write(plan_of(data)))


def rows(data: bytes) -> Sites:
    """Leave out rows; a stripe that has none left goes with them, unless it had none before."""
    plan = plan_of(data)

    def reduced(start: int, stop: int) -> bytes:
        kept: list[int] = []
        overrides = []
        first = 0
        for number, count in enumerate(plan.stripes or ()):
            gone = max(0, min(stop, first + count) - max(start, first))
            if not count or gone < count:
                here = [each for each in plan.overrides if each[0] == number]
                overrides += [(len(kept), column, layout) for _, column, layout in here]
                kept.append(count - gone)
            first += count
        left = (*plan.rows[:start], *plan.rows[stop:])
        return write(replace(plan, rows=left, stripes=tuple(kept), overrides=tuple(overrides)))

    return Sites(len(plan.rows), reduced)


def _leaves(data: bytes, simpler: Callable[[TypeKind, Any], Any]) -> Sites:
    """Answer values as sites that `simpler` makes another value of."""
    plan = plan_of(data)
    root = OrcFile(data).root
    total = _Walk(simpler, 0, 0)
    for row in plan.rows:
        total.value(root, row)

    def reduced(start: int, stop: int) -> bytes:
        walk = _Walk(simpler, start, stop)
        return write(replace(plan, rows=tuple(walk.value(root, row) for row in plan.rows)))

    return Sites(total.seen, reduced)


class _Walk:
    """Goes over values, counts those that can be simpler, and makes some of them so."""

    def __init__(self, simpler: Callable[[TypeKind, Any], Any], start: int, stop: int) -> None:
        self.simpler = simpler
        self.start = start
        self.stop = stop
        self.seen = 0

    def value(self, node: Any, value: Any) -> Any:
        """Answer a value of a type, simpler where it is its turn."""
        if value is None:
            return None
        kind, children = node.kind, node.children
        if kind is TypeKind.STRUCT:
            return tuple(self.value(child, one) for child, one in zip(children, value, strict=True))
        if kind is TypeKind.LIST:
            return [self.value(children[0], one) for one in value]
        if kind is TypeKind.MAP:
            return [(self.value(children[0], key), self.value(children[1], one)) for key, one in value]
        if kind is TypeKind.UNION:
            return value[0], self.value(children[value[0]], value[1])
        found = self.simpler(kind, value)
        if found == value:
            return value
        self.seen += 1
        return found if self.start < self.seen <= self.stop else value


def _zero(kind: TypeKind, value: Any) -> Any:
    if kind in (TypeKind.FLOAT, TypeKind.DOUBLE):
        return bytes(len(value))
    if kind in _TEXTS:
        return b""
    return _ZERO.get(kind, 0)


def _half(kind: TypeKind, value: Any) -> Any:
    return value[: len(value) // 2] if kind in _TEXTS else value


REWRITTEN = Reduction("written anew", rewritten)
ROWS = Reduction("rows", rows)
VALUES = (
    Reduction("values", lambda data: _leaves(data, _zero)),
    Reduction("half values", lambda data: _leaves(data, _half)),
)
