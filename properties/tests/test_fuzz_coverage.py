"""Which branches of instrumented code inputs reach."""

import sys
from importlib import import_module

import pytest

from properties.fuzz import coverage

atheris = pytest.importorskip("atheris", reason="atheris is not installed")
Instrumentor = pytest.importorskip("atheris.instrument_bytecode").Instrumentor
SOURCE = """
def sign(number):
    if number < 0:
        return -1
    for _ in range(number):
        pass
    return 1
"""


@pytest.fixture
def sign(tmp_path, monkeypatch):
    """Return a function that is instrumented, and its branches."""
    package = tmp_path / "instrumented_here"
    package.mkdir()
    (package / "__init__.py").write_text(SOURCE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with coverage.instrumenting({"instrumented_here"}, set()) as branches:
        module = import_module("instrumented_here")
    branches.report()
    yield module.sign, branches
    del sys.modules["instrumented_here"]


@pytest.fixture
def reached(sign, monkeypatch):
    """Return a function that returns the branches that are reported after numbers."""
    function, branches = sign
    reports = []
    monkeypatch.setattr(atheris, "_trace_branch", reports.append)

    def of(*numbers):
        reports.clear()
        for number in numbers:
            function(number)
        branches.report()
        return list(reports)

    return of


def test_each_branch_is_reported_once(reached):
    """Values that take other branches have other reports; a loop is one branch however often it runs."""
    negative, positive = reached(-1), reached(3)
    assert set(negative) - set(positive)
    assert set(positive) - set(negative)
    assert reached(300) == positive
    assert len(set(positive)) == len(positive)
    assert reached() == []


def test_common_branches_are_reported_no_more(reached, monkeypatch):
    """A branch that many inputs reached is left out; one that is new is not."""
    monkeypatch.setattr(coverage, "_COMMON", 3)
    first, *others = [reached(1) for _ in range(4)]
    assert first
    assert others == [first, first, []]
    assert reached(-1)


def test_atheris_instruments_as_before_outside(sign):
    """Instrumented code does the same, and atheris has its own instructions back after the context."""
    function, _ = sign
    assert [function(number) for number in (-5, 0, 5)] == [-1, 1, 1]
    assert Instrumentor._generate_trace_branch_invocation.__module__ == Instrumentor.__module__
