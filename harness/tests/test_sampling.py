"""Sweeps are sampled alike on every machine, of every kind, and run whole where that is asked for."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[2] / "conftest.py"
SWEEPS = """
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

@pytest.mark.sweep(3)
@pytest.mark.parametrize("number", range(10))
def test_some(number):
    pass

@pytest.mark.sweep(5, each="engine")
@pytest.mark.parametrize("engine", ["a", "b", "c"])
@pytest.mark.parametrize("number", range(4))
def test_of_each(engine, number):
    pass

@pytest.mark.parametrize("content", [b"short", bytes(17), bytes(18)])
def test_bytes(content):
    pass

def test_inside(some_of):
    print("some", *some_of(((str(number), number) for number in range(10)), 4))

def test_always():
    pass

MANY, FEW = [], []

@settings(max_examples=300)
@given(st.integers())
def test_many_examples(number):
    MANY.append(number)

@settings(max_examples=12)
@given(st.integers())
def test_few_examples(number):
    FEW.append(number)

def test_examples():
    print("some", len(MANY), len(FEW))

def test_bytecode():
    assert not sys.dont_write_bytecode
    code = "import sys; sys.exit(sys.dont_write_bytecode)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
"""
SOME = [0, 2, 5, 9]  # by digest, and so on every machine


RUNS = {
    "sample": ["test_it.py"],
    "whole": ["--whole", "test_it.py"],
    "0": ["test_it.py::test_some[0]"],
    "1": ["test_it.py::test_some[1]"],
}
# A process takes seconds to start, so one does all runs.
CODE = """
import contextlib, io, json, pytest, sys
texts = {}
for name, arguments in json.loads(sys.argv[1]).items():
    sys.modules.pop("test_it", None)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert pytest.main(["-p", "no:cacheprovider", "-vs", *arguments]) == 0, out.getvalue()
    texts[name] = out.getvalue()
json.dump(texts, sys.stdout)
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Return for each run the ids of what ran, and what was printed."""
    folder = tmp_path_factory.mktemp("sweeps")
    (folder / "conftest.py").write_bytes(CONFTEST.read_bytes())
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = sweep: a sweep\n")
    (folder / "test_it.py").write_text(SWEEPS)
    done = subprocess.run(
        [sys.executable, "-c", CODE, json.dumps(RUNS)],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    found = {}
    for name, text in json.loads(done.stdout).items():
        lines = text.splitlines()
        ids = [line.split()[0].partition("::")[2] for line in lines if line.startswith("test_it.py::")]
        found[name] = ids, [line.partition("some ")[2] for line in lines if "some " in line]
    return found


@pytest.mark.heavy
def test_a_sample(ran):
    """Of a sweep a share runs, of each value of `each` at least one; what is no sweep runs."""
    ids, inside = ran["sample"]
    assert [one for one in ids if one.startswith("test_some[")] == [f"test_some[{number}]" for number in SOME]
    of_each = [one for one in ids if one.startswith("test_of_each[")]
    assert sorted(one.rpartition("-")[2] for one in of_each) == ["a]", "b]", "c]"]
    assert {"test_inside", "test_always"} <= set(ids)
    assert len(inside[0].split()) == 3


def test_long_bytes(ran):
    """Long bytes, which may hold the time they were made at, are not in the name of a test."""
    ids, _ = ran["sample"]
    assert [name for name in ids if name.startswith("test_bytes")] == [
        "test_bytes[short]",
        "test_bytes[content0]",
        "test_bytes[content1]",
    ]


def test_whole(ran):
    """Everything runs with `--whole`: nothing is left out for good."""
    ids, inside = ran["whole"]
    assert len(ids) == 10 + 12 + 3 + 6
    assert inside[0] == "0 1 2 3 4 5 6 7 8 9"


def test_examples(ran):
    """Hypothesis draws an eighth of a test's examples, at least five, and with `--whole` all of them."""
    assert ran["sample"][1][1] == "37 5"
    assert ran["whole"][1][1] == "300 12"


@pytest.mark.parametrize("number", [0, 1])
def test_what_is_asked_for_by_name_runs(ran, number):
    """A parameter that is named runs, whether the sample has it or not."""
    ids, _ = ran[str(number)]
    assert ids == [f"test_some[{number}]"]


def test_children_find_bytecode(ran):
    """Processes that a test starts find the bytecode of what they import, whatever the environment says."""
    ids, _ = ran["whole"]
    assert "test_bytecode" in ids
    assert not sys.dont_write_bytecode


def test_all_items_that_fail_are_named(for_each):
    """What checks many items in one test goes on behind one that fails, and names all that do."""

    def check(number):
        assert number % 2

    with pytest.raises(ExceptionGroup) as caught:
        for_each([(f"n{number}", number) for number in range(4)], check)
    assert [error.__notes__ for error in caught.value.exceptions] == [["item: n0"], ["item: n2"]]
    for_each([("n1", 1)], check)
