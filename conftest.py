"""What holds for all tests: the coverage of `reference_impl` is that of its own tests and of the corpus'.

Tracing makes the reference two to four times slower, and much of the time of other packages' tests is spent
in it: they run without. No example has a deadline: how long one takes is a matter of the machine's other work.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from coverage import Coverage
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Generator

settings.register_profile("colconf", deadline=None)
settings.load_profile("colconf")
_MEASURED = {Path(__file__).parent / package for package in ("reference_impl", "corpora")}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Stop measuring around a test of another package, its fixtures included."""
    measured = None if _MEASURED.intersection(item.path.parents) else Coverage.current()
    if measured is None:
        return (yield)
    measured.stop()
    try:
        return (yield)
    finally:
        measured.start()
