"""What holds for all tests: how their time is spent, and that a result can be had again.

The coverage of `reference_impl` is that of its own tests and of the corpus': tracing makes it two to four
times slower, and much of the time of other packages' tests is spent in it. Examples of Hypothesis are the
same in every run of the same code, and have no deadline, so that no run fails by chance or by the machine's
other work; `--hypothesis-profile search` looks for new ones, as `tox -e nightly` does.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from coverage import Coverage
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Generator

settings.register_profile("search", deadline=None)
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")
_MEASURED = {
    Path(__file__).parent / path for path in ("reference_impl", "corpora", "properties/tests/test_corpus.py")
}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Stop measuring around a test of another package, its fixtures included."""
    measured = None if _MEASURED.intersection((item.path, *item.path.parents)) else Coverage.current()
    if measured is None:
        return (yield)
    measured.stop()
    try:
        return (yield)
    finally:
        measured.start()
