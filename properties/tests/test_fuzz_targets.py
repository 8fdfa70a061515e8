"""Every fuzz target holds for its seeds, for their mutants, and for stored inputs that once broke it."""

import random
import sys
from importlib import import_module
from pathlib import Path

import pytest

import corpora
from properties.fuzz import bounds, crashes, targets

STORED = Path(corpora.__path__[0], "fuzz")
MUTANTS = 150
LONGEST = 4096
SAMPLE = 12  # seeds: the longest, and as many of any size
OURS = str(Path(corpora.__path__[0]).parent)
NAMES = targets.names()


def mutants(seeds, count, dice):
    """Yield seeds with bytes and bits changed, inserted, removed and repeated."""
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
    """Return each target in turn."""
    return targets.load(request.param)


def test_form(target):
    """A target has a summary, in a sentence, and an invariant."""
    assert target.__doc__.endswith(".")
    assert target.invariant.endswith(".")


@pytest.mark.parametrize("module", targets.TABLES)
def test_tables(module):
    """A table has exactly the targets that are listed for it, each with its own check."""
    table = import_module(f"properties.fuzz.{module}").TABLE
    assert set(targets.TABLES[module]) == table.keys()
    assert [target.NAME for target in table.values()] == list(table)
    assert len({target.check for target in table.values()}) == len(table)


@pytest.mark.sweep(4)
def test_seeds_and_mutants(target, some_of, fewer):
    """The check of a target raises nothing for a seed or a mutant, in bounded time and memory."""
    seeds = list(target.seeds())
    assert seeds
    count = fewer(MUTANTS, 40)
    check = bounds.Watch(target.check, sampled=8)
    dice = random.Random(target.NAME)
    mutate = getattr(target, "mutate", None)
    structured = (mutate(dice.choice(seeds), dice) for _ in range(count)) if mutate else ()
    some = some_of(((str(number), seed) for number, seed in enumerate(seeds)), 6)
    for data in (b"", *some, *mutants(seeds, count, dice), *structured):
        check(data)


def entered(check, data):
    """Return the functions of this project that a check calls."""
    functions = set()

    def note(frame, event, _argument):
        if event == "call" and frame.f_code.co_filename.startswith(OURS):
            functions.add(frame.f_code)

    sys.setprofile(note)
    try:
        check(data)
    finally:
        sys.setprofile(None)
    return functions


@pytest.mark.sweep(12)
def test_some_seeds_are_read(target):
    """The check of a seed calls more functions than the check of an empty input."""
    seeds = sorted(set(target.seeds()), key=len)
    empty = entered(target.check, b"")
    some = {*seeds[-SAMPLE:], *seeds[:: max(1, len(seeds) // SAMPLE)]}
    assert sum(bool(entered(target.check, seed) - empty) for seed in some) >= 5


@pytest.mark.parametrize(
    "path", sorted(STORED.glob("*/*")), ids=lambda path: f"{path.parent.name}-{path.name[:8]}"
)
def test_stored_inputs(path):
    """An input that once broke a target no longer breaks it."""
    bounds.Watch(targets.load(path.parent.name).check, sampled=1)(path.read_bytes())


def test_stored_inputs_are_of_targets():
    """Each folder of stored inputs is named after a target, and each input after its digest."""
    stored = list(STORED.glob("*/*"))
    assert stored
    assert {path.parent.name for path in stored} == {path.name for path in STORED.iterdir()}
    assert {path.parent.name for path in stored} <= set(NAMES)
    assert [path.name for path in stored] == [crashes.digest_of(path.read_bytes()) for path in stored]


def test_unknown():
    """The error of an unknown name lists the targets."""
    with pytest.raises(targets.UnknownTarget, match="tagged"):
        targets.load("nonsense")
