"""The features of the format that a file uses, by its tail and the footers of its stripes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from reference_impl.errors import ReferenceError_
from reference_impl.orc import statistics, zones
from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import CalendarKind, StreamKind, TypeKind
from reference_impl.orc.statistics_schema import ColumnStatistics, StringStatistics, TimestampStatistics
from reference_impl.orc.stripe import StreamPlace, Stripe
from reference_impl.orc.types import TypeNode

_SIGNED = 128  # tags that a byte with a sign tells apart
_SPARK = "spark.sql.catalyst.type"
_GROUPS = ("types", "encodings", "codecs", "streams", "flags")
_MAX_STRIPES = 1_000  # later stripes use the same features
_INDEXED = 100  # stripes whose row indexes are read
_HIGH = "\ue000"  # from here on the order of UTF-16 is not that of UTF-8
_OF_VALUES = (StreamKind.DATA, StreamKind.LENGTH)  # each type but STRUCT has one of them
_LISTED_KINDS = (StreamKind.PRESENT, StreamKind.BLOOM_FILTER, StreamKind.BLOOM_FILTER_UTF8)


def summarize(file: OrcFile) -> dict[str, list[str]]:
    """Return sorted names by group: types, encodings, codecs, streams, flags.

    Names are those of orc_proto; a stripe that cannot be opened adds the flag `unreadable_stripes` only.
    """
    features = _of_nodes(file, list(file.root.walk()))
    features["codecs"].add(file.tail.codec.name)
    _add_tail(features["flags"], file)
    return {name: sorted(values) for name, values in features.items()}


def summarize_columns(file: OrcFile, names: Collection[str]) -> dict[str, list[str]]:
    """Return sorted names by group, as `summarize`, of some columns of the root.

    Whether the root is there is part of each of its columns: so are empty chunks in what says it.
    """
    columns = [child for child in file.root.children if child.name in names]
    features = _of_nodes(file, [node for column in columns for node in column.walk()])
    if columns:
        features["flags"] |= set(_of_root(file))
    return {name: sorted(values) for name, values in features.items()}


def _of_nodes(file: OrcFile, nodes: Sequence[TypeNode]) -> dict[str, set[str]]:
    """Return the features of some nodes of the type, and of the stripes."""
    features: dict[str, set[str]] = {name: set() for name in _GROUPS}
    # A root that is a struct, and a row index, are no features: every file has them.
    features["types"] |= {node.kind.name for node in nodes if node.parent or not node.children}
    if any(node.kind is TypeKind.UNION and len(node.children) > _SIGNED for node in nodes):
        features["types"].add("wide_union")
    features["flags"] |= {flag for item in _statistics(file, nodes) for flag in _unusual(*item)}
    ids = {node.id for node in nodes}
    for number in range(min(len(file.footer.stripes), _MAX_STRIPES)):
        try:
            stripe = file.stripe(number)
        except ReferenceError_:
            features["flags"].add("unreadable_stripes")
            continue
        if number < _INDEXED and file.footer.row_index_stride:
            _add_indexes(features["flags"], file, number, nodes)
        places = [place for place in stripe.streams if place.column in ids]
        if number < _INDEXED:
            features["flags"] |= set(_of_streams(stripe, places, nodes))
        for node in nodes:
            if node.kind is not TypeKind.STRUCT:
                features["encodings"].add(stripe.encodings[node.id][0].name)
        kinds = [place.kind for place in places if place.kind in _LISTED_KINDS and place.length]
        features["streams"] |= {kind.name for kind in kinds if kind is not None}
        if stripe.footer.writer_timezone not in (None, "UTC", "GMT"):
            features["flags"].add("zone")
            zone = zones.load(stripe.footer.writer_timezone)
            features["flags"] |= {"zone_changed"} if zone and zone.changed else set()
    return features


def _of_streams(stripe: Stripe, places: Iterable[StreamPlace], nodes: Iterable[TypeNode]) -> Iterator[str]:
    """Yield unusual features of the streams of some nodes in a stripe: empty chunks, unlisted streams."""
    data = {place.column for place in places if place.kind in _OF_VALUES}
    if any(node.kind is not TypeKind.STRUCT and node.id not in data for node in nodes):
        yield "unlisted_streams"
    for place in places:
        if place.kind is None:
            continue
        try:
            stream = stripe.stream(place.column, place.kind)
            if stream is not None and any(not chunk.length for chunk in stream.chunks):
                yield "empty_chunk"
        except ReferenceError_:
            continue


def _of_root(file: OrcFile) -> Iterator[str]:
    """Yield unusual features of the streams that say whether a row of the root is there."""
    for number in range(min(len(file.footer.stripes), _INDEXED)):
        try:
            stripe = file.stripe(number)
        except ReferenceError_:
            continue
        root = (place for place in stripe.streams if place.column == file.root.id)
        yield from _of_streams(stripe, [place for place in root if place.kind is StreamKind.PRESENT], ())


def _add_tail(flags: set[str], file: OrcFile) -> None:
    footer, postscript = file.footer, file.postscript
    rows = footer.number_of_rows or 0
    named = {
        "zero_rows": not rows,
        "zero_stripes": not footer.stripes,
        "stripes": len(footer.stripes) > 1,
        "empty_stripe": rows > 0 and any(not stripe.number_of_rows for stripe in footer.stripes),
        "root_not_struct": file.root.kind is not TypeKind.STRUCT,
        "user_metadata": bool(footer.metadata),
        "hive_0_11": tuple(postscript.version) == (0, 11),
        "julian": file.hybrid,
        "names_twice": any(len(type_.field_names) > len(set(type_.field_names)) for type_ in footer.types),
        "no_calendar": file.calendar is CalendarKind.UNKNOWN_CALENDAR,
        "encrypted": footer.encryption is not None,
        "no_file_statistics": not footer.statistics,
        "no_stripe_statistics": bool(footer.stripes) and not file.metadata.stripe_stats,
        "spark_types": any(pair.key == _SPARK for type_ in footer.types for pair in type_.attributes),
        "attributes": any(type_.attributes for type_ in footer.types),
        "truncated_statistics": any(map(_is_truncated, footer.statistics)),
    }
    flags |= {name for name, there in named.items() if there}


def _statistics(file: OrcFile, nodes: Sequence[TypeNode]) -> Iterator[tuple[TypeKind, ColumnStatistics]]:
    """Yield the statistics of some nodes in the file and in its stripes, each with its type."""
    of_stripes = (stripe.col_stats for stripe in file.metadata.stripe_stats[:_MAX_STRIPES])
    for messages in (file.footer.statistics, *of_stripes):
        yield from ((node.kind, messages[node.id]) for node in nodes if node.id < len(messages))


def _add_indexes(flags: set[str], file: OrcFile, stripe: int, nodes: Iterable[TypeNode]) -> None:
    """Add the parts that the row indexes of a stripe lack; an index that cannot be read is skipped."""
    for node in nodes:
        try:
            index = file.row_index(stripe, node.id)
        except ReferenceError_:
            continue
        if index is None:
            flags.add("no_row_index")
            continue
        for entry in index.entry:
            there = entry.statistics
            flags |= set(_unusual(node.kind, there)) if there else {"no_counts", "no_bounds"}


def _unusual(kind: TypeKind, message: ColumnStatistics) -> Iterator[str]:
    """Yield unusual features of statistics: no number of values, no bounds, bounds that readers misread."""
    if message.number_of_values is None:
        yield "no_counts"
    bounded = kind in statistics.BOUNDED and message.number_of_values != 0
    if bounded and statistics.read(kind, message).low is None:
        yield "no_bounds"
    text = message.string_statistics
    if text is not None and any(character >= _HIGH for bound in _bounds(text) for character in bound):
        yield "high_characters"
    time = message.timestamp_statistics
    if time is not None and any(bound < 0 and bound % 1_000 for bound in _milliseconds(time)):
        yield "early_fraction"


def _milliseconds(time: TimestampStatistics) -> Iterator[int]:
    bounds = (time.minimum, time.maximum, time.minimum_utc, time.maximum_utc)
    return (bound for bound in bounds if bound is not None)


def _bounds(text: StringStatistics) -> Iterator[str]:
    bounds = (text.minimum, text.maximum, text.lower_bound, text.upper_bound)
    return (bound for bound in bounds if bound is not None)


def _is_truncated(message: ColumnStatistics) -> bool:
    text = message.string_statistics
    return text is not None and (text.lower_bound is not None or text.upper_bound is not None)
