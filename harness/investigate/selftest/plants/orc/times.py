"""Bugs in moments: ORCv1.md, Timestamp Columns."""

from __future__ import annotations

from functools import partial

from corpora.build.formats import ORC
from harness.investigate.selftest.plant import Plant

_Plant = partial(Plant, clause="ORCv1.md, Timestamp Columns", format=ORC.name)
_leaves = partial(_Plant, module="reference_impl.orc.readers.leaves")
_timestamp = partial(_Plant, module="reference_impl.orc.encodings.timestamp")
_zones = partial(_Plant, module="reference_impl.orc.zones")

PLANTS = (
    _timestamp(
        "borrow-lost",
        "seconds before 1970 that were truncated towards 0 are taken as they are",
        old="return stored - ((stored < 0) & (nanos > _ONE_SECOND_OFF))",
        new="return stored",
    ),
    _timestamp(
        "borrow-of-any-nanoseconds",
        "a second is taken off before 1970 wherever there are nanoseconds",
        old="(nanos > _ONE_SECOND_OFF)",
        new="(nanos > 0)",
    ),
    _leaves(
        "borrow-after-zone",
        "a second is taken off where the wall clock of the writer is before 1970",
        old="timestamp.seconds(seconds + epoch, nanos)",
        new="timestamp.seconds(seconds + timestamp.EPOCH, nanos) + epoch - timestamp.EPOCH",
    ),
    _timestamp(
        "nanos-scale",
        "as many zeros are put behind nanoseconds as the code says, not one more",
        old="*(10 ** (code + 1) for code",
        new="*(10 ** code for code",
    ),
    _timestamp(
        "nanos-code-ignored",
        "trailing zeros of nanoseconds are not put back",
        old="nanos: NDArray[np.int64] = digits * factors",
        new="nanos: NDArray[np.int64] = digits",
    ),
    _leaves(
        "epoch-of-utc",
        "seconds count from when 2015 began in UTC, wherever the writer was",
        old="_moments(source, count, loaded.epoch)",
        new="_moments(source, count, timestamp.EPOCH)",
    ),
    _leaves(
        "zone-without-summer",
        "a zone has the same offset all the time, that of 2015-01-01",
        old='loaded.offsets(moments["seconds"])',
        new="loaded.offsets(np.full(count, loaded.epoch))",
    ),
    _zones(
        "zone-ends",
        "a zone keeps its last offset for ever",
        old='if match is None or match["start"] is None:',
        new='if match is None or match["std"]:',
    ),
    _zones(
        "zone-before-first",
        "before its first transition a zone was at UTC",
        old="offsets = np.concatenate([of_kind[:1], of_kind[kinds]])",
        new="offsets = np.concatenate([of_kind[:1] * 0, of_kind[kinds]])",
    ),
    _leaves(
        "instants-in-zone",
        "a TIMESTAMP_INSTANT is moved to the wall clock of the writer",
        old="if kind == TypeKind.TIMESTAMP:",
        new="if kind in (TypeKind.TIMESTAMP, TypeKind.TIMESTAMP_INSTANT):",
    ),
    _Plant(
        "moments-of-64-bits",
        "moments are counted in nanoseconds of 64 bits",
        module="corpora.build.tagged_orc",
        old="[str(seconds * _NANOS + nanos) for",
        new="[str((seconds * _NANOS + nanos + (1 << 63)) % (1 << 64) - (1 << 63)) for",
    ),
)
