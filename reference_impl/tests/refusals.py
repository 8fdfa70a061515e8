"""How tests say that bytes must be refused, and why."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from reference_impl.errors import Malformed


@contextmanager
def refused(rule, *, offset=None):
    """The block must raise Malformed for this rule (and, if given, at this offset)."""
    with pytest.raises(Malformed) as caught:
        yield caught
    assert caught.value.rule == rule, caught.value
    if offset is not None:
        assert caught.value.offset == offset, caught.value
