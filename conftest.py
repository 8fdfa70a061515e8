"""What holds for all tests: how their time is spent, and that a result can be had again.

The coverage of `reference_impl` is that of its own tests, except for some long ones (the files of
`_UNMEASURED`, and tests that are marked `unmeasured`): tracing makes it two to four times slower, and much of
the time of other packages' tests is spent in it. Examples of Hypothesis are the same in every run of the same
code, and have neither a deadline nor a check of how fast they are drawn, so that no run fails by chance or by
the machine's other work; `--hypothesis-profile search` looks for new ones, as `tox -e nightly` does.

Sweeps are sampled: of the parameters of a test marked `sweep(share)` every `share`-th runs, in the order of
their digests, which is the same on each machine; with `each="name"`, that share of each value of a parameter,
at least one. In a test, the fixture `some_of` does so to pairs of key and item, and `fewer` to a number of
examples. Of the examples that Hypothesis is to draw for a test an eighth is drawn, but at least five.
`--whole` runs everything.

No test outlives a power cut: whoever writes a file in the tests' own processes does not wait for the disk.
While tests are collected no garbage is, since there is hardly any, and what is there then stays.

Processes that tests start find the bytecode of what they import, whatever the environment says of writing it:
else each of hundreds of engine processes would compile all its modules again, longer than it works.
"""

from __future__ import annotations

import gc
import hashlib
import os
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import TYPE_CHECKING

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, is_hypothesis_test, settings
from xdist.scheduler import LoadFileScheduling

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
gc.disable()
os.fsync = os.fstat  # refuses the same descriptors, and does not wait for the disk
# The share of Hypothesis' examples that a sample has, and the number that is never divided.
_EXAMPLES, _FEWEST = 8, 5
_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("search", _UNTIMED)
settings.register_profile("repeatable", _UNTIMED, derandomize=True)
settings.load_profile("repeatable")
# Files whose tests share a JVM: one process runs them, one after the other (`harness/tests/conftest.py`).
TOGETHER = (
    "harness/tests/test_engines_spark_orc.py",
    "harness/tests/test_engines_zones.py",
    "harness/tests/test_spark_orc_keys.py",
    "harness/tests/test_engines_spark_tables.py",
    "harness/tests/test_engines_spark.py",  # the last: it ends the JVM
)
# The files that take longest; they begin first, so that all processes end together.
_LONGEST = (
    *TOGETHER,
    "harness/tests/test_pipeline_spark.py",
    "harness/tests/test_selftest.py",
    "harness/tests/test_selftest_fuzz.py",
    "harness/investigate/fuzz/tests/test_engines.py",
    "harness/investigate/findings/tests/test_hostile.py",
    "harness/tests/test_hostile_files.py",
    "harness/investigate/fuzz/tests/test_driver.py",
    "harness/tests/test_environments.py",
    "harness/investigate/minimize/tests/test_minimize.py",
    "properties/tests/test_corpus.py",
    "properties/tests/test_fuzz_targets.py",
    "properties/tests/test_mutations_orc.py",
    "harness/tests/test_pipeline.py",
    "harness/tests/test_words.py",
    "reports/tests/test_large.py",
    "reports/tests/test_status.py",
)
# Tests of the reference that read many files or bytes, and reach hardly a line that no other test reaches.
_UNMEASURED = {
    "test_encoding_hostile.py",
    "test_hostile.py",
    "test_matching.py",
    "test_orc_encoding_hostile.py",
    "test_orc_examples.py",
    "test_orc_file.py",
    "test_orc_validate_files.py",
    "test_orc_validate_values.py",
    "test_thrift.py",
    "test_validate_writers.py",
}
# The number of bytes of a parameter that the name of a test may hold.
_PRINTED = 16
_MEASURED = Path(__file__).parent / "reference_impl"
_COVERAGE = pytest.StashKey[Coverage]()


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Measure the modules of the reference while they are imported, and then nothing but its own tests.

    Tracing would double the time that it takes to collect the tests.
    """
    measured = Coverage.current()
    if measured is None:
        return
    for module in walk_packages([str(_MEASURED)], "reference_impl."):
        if "tests" not in module.name.split("."):
            import_module(module.name)
    while (running := Coverage.current()) is not None:  # a worker of xdist starts a second one
        running.stop()
    session.config.stash[_COVERAGE] = measured


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Measure around a test that coverage is measured of, its fixtures included."""
    measured = item.config.stash.get(_COVERAGE, None)
    if measured is None or not _is_measured(item):
        return (yield)
    measured.start()
    try:
        return (yield)
    finally:
        measured.stop()


def _is_measured(item: pytest.Item) -> bool:
    is_long = item.path.name in _UNMEASURED or item.get_closest_marker("unmeasured") is not None
    return _MEASURED in item.path.parents and not is_long


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Begin to import the test modules at another place in each process that runs all of them.

    In a fresh clone all are compiled: processes that go through them in step would each compile all of them.
    What cannot be imported is imported again when it is collected, and reported then.
    """
    worker: dict[str, object] | None = getattr(session.config, "workerinput", None)
    root, folders = session.config.rootpath, session.config.getini("testpaths")
    if worker is None or {Path(name).name for name in session.config.args} != {*folders}:
        return
    patterns = [f"{folder}/{below}tests/test_*.py" for folder in folders for below in ("", "*/", "*/*/")]
    files = sorted(file for pattern in patterns for file in root.glob(pattern))
    number, count = int(str(worker["workerid"]).removeprefix("gw")), int(str(worker["workercount"]))
    first = len(files) * number // count
    for file in files[first:] + files[:first]:
        with suppress(Exception, pytest.skip.Exception):
            import_module(".".join(file.relative_to(root).with_suffix("").parts))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name long bytes by their argument: pytest would print them, and all processes need the same names."""
    return argname if isinstance(val, bytes) and len(val) > _PRINTED else None


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add `--whole`, and leave the asserts of `harness` as they are.

    pytest rewrites the whole package of a plugin that is installed in place (`harness.testing.plugin`): in a
    fresh clone each process compiles 450 modules for that, which hold no test.
    """
    parser.addoption("--whole", action="store_true", help="run sweeps whole, not samples of them")
    getattr(pluginmanager.rewrite_hook, "_must_rewrite", set()).discard("harness")


def sampled(keys: Iterable[str], share: int) -> set[str]:
    """Return every `share`-th key in the order of their digests, beginning with the first."""
    ordered = sorted(set(keys), key=lambda key: hashlib.sha256(key.encode()).digest())
    return set(ordered[::share])


@pytest.fixture(scope="session")
def some_of(pytestconfig: pytest.Config) -> Callable[[Iterable[tuple[str, object]], int], list[object]]:
    """Return a function that answers a share of items by their keys, in their order."""

    def chosen(pairs: Iterable[tuple[str, object]], share: int) -> list[object]:
        listed = list(pairs)
        keys = sampled((key for key, _ in listed), 1 if pytestconfig.getoption("whole") else share)
        return [item for key, item in listed if key in keys]

    return chosen


@pytest.fixture(scope="session")
def fewer(pytestconfig: pytest.Config) -> Callable[[int, int], int]:
    """Return a function that divides a number of examples by a share, unless tests run whole."""
    return lambda count, share: count if pytestconfig.getoption("whole") else count // share


@pytest.fixture(scope="session")
def for_each() -> Callable[[Iterable[tuple[str, object]], Callable[..., None]], None]:
    """Return a function that checks each item of pairs of name and item, and reports all that fail, by name.

    A test for each would cost pytest and xdist six milliseconds, which is longer than a look at a line.
    """

    def check_all(pairs: Iterable[tuple[str, object]], check: Callable[..., None]) -> None:
        errors = []
        for name, item in pairs:
            try:
                check(item)
            except Exception as error:  # noqa: BLE001 - raised below, with the others
                error.add_note(f"item: {name}")
                errors.append(error)
        if errors:
            raise ExceptionGroup("items that fail", errors)

    return check_all


class _Files(LoadFileScheduling):
    """Hands files to processes as `--dist=loadfile` does, and some files together."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return "together" if file in TOGETHER else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadFileScheduling:
    """Return what hands out files."""
    return _Files(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to `--whole` what a sample does without, and begin with the files that take longest."""
    sweeps: dict[tuple[int, str, str], list[str]] = {}
    for item in items:
        if mark := item.get_closest_marker("sweep"):
            sweeps.setdefault(_sweep(item, mark), []).append(item.nodeid)
    runs = {one for (share, *_), ids in sweeps.items() for one in sampled(ids, share)}
    whole = config.getoption("whole")
    if not whole:
        _draw_fewer_examples(items)
    swept = [] if whole else [item for item in items if item.get_closest_marker("sweep")]
    left = [item for item in swept if item.nodeid not in runs]
    if left:
        config.hook.pytest_deselected(items=left)
    gone = {item.nodeid for item in left}
    order = {name: place for place, name in enumerate(_LONGEST)}
    items[:] = [item for item in items if item.nodeid not in gone]
    items.sort(key=lambda item: order.get(item.nodeid.partition("::")[0], len(order)))


def pytest_collection_finish() -> None:
    """Collect garbage from now on, of what tests make."""
    gc.freeze()
    gc.enable()


def _draw_fewer_examples(items: Iterable[pytest.Item]) -> None:
    """Divide the number of examples of each test of Hypothesis, which parameters of a test share."""
    tests = {id(test): test for item in items if is_hypothesis_test(test := getattr(item, "obj", None))}
    for test in tests.values():
        own = test._hypothesis_internal_use_settings  # noqa: SLF001 - settings can be applied in public only once
        count = own.max_examples
        test._hypothesis_internal_use_settings = settings(  # noqa: SLF001 - as above
            own, max_examples=max(count // _EXAMPLES, min(count, _FEWEST))
        )


def _sweep(item: pytest.Item, mark: pytest.Mark) -> tuple[int, str, str]:
    """Return the share of a sweep, and what it has samples of: the test, and the value of `each`."""
    callspec = getattr(item, "callspec", None)
    each = mark.kwargs.get("each")
    return mark.args[0], item.nodeid.partition("[")[0], repr(callspec.params[each]) if each else ""
