"""ALP: the specification's example, there and back in every form, and every rule."""

import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.cursor import Cursor
from reference_impl.errors import UsageError
from reference_impl.parquet.encodings import alp
from reference_impl.parquet.schema import Type
from reference_impl.parquet.types import Physical
from reference_impl.tests.refusals import refused

FLOAT, DOUBLE = Physical(Type.FLOAT), Physical(Type.DOUBLE)
NAN = float("nan")
# AlpEncoding.md, "Worked Example": 1500, NaN, 2500, 333.5 as one vector of exponent 4 and factor 3.
HEAD = bytes.fromhex("00 00 0a 04000000")
VECTOR = (
    bytes.fromhex("04 03 0100") + struct.pack("<qB", 3335, 15)
    # 11665, 11665, 21665, 0: 15 bits each, LSB first
    + (11665 | 11665 << 15 | 21665 << 30).to_bytes(8, "little")
    + bytes.fromhex("0100") + struct.pack("<d", NAN)
)  # fmt: skip
EXAMPLE = HEAD + struct.pack("<I", 4) + VECTOR


def _read(data, physical, count):
    return alp.decode(Cursor(data), physical, count)


def test_example():
    """The worked example is read, and written to the same 31 bytes of a vector."""
    values = np.array([1500.0, NAN, 2500.0, 333.5])
    assert _read(EXAMPLE, DOUBLE, 4).tobytes() == values.tobytes()
    assert alp.encode(values, exponent=4, factor=3) == EXAMPLE
    assert len(VECTOR) == 31


def test_frame_of_reference():
    """123, 456, 789, 12 take ten bits each, as the specification's second example has it."""
    data = alp.encode(np.array([123.0, 456.0, 789.0, 12.0]), exponent=0, factor=0)
    head = struct.Struct("<BBHqB").unpack(data[11:24])
    assert head == (0, 0, 0, 12, 10)
    assert data[24:] == (111 | 444 << 10 | 777 << 20).to_bytes(5, "little")


def test_equal_values_take_no_bits():
    """Where all values are the same nothing is packed."""
    data = alp.encode(np.full(100, 7.25, "<f4"))
    assert len(data) == 7 + 4 + 9
    assert _read(data, FLOAT, 100).tolist() == [7.25] * 100


@pytest.mark.parametrize(("form", "most"), [("<f4", 10), ("<f8", 18)])
def test_powers_are_correctly_rounded(form, most):
    """Each power of ten is the value nearest to the decimal literal, in the precision of the type."""
    kind = np.dtype(form).type
    for power in range(-most, most + 1):
        exact = Fraction(10) ** power
        ours = kind(alp._POWERS[power] if power >= 0 else alp._INVERSES[-power])
        near = [np.nextafter(ours, kind(0)), np.nextafter(ours, kind(np.inf))]
        assert all(abs(Fraction(float(ours)) - exact) < abs(Fraction(float(one)) - exact) for one in near)


def _forms():
    return st.fixed_dictionaries(
        {
            "log_vector_size": st.sampled_from([3, 4, 10, 15]),
            "extra_bits": st.sampled_from([0, 1, 64]),
            "exceptions": st.sampled_from([0, 1, 3]),
            "pair": st.sampled_from([(None, None), (0, 0), (10, 0), (10, 10), (3, 1)]),
        }
    )


def _values(width):
    cents = st.integers(-(10**6), 10**6).map(lambda number: number / 100)
    return st.lists(st.one_of(st.floats(width=width), cents), max_size=40)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([(FLOAT, 32), (DOUBLE, 64)]), st.data(), _forms())
def test_round_trip(kind, data, form):
    """Every value comes back to the bit, whatever it is, and whatever form the writer chooses."""
    physical, width = kind
    with np.errstate(over="ignore"):
        values = np.array(data.draw(_values(width)), physical.dtype)
    exponent, factor = form.pop("pair")
    written = alp.encode(values, exponent=exponent, factor=factor, **form)
    cursor = Cursor(written)
    found = alp.decode(cursor, physical, len(values))
    assert found.dtype == values.dtype
    assert found.tobytes() == values.tobytes()
    assert not cursor.remaining
    for end in range(0, len(written), 7):
        with refused("PQ-ALP-009"):
            alp.decode(Cursor(written[:end]), physical, len(values))


@pytest.mark.parametrize("physical", [FLOAT, DOUBLE])
def test_bits(physical):
    """Payloads of NaN, -0.0, infinities, subnormals, and integers at the edges of the type are kept."""
    unsigned = "<u4" if physical is FLOAT else "<u8"
    top = 1 << (31 if physical is FLOAT else 63)
    raw = np.array([0, top, 1, top + 1, top - 1, 2 * top - 1, top // 2, top // 2 + 1], unsigned)
    values = np.concatenate([raw.view(physical.dtype), np.array([top, -top, top / 2, 1e18], physical.dtype)])
    for exponent in (0, 5, 10):
        assert _read(alp.encode(values, exponent=exponent), physical, 12).tobytes() == values.tobytes()


def test_frame_that_wraps():
    """A range beyond the signed integers is added in unsigned arithmetic."""
    vector = struct.pack("<BBHiB", 0, 0, 0, -(2**31), 32) + struct.pack("<II", 0, 2**32 - 1)
    data = bytes.fromhex("00 00 03 02000000 04000000") + vector
    assert _read(data, FLOAT, 2).tolist() == [-(2.0**31), 2.0**31]


def _changed(at, new):
    data = bytearray(EXAMPLE)
    data[at : at + len(new)] = new
    return bytes(data)


@pytest.mark.parametrize(
    ("rule", "data"),
    [
        ("PQ-ALP-002", _changed(0, b"\1")),
        ("PQ-ALP-002", _changed(1, b"\1")),
        ("PQ-ALP-003", _changed(2, b"\2")),
        ("PQ-ALP-003", _changed(2, b"\x10")),
        ("PQ-ALP-004", _changed(3, b"\5")),
        ("PQ-ALP-004", _changed(3, b"\xff\xff\xff\xff")),
        ("PQ-ALP-005", _changed(7, b"\5")),
        ("PQ-ALP-005", EXAMPLE + b"\0"),
        ("PQ-ALP-006", _changed(11, b"\x13")),
        ("PQ-ALP-006", _changed(12, b"\5")),
        ("PQ-ALP-007", _changed(23, b"\x41")),
        ("PQ-ALP-008", _changed(13, b"\5")),
        ("PQ-ALP-008", _changed(32, b"\4")),
        ("PQ-ALP-009", EXAMPLE[:-1]),
        ("PQ-ALP-009", EXAMPLE[:6]),
    ],
)
def test_rules(rule, data):
    """Each rule of the header, the offsets and the vectors."""
    with refused(rule):
        _read(data, DOUBLE, 4)


@pytest.mark.parametrize("kind", [Type.INT32, Type.BOOLEAN, Type.BYTE_ARRAY, Type.INT96])
def test_types(kind):
    """ALP is for FLOAT and DOUBLE only."""
    with refused("PQ-ALP-001"):
        _read(b"", Physical(kind), 0)


def test_counts_cost_nothing():
    """A count that the bytes cannot hold is refused before memory is taken for it."""
    with refused("PQ-ALP-009"):
        _read(bytes.fromhex("00 00 03 ffffff7f") + bytes(100), DOUBLE, 2**31 - 1)


def test_usage():
    """A writer that is asked for what the format has not is told so."""
    values = np.zeros(1)
    for wrong in ({"exponent": 19}, {"exponent": 2, "factor": 3}, {"log_vector_size": 2}):
        with pytest.raises(UsageError):
            alp.encode(values, **wrong)
    with pytest.raises(UsageError):
        alp.encode(np.zeros(1, np.int32))
