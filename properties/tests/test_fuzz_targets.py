"""Every fuzz target holds over its seeds, over mutants of them, and over stored inputs that once broke it."""

import random
import sys
from importlib import import_module
from pathlib import Path

import pytest

import corpora
from properties.fuzz import bounds, crashes, targets

STORED = Path(corpora.__path__[0], "fuzz")
MUTANTS = 150
SCREEN = 100  # lines, comments and imports included
LONGEST = 4096
SAMPLE = 12  # seeds, the longest
OURS = Path(corpora.__path__[0]).parent
NAMES = targets.names()
TABLED = {name for names in targets.TABLES.values() for name in names}


def mutants(seeds, count, dice):
    """Seeds with bytes and bits changed, put in, taken out and repeated."""
    for _ in range(count):
        data = bytearray(dice.choice(seeds))
        for _ in range(dice.choice((1, 1, 2, 4))):
            at = dice.randrange(len(data) + 1)
            kind = dice.randrange(4)
            if kind == 0:
                data[at : at + 1] = bytes([dice.randrange(256)])
            elif kind == 1:
                data[at : at + 1] = bytes(byte ^ 1 << dice.randrange(8) for byte in data[at : at + 1])
            elif kind == 2:
                del data[at : at + dice.randrange(1, 9)]
            else:
                data[at:at] = data[at : at + dice.randrange(1, 17)]
        yield bytes(data[:LONGEST])


@pytest.fixture(scope="module", params=NAMES)
def target(request):
    """Each target in turn."""
    return targets.load(request.param)


def test_form(target):
    """A target has its name, a summary and an invariant; its module fits on a screen."""
    assert target.__doc__
    if target.NAME in TABLED:
        assert target.invariant.endswith(".")
        return
    text = Path(target.__file__).read_text("utf-8")
    assert text.startswith("# ")
    assert target.__name__.rpartition(".")[2] == target.NAME
    if target.NAME != "parquet_levels":  # its schemas and its walk take more
        assert text.count("\n") <= SCREEN


@pytest.mark.parametrize("module", targets.TABLES)
def test_tables(module):
    """The names that are listed of a table are those of its targets, each with a check of its own."""
    table = import_module(f"properties.fuzz.{module}").TABLE
    assert set(targets.TABLES[module]) == table.keys()
    assert [target.NAME for target in table.values()] == list(table)
    assert len({target.check for target in table.values()}) == len(table)


def test_seeds_and_mutants(target):
    """Nothing leaves the check of a target for a seed or a mutant, in bounded time and memory."""
    seeds = list(target.seeds())
    assert seeds
    check = bounds.Watch(target.check, sampled=8)
    dice = random.Random(target.NAME)
    mutate = getattr(target, "mutate", None)
    structured = (mutate(dice.choice(seeds), dice) for _ in range(MUTANTS)) if mutate else ()
    for data in (b"", *seeds, *mutants(seeds, MUTANTS, dice), *structured):
        check(data)


def entered(check, data):
    """Return the functions of ours that a check enters."""
    functions = set()

    def note(frame, event, _argument):
        if event == "call" and Path(frame.f_code.co_filename).is_relative_to(OURS):
            functions.add(frame.f_code)

    sys.setprofile(note)
    try:
        check(data)
    finally:
        sys.setprofile(None)
    return functions


@pytest.mark.sweep(3)
def test_some_seeds_are_read(target):
    """Seeds are what a target reads: the check of a seed goes further than that of no bytes."""
    seeds = sorted(set(target.seeds()), key=len)
    empty = entered(target.check, b"")
    assert sum(bool(entered(target.check, seed) - empty) for seed in seeds[-SAMPLE:]) >= 5


@pytest.mark.parametrize(
    "path", sorted(STORED.glob("*/*")), ids=lambda path: f"{path.parent.name}-{path.name[:8]}"
)
def test_stored_inputs(path):
    """An input that once broke a target no longer does."""
    bounds.Watch(targets.load(path.parent.name).check, sampled=1)(path.read_bytes())


def test_stored_inputs_are_of_targets():
    """Each folder of stored inputs is named after a target, and each input after its digest."""
    stored = list(STORED.glob("*/*"))
    assert stored
    assert {path.parent.name for path in stored} == {path.name for path in STORED.iterdir()}
    assert {path.parent.name for path in stored} <= set(NAMES)
    assert [path.name for path in stored] == [crashes.digest_of(path.read_bytes()) for path in stored]


def test_unknown():
    """A name that no target has is an error that lists those there are."""
    with pytest.raises(targets.UnknownTarget, match="tagged"):
        targets.load("nonsense")
