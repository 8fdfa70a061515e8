"""The parts of an ORC file that do not depend on the compression of its chunks.

A plan always gives the same bytes, except that another version of a compression library may compress a chunk
differently. The comparison covers decompressed messages and streams; it leaves out lengths, places and
positions, which follow from the bytes of chunks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import StreamKind
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.orc.stripe import Stripe
from reference_impl.wire import protobuf


def parts(data: bytes) -> Iterator[Any]:
    """Yield the parts of a file that are compared; raises the reader's errors."""
    file = OrcFile(data)
    yield protobuf.encode(replace(file.postscript, footer_length=0, metadata_length=0))
    stripes = tuple(
        replace(stripe, offset=0, index_length=0, data_length=0, footer_length=0)
        for stripe in file.footer.stripes
    )
    statistics = tuple(map(_bare, file.footer.statistics))
    yield protobuf.encode(replace(file.footer, content_length=0, stripes=stripes, statistics=statistics))
    for stripe in file.metadata.stripe_stats:
        yield [_bare(column) for column in stripe.col_stats]
    for number in range(len(stripes)):
        yield from _stripe(file, file.stripe(number))


def _stripe(file: OrcFile, stripe: Stripe) -> Iterator[Any]:
    streams = tuple(replace(stream, length=0) for stream in stripe.footer.streams)
    yield protobuf.encode(replace(stripe.footer, streams=streams))
    for place in stripe.streams:
        stream = stripe.stream(place.column, place.kind) if place.kind is not None else None
        if place.kind is StreamKind.ROW_INDEX:
            index = file.row_index(stripe.number, place.column)
            entries = index.entry if index is not None else ()
            yield [(len(entry.positions), entry.statistics) for entry in entries]
        elif stream is not None:
            yield bytes(stream.data), [chunk.original for chunk in stream.chunks]


def _bare(column: ColumnStatistics) -> ColumnStatistics:
    return replace(column, bytes_on_disk=None)
