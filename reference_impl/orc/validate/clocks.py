"""Other readings of old timestamps, with which a writer's statistics may agree (see `zones`)."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from reference_impl.orc import zones
from reference_impl.orc.encodings import timestamp
from reference_impl.orc.schema import StreamKind, TypeKind
from reference_impl.orc.validate.scan import Scanned


def other_readings(column: Scanned) -> list[NDArray[Any]]:
    """Return the values of a TIMESTAMP by each other reading of its zone; often none."""
    if column.node.kind is not TypeKind.TIMESTAMP or column.values is None or not len(column.values):
        return []
    zone = zones.load(column.stripe.footer.writer_timezone or column.file.zone)
    assert zone is not None  # the values were read in this zone
    stored = column.source.runs[StreamKind.DATA] + zone.epoch
    instants = timestamp.seconds(stored, column.values["nanos"])
    readings = []
    for offsets in zone.others(instants):
        values = column.values.copy()
        values["seconds"] = instants + offsets
        readings.append(values)
    return readings
