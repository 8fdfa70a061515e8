"""Every fuzz target holds over its seeds, over mutants of them, and over what was found once."""

import ast
import random
from pathlib import Path

import pytest

import corpora
from properties.fuzz import bounds, targets

FOUND = Path(corpora.__path__[0], "fuzz")
MUTANTS = 150
SCREEN = 100  # lines, comments and imports included
LONGEST = 4096
NAMES = targets.names()


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
    """A target is named as its module, opens with its invariant, and fits on a screen."""
    text = Path(target.__file__).read_text("utf-8")
    assert text.startswith("# ")
    assert target.__name__.rpartition(".")[2] == target.NAME
    assert ast.get_docstring(ast.parse(text))
    if target.NAME != "parquet_levels":  # its schemas and its walk take more
        assert text.count("\n") <= SCREEN


def test_seeds_and_mutants(target):
    """Nothing leaves the check of a target for a seed or a mutant, in bounded time and memory."""
    seeds = list(target.seeds())
    assert seeds
    check = bounds.Watch(target.check, sampled=8)
    dice = random.Random(target.NAME)
    mutate = getattr(target, "mutate", None)
    made = (mutate(dice.choice(seeds), dice) for _ in range(MUTANTS)) if mutate else ()
    for data in (b"", *seeds, *mutants(seeds, MUTANTS, dice), *made):
        check(data)


def test_some_seeds_are_read(target):
    """Seeds are what a target reads: one that no change of a byte matters to would fuzz nothing."""
    assert len(set(target.seeds())) >= 5


@pytest.mark.parametrize(
    "path", sorted(FOUND.glob("*/*")), ids=lambda path: f"{path.parent.name}-{path.name[:8]}"
)
def test_what_was_found_once(path):
    """An input that broke a target once breaks it no more."""
    bounds.Watch(targets.load(path.parent.name).check, sampled=1)(path.read_bytes())


def test_what_was_found_is_of_targets():
    """Each folder of stored inputs is named after a target."""
    assert {path.name for path in FOUND.iterdir()} <= set(NAMES) if FOUND.is_dir() else True


def test_unknown():
    """A name that no target has is an error that lists those there are."""
    with pytest.raises(targets.UnknownTarget, match="tagged"):
        targets.load("nonsense")
