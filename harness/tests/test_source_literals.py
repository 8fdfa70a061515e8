"""Constants in the source text of queries are the values that the queries name."""

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


@pytest.mark.parametrize(
    ("type_", "bits"), [(32, "ffc00001"), (64, "7ff8000000000001"), (64, "fff0000000000002")]
)
def test_nan_have_their_bits(type_, bits):
    """A NaN with a payload has it in the text."""
    held = eval(python(floating(type_), bits))
    assert struct.pack({32: ">f", 64: ">d"}[type_], held).hex() == bits


def test_common_nan_are_plain_text():
    """The NaN of Python, and its negation, are written as people write them."""
    assert python(floating(64), "7ff8000000000000") == "float('nan')"
    assert python(floating(32), "ffc00000") == "-float('nan')"
