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


def nested(number):
    def inner():
        return [each if each > 1 else -each for each in range(number)]

    return inner


def long(number):
    total = 0
"""
SOURCE += "".join(f"    total += {each}.5 if number > {each} else 0\n" for each in range(100))
SOURCE += "    return total\n"


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
    yield module.sign, branches, module
    del sys.modules["instrumented_here"]


@pytest.fixture
def reached(sign, monkeypatch):
    """Return a function that returns the branches that are reported after numbers."""
    function, branches, _ = sign
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


def test_common_branches_are_removed_from_the_code(sign, reached, monkeypatch):
    """The instructions of branches that enough inputs reached are not executed any more, others are."""
    monkeypatch.setattr(coverage, "_COMMON", 3)
    monkeypatch.setattr(sign[1], "_removed_at", sign[1]._calls + 3)
    first, *others = [reached(1) for _ in range(5)]
    assert first
    assert others == [first, first, [], []]
    assert set(reached(-1)) - set(first)
    assert [sign[0](number) for number in (-5, 0, 5)] == [-1, 1, 1]


@pytest.mark.parametrize("number", [0, 2, 60])
def test_removal_changes_no_result(sign, monkeypatch, number):
    """Functions in functions, and functions whose constants have numbers of two bytes, return the same."""
    _, branches, module = sign

    def results():
        return module.nested(number)(), module.long(number)

    monkeypatch.setattr(coverage, "_COMMON", 1)
    before = results()
    assert branches._bytes.count(1)
    branches.report()
    branches._remove(set(branches._inputs))
    assert results() == before == ([-each if each < 2 else each for each in range(number)], _long(number))
    assert not branches._bytes.count(1)
    assert module.long(number + 1) == _long(number + 1)
    assert branches._bytes.count(1)


def _long(number):
    return sum(each + 0.5 for each in range(100) if number > each)


def test_instrumented_functions_need_little_more_stack(sign):
    """A frame has room for the three constants of a branch; the stack of all branches is not added up."""
    plain = {}
    exec(SOURCE, plain)
    for name in ("sign", "nested", "long"):
        assert getattr(sign[2], name).__code__.co_stacksize == plain[name].__code__.co_stacksize + 3


def test_atheris_instruments_as_before_outside(sign):
    """Instrumented code does the same, and atheris has its own instructions back after the context."""
    function, _, _ = sign
    assert [function(number) for number in (-5, 0, 5)] == [-1, 1, 1]
    assert Instrumentor._generate_trace_branch_invocation.__module__ == Instrumentor.__module__
