"""Bugs in moments: ORCv1.md, Timestamp Columns."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import ORC, Plant

_Plant = partial(Plant, clause="ORCv1.md, Timestamp Columns", format=ORC)
_leaves = partial(_Plant, module="reference_impl.orc.readers.leaves")
_timestamp = partial(_Plant, module="reference_impl.orc.encodings.timestamp")
_zones = partial(_Plant, module="reference_impl.orc.zones")

PLANTS = (
    _timestamp(
        "borrow-lost",
        "seconds before 1970, which the writer truncated towards 0, are not corrected",
        old="return stored - ((stored < 0) & (nanos > _ONE_SECOND_OFF))",
        new="return stored",
    ),
    _timestamp(
        "borrow-of-any-nanoseconds",
        "a second is subtracted before 1970 for any nanoseconds, not only from a millisecond on",
        old="(nanos > _ONE_SECOND_OFF)",
        new="(nanos > 0)",
    ),
    _leaves(
        "borrow-after-zone",
        "a second is subtracted if the writer's wall clock, instead of the UTC time, is before 1970",
        old="timestamp.seconds(seconds + epoch, nanos)",
        new="timestamp.seconds(seconds + timestamp.EPOCH, nanos) + epoch - timestamp.EPOCH",
    ),
    _timestamp(
        "nanos-scale",
        "nanoseconds get as many zeros as the code says, instead of one more",
        old="*(10 ** (code + 1) for code",
        new="*(10 ** code for code",
    ),
    _timestamp(
        "nanos-code-ignored",
        "removed trailing zeros of nanoseconds are not restored",
        old="nanos: NDArray[np.int64] = digits * factors",
        new="nanos: NDArray[np.int64] = digits",
    ),
    _leaves(
        "epoch-of-utc",
        "seconds count from 2015-01-01 in UTC, whatever the writer's time zone",
        old="_moments(source, count, loaded.epoch)",
        new="_moments(source, count, timestamp.EPOCH)",
    ),
    _leaves(
        "zone-without-summer",
        "a time zone always has its offset of 2015-01-01, also in summer",
        old='loaded.offsets(moments["seconds"])',
        new="loaded.offsets(np.full(count, loaded.epoch))",
    ),
    _zones(
        "zone-ends",
        "a time zone keeps its last listed offset, and its rule for later years is ignored",
        old='if match is None or match["start"] is None:',
        new='if match is None or match["std"]:',
    ),
    _zones(
        "zone-before-first",
        "a time zone has offset 0 before its first transition",
        old="offsets = np.concatenate([of_kind[:1], of_kind[kinds]])",
        new="offsets = np.concatenate([of_kind[:1] * 0, of_kind[kinds]])",
    ),
    _leaves(
        "instants-in-zone",
        "a TIMESTAMP_INSTANT is converted to the writer's wall clock",
        old="if kind == TypeKind.TIMESTAMP:",
        new="if kind in (TypeKind.TIMESTAMP, TypeKind.TIMESTAMP_INSTANT):",
    ),
    _Plant(
        "moments-of-64-bits",
        "timestamps overflow, as nanoseconds in 64 bits",
        module="corpora.build.tagged_orc",
        old="[str(seconds * _NANOS + nanos) for",
        new="[str((seconds * _NANOS + nanos + (1 << 63)) % (1 << 64) - (1 << 63)) for",
    ),
)
