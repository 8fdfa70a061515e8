"""Time zones of writers: what the wall clock shows, beyond the years that Python knows."""

from __future__ import annotations

import random
import zoneinfo
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from reference_impl.orc.zones import is_of_java, load

YEAR_2, YEAR_9999 = -62_100_000_000, 253_370_000_000
NAMES = ("America/Los_Angeles", "US/Pacific", "Asia/Kolkata", "Europe/Dublin", "Australia/Lord_Howe", "GMT")
UNUSUAL = ("America/Nuuk", "Africa/Casablanca", "Asia/Gaza", "Pacific/Apia", "EST5EDT", "Etc/GMT+12")


@pytest.fixture(autouse=True)
def only_the_package():
    """Python's own zones from the package tzdata as well, not from the machine."""
    before = zoneinfo.TZPATH
    zoneinfo.reset_tzpath(())
    zoneinfo.ZoneInfo.clear_cache()
    yield
    zoneinfo.reset_tzpath(before)
    zoneinfo.ZoneInfo.clear_cache()


@pytest.mark.parametrize("name", NAMES + UNUSUAL)
def test_offsets_are_those_of_zoneinfo(name):
    """At any instant of the years 2 to 9999, the offset is what Python finds."""
    rng = random.Random(name)
    instants = [rng.randrange(YEAR_2, YEAR_9999) for _ in range(150)]
    instants += [rng.randrange(-3_000_000_000, 4_500_000_000) for _ in range(150)]
    zone = zoneinfo.ZoneInfo(name)
    start = datetime(1970, 1, 1, tzinfo=UTC)
    known = [(start + timedelta(seconds=at)).astimezone(zone).utcoffset().total_seconds() for at in instants]
    assert load(name).offsets(np.array(instants, np.int64)).tolist() == known


def test_transitions_to_the_second():
    """Summer begins and ends at the second that the rule says, in 2015 and 400 and 4,000,000 years later."""
    zone = load("America/Los_Angeles")
    for cycles in (0, 1, 10_000):
        begin = 1_425_808_800 + cycles * 146_097 * 86_400  # 2015-03-08 02:00 PST
        end = 1_446_368_400 + cycles * 146_097 * 86_400  # 2015-11-01 02:00 PDT
        found = zone.offsets(np.array([begin - 1, begin, end - 1, end], np.int64))
        assert found.tolist() == [-28_800, -25_200, -25_200, -28_800]


def test_the_ends_of_time():
    """Before the first transition its first type counts; the offsets of 64 bits do not wrap."""
    found = load("America/Los_Angeles").offsets(np.array([-(1 << 62), 1 << 62], np.int64))
    assert found.tolist()[0] == -28_378  # local mean time
    assert found.tolist()[1] in (-28_800, -25_200)


@pytest.mark.parametrize(
    ("name", "epoch"),
    [
        ("UTC", 1_420_070_400),
        ("America/Los_Angeles", 1_420_099_200),
        ("Asia/Kolkata", 1_420_050_600),
        ("Australia/Sydney", 1_420_030_800),
        ("GMT+5:30", 1_420_050_600),
        ("GMT-08:00", 1_420_099_200),
        ("UTC+1", 1_420_066_800),
    ],
)
def test_when_2015_began(name, epoch):
    """The epoch is the first of January 2015 on the writer's clock, in winter and in the south."""
    assert load(name).epoch == epoch


@pytest.mark.parametrize(("name", "same"), [("PST", "US/Pacific"), ("IST", "Asia/Kolkata"), ("EST", "EST")])
def test_ids_of_java(name, same):
    """Ids of three letters that Java's writers may state are zones of the database under another name."""
    zone, other = load(name), load(same)
    instants = np.arange(-3_000_000_000, 3_000_000_000, 10_000_000)
    assert (zone.name, zone.epoch) == (name, other.epoch)
    assert (zone.offsets(instants) == other.offsets(instants)).all()


def test_names_that_java_alone_knows():
    """Custom zones and short ids are Java's; names of the database, such as EST, are not."""
    assert [name for name in ("PST", "GMT+5:30", "EST", "GMT", "Nowhere", "") if is_of_java(name)] == [
        "PST",
        "GMT+5:30",
    ]


@pytest.mark.parametrize(
    "name", ["", "Nowhere", "../etc/passwd", "US", "America/", "/UTC", "GMT+24", "zones"]
)
def test_no_such_zone(name):
    """What is no zone is none; no name leads out of the database."""
    assert load(name) is None


@pytest.mark.parametrize("name", ["Asia/Kolkata" * 50, "a" * 300, "a/" * 5000 + "a"])
def test_names_longer_than_files_have(name):
    """A name that no file system takes is that of no zone, not an error of the system."""
    assert load(name) is None
