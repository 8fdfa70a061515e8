"""Constants of Daft's queries are the values that the queries name, or are not asked for."""

import pytest

from corpora.tagged import floating
from harness.engines.daft.query import _check_bits
from harness.engines.errors import Unsupported


@pytest.mark.parametrize(
    ("bits", "value"), [(32, "7fc00001"), (32, "ffc00000"), (64, "7ff0000000000001"), (16, "3c00")]
)
def test_numbers_and_quiet_nan_are_asked_for(bits, value):
    """A float that Python has bit by bit is a constant."""
    _check_bits(floating(bits), value)


@pytest.mark.parametrize(("bits", "value"), [(32, "7f800001"), (16, "7c01")])
def test_nan_that_would_become_another_one_are_not(bits, value):
    """A signalling NaN of fewer than 64 bits would be asked for as a quiet one."""
    with pytest.raises(Unsupported, match="signalling NaN"):
        _check_bits(floating(bits), value)
