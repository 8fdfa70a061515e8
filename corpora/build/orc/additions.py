"""Legal content that plans cannot express: tampers that add it while the file is written."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from corpora.build.orc.runs import WIDTHS
from reference_impl.bits import zigzag
from reference_impl.orc.schema import Footer, PostScript, StripeFooter, StripeInformation
from reference_impl.orc.statistics_schema import ColumnStatistics, GeospatialStatistics
from reference_impl.orc.tamper import Place, Tamper
from reference_impl.wire.table import Struct

S = TypeVar("S", bound="Struct")
DIRECT, DELTA = 1, 3


@dataclass(frozen=True)
class Streams(Tamper):
    """Replaces streams by other bytes that encode the same values differently."""

    data: Mapping[Place, bytes]

    def stream(self, place: Place, data: bytes) -> bytes:
        """Replace a stream."""
        return self.data.get(place, data)


@dataclass(frozen=True)
class Geospatial(Tamper):
    """Adds geospatial statistics to all statistics of column `x`."""

    geospatial: GeospatialStatistics

    def statistics(self, place: Place, group: int | None, column: ColumnStatistics) -> ColumnStatistics:
        """Add the statistics."""
        del group
        return replace(column, geospatial_statistics=self.geospatial) if place.column else column


@dataclass(frozen=True)
class Without(Tamper):
    """Leaves out fields, given by message: fields with the value 0, and any field of the postscript."""

    fields: Mapping[str, Sequence[str]]

    def stripe_footer(self, stripe: int, footer: StripeFooter) -> StripeFooter:
        """Leave out fields of streams and encodings."""
        del stripe
        streams = tuple(self._without("Stream", stream) for stream in footer.streams)
        columns = tuple(self._without("ColumnEncoding", encoding) for encoding in footer.columns)
        return replace(footer, streams=streams, columns=columns)

    def stripe_information(self, number: int, information: StripeInformation) -> StripeInformation:
        """Leave out fields of a stripe's information."""
        del number
        return self._without("StripeInformation", information)

    def footer(self, footer: Footer) -> Footer:
        """Leave out fields of the footer."""
        return self._without("Footer", footer)

    def postscript(self, postscript: PostScript) -> PostScript:
        """Leave out fields of the postscript."""
        without: dict[str, Any] = dict.fromkeys(self.fields.get("PostScript", ()))
        return replace(postscript, **({**without, "version": ()} if "version" in without else without))

    def _without(self, name: str, message: S) -> S:
        zeros = [field for field in self.fields.get(name, ()) if not getattr(message, field)]
        nothing: dict[str, Any] = dict.fromkeys(zeros)
        return replace(message, **nothing)


def direct(values: Sequence[int], width: int) -> bytes:
    """Return a direct run of signed values in the given width."""
    return _head(DIRECT, width, len(values)) + packed([_zigzag(value) for value in values], width)


def delta(values: Sequence[int], width: int) -> bytes:
    """Return a delta run of signed values, with the deltas after the first in the given width."""
    steps = [abs(later - former) for former, later in itertools.pairwise(values)]
    head = _head(DELTA, width, len(values)) + zigzag(values[0]) + zigzag(values[1] - values[0])
    return head + packed(steps[1:], width)


def packed(numbers: Sequence[int], width: int) -> bytes:
    """Return numbers of `width` bits each, big-endian, padded to a byte."""
    text = "".join(f"{number:0{width}b}" for number in numbers)
    text += "0" * (-len(text) % 8)
    return int(text, 2).to_bytes(len(text) // 8, "big") if text else b""


def _head(kind: int, width: int, length: int) -> bytes:
    return (kind << 14 | WIDTHS.index(width) << 9 | length - 1).to_bytes(2, "big")


def _zigzag(value: int) -> int:
    return -2 * value - 1 if value < 0 else 2 * value
