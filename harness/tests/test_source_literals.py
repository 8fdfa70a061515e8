"""Constants in the source text of queries are the values that the queries name."""

import math
import struct

import pytest

from corpora.tagged import floating
from harness.engines.scripts.literals import python


@pytest.mark.parametrize(
    "bits", ["7ff8000000000000", "fff8000000000000", "8000000000000000", "3ff8000000000000"]
)
def test_floats_have_their_sign(bits):
    """Zeros and NaN of both signs are themselves in the text."""
    assert struct.pack(">d", eval(python(floating(64), bits))).hex() == bits


def test_payloads_are_left_out():
    """A NaN of another payload is the NaN of its sign."""
    held = eval(python(floating(32), "ff800001"))
    assert math.isnan(held)
    assert math.copysign(1, held) == -1
