"""Wall clocks before a zone's first transition, in files by ORC Java whose true values are known."""

# ruff: noqa: ARG002 - hooks of a tamper get more than these need.

from __future__ import annotations

import base64
import math
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
import pytest

from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import Bloom, Column, FilePlan
from reference_impl.orc.pushdown import Test, candidates
from reference_impl.orc.schema import Type, TypeKind
from reference_impl.orc.tamper import Tamper
from reference_impl.orc.validate import validate
from reference_impl.orc.writer import write
from reference_impl.orc.zones import load

# What ORC Java 2.3.0 wrote in each zone, with statistics and a Bloom filter; all begin alike.
BEGIN = (
    "T1JDEQAACgYSBAgFUABEAADjUuRiYwADIXEOVi9Bif/rV7Rtu8OosOHC4m2TYgwYAxgArgAA45rKxsEiNYGNgUTACFfv0IBTqwNY"
    "BkJCFTGhKmbBqZdUCQVSNZCiHs3VpGiFqaXcfQLkWIumBxFtRBrmgEOdAwPIKFyyqJrQHd6Aw0xMYQVMIfqIcAAAMQAA9gT/tdfl"
    "JuLXxucEN5JiTwDI"
)
FILES = {
    "America/Los_Angeles": (
        "D6DhPhKfEQAAXgEAABitAAB8AADjYuNgE2CQ4OYC0YwSqkCaA0hHAWlGIC0NpFmBNLcQEweDEAsHkwSjlLBjbmpRZnKivk9+cbxj"
        "XnpqTmoxAEcAAAohCgQIBVAAChkIBUoRGP+vqIa23AEgsNCjtpJcMAFQAFgmowAACAMQ9AEaCwgDEIoBGCYgQSgFIggIDBIBARoB"
        "eCICCAkwBToECAVQADoZCAVKERj/r6iGttwBILDQo7aSXDABUABYJkDoB0gAWAJiBTIuMy4wCFQQARiAgBAiAgAMKCYwCYL0AwNP"
        "UkMX"
    ),
    "America/Chicago": (
        "D6DhPhKfEQAAXgEAABitAAByAADjYuNgE2CQ4OYC0YwSqkCaA0hHAWlGIC0NpFmBNLcQEweDEAsHkwSjFL9jbmpRZnKivnMGkEzP"
        "BwBHAAAKIQoECAVQAAoZCAVKERj/r6iGttwBILDQo7aSXDABUABYJqMAAAgDEO8BGgsIAxCKARgmIDwoBSIICAwSAQEaAXgiAggJ"
        "MAU6BAgFUAA6GQgFShEY/6+ohrbcASCw0KO2klwwAVAAWCZA6AdIAFgCYgUyLjMuMAhUEAEYgIAQIgIADCgmMAmC9AMDT1JDFw=="
    ),
    "Asia/Shanghai": (
        "DknhPhP2EQAAXgEAABitAABwAADjYuNgE2CQ4OYC0YwSqkCaA0hHAWlGIC0NpFmBNLcQEweDEAsHkwSjFK9jcWaifnBGYl56RmIm"
        "AEcAAAohCgQIBVAAChkIBUoRGP+vqIa23AEgsNCjtpJcMAFQAFgmowAACAMQ7gEaCwgDEIoBGCYgOygFIggIDBIBARoBeCICCAkw"
        "BToECAVQADoZCAVKERj/r6iGttwBILDQo7aSXDABUABYJkDoB0gAWAJiBTIuMy4wCFQQARiAgBAiAgAMKCYwCYL0AwNPUkMX"
    ),
    "Asia/Kolkata": (
        "EbLhPhCNEQAAXgEAABitAABuAADjYuNgE2CQ4OYC0YwSqkCaA0hHAWlGIC0NpFmBNLcQEweDEAsHkwSjFI9jcWaivnd+TnZiSSIA"
        "RwAACiEKBAgFUAAKGQgFShEY/6+ohrbcASCw0KO2klwwAVAAWCajAAAIAxDtARoLCAMQigEYJiA6KAUiCAgMEgEBGgF4IgIICTAF"
        "OgQIBVAAOhkIBUoRGP+vqIa23AEgsNCjtpJcMAFQAFgmQOgHSABYAmIFMi4zLjAIVBABGICAECICAAwoJjAJgvQDA09SQxc="
    ),
    "Europe/Dublin": (
        "FZHhPgyuEQAAXgEAABitAABwAADjYuNgE2CQ4OYC0YwSqkCaA0hHAWlGIC0NpFmBNLcQEweDEAsHkwSjFK9raVF+Qaq+S2lSTmYe"
        "AEcAAAohCgQIBVAAChkIBUoRGP+vqIa23AEgsNCjtpJcMAFQAFgmowAACAMQ7gEaCwgDEIoBGCYgOygFIggIDBIBARoBeCICCAkw"
        "BToECAVQADoZCAVKERj/r6iGttwBILDQo7aSXDABUABYJkDoB0gAWAJiBTIuMy4wCFQQARiAgBAiAgAMKCYwCYL0AwNPUkMX"
    ),
}
TRUE = (
    *("1850-01-01 00:00:00", "1870-06-15 12:34:56.789", "1899-12-31 12:00:00"),
    *("1900-06-01 06:00:00", "2020-02-29 23:59:59"),
)


def java(zone):
    """Return the file that ORC Java wrote."""
    return base64.b64decode("".join(BEGIN) + "".join(FILES[zone]))


def wall(text):
    """Return a wall clock in seconds since 1970."""
    return math.floor(datetime.fromisoformat(f"{text}+00:00").timestamp())


def read(file):
    """Return the seconds of the only column."""
    return file.read().columns[0].values["seconds"].tolist()


def left(file, *constants):
    """Return the rows that are left where the column equals one of some wall clocks."""
    values = [(seconds, nanos) for seconds in constants for nanos in (0, 789_000_000)]
    return candidates(file, 0, 1, Test(file.root.children[0], "in", values, "ieee"))


@pytest.mark.parametrize("zone", FILES)
def test_java_breaks_no_rule(zone):
    """Statistics and Bloom filters agree with the values by Java's reading; that is not forbidden."""
    assert validate(java(zone)) == []


@pytest.mark.parametrize("zone", FILES)
def test_a_reading_of_the_zone_is_the_truth(zone):
    """What Java meant is among the readings of the zone, and since 1900 the own one."""
    found, rules = read(OrcFile(java(zone))), load(zone)
    true = [wall(text) for text in TRUE]
    assert found[-2:] == true[-2:]
    assert found[:2] != true[:2]
    for shown, meant in zip(found, true, strict=True):
        instants = shown - np.unique(rules.offsets_at)
        instants = instants[instants + rules.offsets(instants) == shown]
        readings = {int(one) for offsets in rules.others(instants) for one in instants + offsets}
        assert meant in readings | {shown}


@pytest.mark.parametrize("zone", FILES)
def test_pushdown_loses_no_reading(zone):
    """The row is found by what this package reads, and by what Java wrote; others are skipped."""
    file = OrcFile(java(zone))
    for constant in {*read(file)[:3], *(wall(text) for text in TRUE)}:
        assert left(file, constant) == [(0, 5)], constant
    assert left(file, wall("1800-01-01 00:00:00")) == []
    assert left(file, wall("2021-01-01 00:00:00")) == []
    assert left(file, wall("1950-01-01 00:00:00")) == []  # by the Bloom filter


@dataclass(frozen=True)
class Moved(Tamper):
    """Moves the bounds of a column inwards, or takes all bits from its Bloom filters."""

    by: int = 0
    empty: bool = False

    def statistics(self, place, group, column):
        """Move both bounds."""
        times = column.timestamp_statistics
        moved = {name: getattr(times, name) for name in ("minimum", "minimum_utc") if times}
        moved = {name: bound + 1000 * self.by for name, bound in moved.items() if bound is not None}
        return replace(column, timestamp_statistics=times and replace(times, **moved))

    def bloom(self, place, index):
        """Empty the filters."""
        empty = [replace(one, utf8bitset=bytes(len(one.utf8bitset))) for one in index.bloom_filter]
        return replace(index, bloom_filter=tuple(empty)) if self.empty else index


@pytest.mark.parametrize(
    ("zone", "tamper", "rules"),
    [
        ("America/Los_Angeles", Moved(), set()),
        ("America/Los_Angeles", Moved(by=422), {"ORC-STATS-001"}),
        ("America/Los_Angeles", Moved(by=-422), set()),
        ("America/Los_Angeles", Moved(by=1), {"ORC-STATS-001"}),
        ("America/Los_Angeles", Moved(empty=True), {"ORC-BLOOM-001"}),
        ("UTC", Moved(by=1), {"ORC-STATS-001"}),
    ],
)
def test_what_no_reading_explains(zone, tamper, rules):
    """Bounds by another reading are right; by any other shift they are wrong, and so are filters."""
    root = Type(kind=TypeKind.STRUCT, subtypes=(1,), field_names=("x",))
    made = FilePlan(
        (root, Type(kind=TypeKind.TIMESTAMP)),
        (((wall("1850-01-01 00:00:00"), 0),), ((0, 0),)),
        writer_timezone=zone,
        columns=(Column(), Column(bloom=Bloom(words=4))),
    )
    broken = {found.rule for found in validate(write(made, tamper))}
    assert broken == rules


@pytest.mark.parametrize(
    ("zone", "assumed"),
    [
        ("America/Los_Angeles", [(-28_800, -2_717_640_000), (-28_800, -2_208_988_800)]),
        ("Asia/Shanghai", [(28_800, -2_177_481_943), (28_800, -2_208_988_800)]),
        ("Europe/Dublin", [(-1_521, -2_821_649_679), (3_600, -2_208_988_800), (0, -2_208_988_800)]),
        ("UTC", []),
        ("GMT+5:30", []),
    ],
)
def test_what_libraries_assume(zone, assumed):
    """The first standard offset until the first transition, and the last one until 1900."""
    assert list(load(zone).assumed) == assumed


def casablanca(*moments, tamper=Tamper()):  # noqa: B008 - a tamper that changes nothing is immutable
    """Return a file of a zone whose rules changed in 2026, with a Bloom filter."""
    plan = FilePlan(
        (Type(kind=TypeKind.STRUCT, subtypes=(1,), field_names=("x",)), Type(kind=TypeKind.TIMESTAMP)),
        tuple(((wall(text), 0),) for text in moments),
        writer_timezone="Africa/Casablanca",
        columns=(Column(), Column(bloom=Bloom(words=4))),
    )
    return write(plan, tamper)


@pytest.mark.parametrize(
    ("zone", "changed"),
    [
        ("Africa/Casablanca", (0, 3_600)),
        ("Antarctica/Casey", (28_800, 39_600)),
        ("America/Los_Angeles", ()),
        ("Europe/Berlin", ()),
        ("UTC", ()),
    ],
)
def test_zones_whose_rules_changed(zone, changed):
    """Where rules changed since 2018, databases differ about any offset since then."""
    assert load(zone).changed == changed


@pytest.mark.parametrize(
    ("year", "by", "rules"),
    [
        (2030, 3_600, set()),
        (2030, -3_600, {"ORC-STATS-017"}),
        (2030, 1_800, {"ORC-STATS-001"}),
        (2010, 3_600, {"ORC-STATS-001"}),
        (2010, -3_600, {"ORC-STATS-017"}),
    ],
)
def test_statistics_by_another_database(year, by, rules):
    """Bounds of a changed zone may be by any of its offsets since 2018, each by its own; before, by none."""
    raw = casablanca(f"{year}-01-01 00:00:00", f"{year}-08-01 00:00:00", tamper=Moved(by=by))
    assert {found.rule for found in validate(raw)} == rules


def test_pushdown_across_databases():
    """A row whose bounds are by another database is not lost; one that no reading explains is skipped."""
    displayed = "2030-01-01 00:00:00"
    for tamper in (Moved(by=3_600, empty=True), Moved(by=-3_600, empty=True)):
        file = OrcFile(casablanca(displayed, tamper=tamper))
        assert left(file, wall(displayed)) == [(0, 1)]
        assert left(file, wall("2030-01-02 00:00:00")) == []
