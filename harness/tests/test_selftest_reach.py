"""The selftest tries those cases first that reach the place of a plant, and the others after them."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from corpora.build.formats import FORMATS
from corpora.cases import load
from harness.children.connection import Limits
from harness.investigate.selftest import planting
from harness.investigate.selftest.cases import Cases
from harness.investigate.selftest.hunt import Hunt, Hunter, search
from harness.investigate.selftest.plant import READ, REFUSAL
from harness.investigate.selftest.plants import PLANTS
from harness.investigate.selftest.reach import Reach
from harness.runs.pipeline.context import Context

LIMITS = Limits(seconds=30, memory_bytes=1 << 30)
PLAIN = "encoding/plain/int32/v1/required"
DELTA = "encoding/delta-binary-packed/int32/v1/required"
DELTA_PLANT = PLANTS["delta-minimum-unsigned"]


@pytest.fixture
def cases(tmp_path):
    """Return three cases: one of DELTA_BINARY_PACKED between two of PLAIN."""
    folder = FORMATS["parquet"].folder
    some = tuple(load(folder / f"{name}.json") for name in (PLAIN, DELTA, PLAIN))
    return Cases(Context(tmp_path, (), LIMITS, tmp_path, format="parquet"), {READ: some, REFUSAL: some})


@pytest.mark.sweep(2)
@pytest.mark.parametrize("shows", [READ, REFUSAL])
def test_a_case_reaches_the_places_of_what_it_holds(cases, shows):
    """A file in DELTA_BINARY_PACKED reaches the plants of that encoding, one in PLAIN does not."""
    hunter = Hunter(cases)
    reached = [hunter.reach.of(shows, number) for number in range(3)]
    hunter.reach.close()
    assert DELTA_PLANT.name in reached[1]
    assert DELTA_PLANT.name not in reached[0]
    assert reached[0] == reached[2]
    assert reached[0] & reached[1]


def test_a_case_is_asked_once_for_all_plants(cases):
    """What a case reaches is known from then on."""
    requests = []
    reach = Reach(cases, lambda _, case, __: requests.append(case.id))
    for _ in range(2):
        assert reach.of(READ, 1) == frozenset()
    reach.close()
    assert len(requests) == 1


def test_a_place_outside_of_functions_is_reached_by_all_that_follows(monkeypatch):
    """Importing a module reaches what stands outside of its functions for good, and calls reach the rest."""
    monkeypatch.setattr(planting, "ALWAYS", always := set())
    monkeypatch.setattr(planting, "SEEN", seen := set())
    source = "TABLE = {1: 2}\n\n\ndef get(key):\n    return TABLE[key]\n"
    plants = [
        replace(DELTA_PLANT, name="table", old="{1: 2}", new="{}"),
        replace(DELTA_PLANT, name="function", old="TABLE[key]", new="0"),
    ]
    space = {}
    exec(planting.marked(source, "toy.py", plants), space)
    assert (always, seen) == ({"table"}, {"table"})
    assert space["get"](1) == 2
    assert (always, seen) == ({"table"}, {"table", "function"})


def test_cases_that_reach_a_plant_come_first(cases, monkeypatch):
    """Cases that do not reach a plant are tried when all others are, and none twice."""
    tried = []
    hunter = Hunter(cases)
    hunter.reach.close()
    hunter.reach = SimpleNamespace(of=lambda _, number: {DELTA_PLANT.name} if number == 1 else set())
    monkeypatch.setattr(Hunter, "wrong", lambda *given: tried.append(given[2].id))
    hunt = Hunt(DELTA_PLANT)
    for stop in (48, 192, 768):
        hunter.look(hunt, stop, time.monotonic() + 60)
    assert tried == [f"parquet/{DELTA}", f"parquet/{PLAIN}", f"parquet/{PLAIN}"]
    assert (hunt.seen, hunt.later) == (3, [])


def test_a_plant_is_found_by_the_case_that_reaches_it(cases):
    """The search tries one case of three, which shows the plant."""
    (hunt,) = search(cases, [DELTA_PLANT], time.monotonic() + 300, 1, lambda _: None)
    assert hunt.wrong.case == f"parquet/{DELTA}"
    assert (hunt.tried, hunt.reached) == (1, True)
