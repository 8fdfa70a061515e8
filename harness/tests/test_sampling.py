"""Sweeps are sampled alike on every machine, of every kind, and run whole where that is asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[2] / "conftest.py"
SWEEPS = """
import pytest

@pytest.mark.sweep(3)
@pytest.mark.parametrize("number", range(10))
def test_some(number):
    pass

@pytest.mark.sweep(5, each="engine")
@pytest.mark.parametrize("engine", ["a", "b", "c"])
@pytest.mark.parametrize("number", range(4))
def test_of_each(engine, number):
    pass

def test_inside(some_of):
    print("some", *some_of(((str(number), number) for number in range(10)), 4))

def test_always():
    pass
"""
SOME = [0, 2, 5, 9]  # by digest, and so on every machine


@pytest.fixture
def ran(tmp_path):
    """Return a function that runs the sweeps and answers the ids of what ran, and what was printed."""
    (tmp_path / "conftest.py").write_bytes(CONFTEST.read_bytes())
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = sweep: a sweep\n")
    (tmp_path / "test_it.py").write_text(SWEEPS)

    def run(*arguments, tests="test_it.py"):
        line = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-vs", *arguments, tests]
        done = subprocess.run(line, cwd=tmp_path, check=True, capture_output=True, text=True)
        lines = done.stdout.splitlines()
        ids = [text.split()[0].partition("::")[2] for text in lines if text.startswith("test_it.py::")]
        return ids, [text for text in lines if "some " in text][-1:]

    return run


def test_a_sample(ran):
    """Of a sweep a share runs, of each value of `each` at least one; what is no sweep runs."""
    ids, inside = ran()
    assert [one for one in ids if one.startswith("test_some[")] == [f"test_some[{number}]" for number in SOME]
    of_each = [one for one in ids if one.startswith("test_of_each[")]
    assert sorted(one.rpartition("-")[2] for one in of_each) == ["a]", "b]", "c]"]
    assert {"test_inside", "test_always"} <= set(ids)
    assert len(inside[0].partition("some ")[2].split()) == 3


def test_whole(ran):
    """Everything runs with `--whole`: nothing is left out for good."""
    ids, inside = ran("--whole")
    assert len(ids) == 10 + 12 + 2
    assert inside[0].endswith("some 0 1 2 3 4 5 6 7 8 9")


@pytest.mark.parametrize("number", [0, 1])
def test_what_is_asked_for_by_name_runs(ran, number):
    """A parameter that is named runs, whether the sample has it or not."""
    name = f"test_some[{number}]"
    ids, _ = ran(tests=f"test_it.py::{name}")
    assert ids == [name]
