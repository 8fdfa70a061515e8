"""Faults of ALP."""

from __future__ import annotations

from corpora.build.recipe import leaf
from properties.strategies.faults.edits import data_header, edit, ints, table
from properties.strategies.faults.fault import Fault, File
from reference_impl.parquet.plan import Alp, Column, FilePlan, Page
from reference_impl.parquet.schema import Encoding, Type

# Offsets in the values of a page of one vector.
_MODE, _LOG, _COUNT, _FACTOR, _LEAST = 0, 2, 3, 12, 15
_WIDTH_OF_FLOAT = _LEAST + 4
_POSITION = _LEAST + 8 + 1 + 1  # of DOUBLE: behind the width, and the one byte of three integers


def _alp_column(values: tuple[float | None, ...], kind: Type, **layout: int) -> FilePlan:
    column = Column((Page(encoding=Encoding.ALP, alp=Alp(exponent=1, factor=0, **layout)),))
    return table(leaf("x", kind), values, column)


_FLOATS = _alp_column((1.5, 2.5, 0.5), Type.FLOAT)
_DOUBLES = _alp_column((0.1, 0.2, float("inf")), Type.DOUBLE)


def _set(plan: FilePlan, at: int, byte: int) -> File:
    """Return the file with another byte among the values of its page."""
    return File(plan, edit(values=lambda data: data[:at] + bytes([byte]) + data[at + 1 :]))


_SHORT = File(_FLOATS, edit(values=lambda data: data[:-1]))
_PADDED = File(_FLOATS, edit(values=lambda data: data + b"\0"))

FAULTS = (
    Fault(
        "PQ-ALP-001/integers",
        "a page of INT32 is encoded as ALP",
        File(ints(), edit(page_header=data_header(encoding=Encoding.ALP))),
        "a page of FLOAT is",
        File(_FLOATS),
    ),
    Fault(
        "PQ-ALP-002/mode-of-the-future",
        "the compression mode is 1",
        _set(_FLOATS, _MODE, 1),
        "it is 0",
        File(_FLOATS),
    ),
    Fault(
        "PQ-ALP-003/vectors-of-65536",
        "the vectors are of 2^16 values",
        _set(_FLOATS, _LOG, 16),
        "they are of 2^15, of which the page has three",
        _set(_FLOATS, _LOG, 15),
    ),
    Fault(
        "PQ-ALP-004/one-more",
        "the header says four elements, and the page has three values",
        _set(_FLOATS, _COUNT, 4),
        "it says three, and the page has a null beside them",
        File(table(leaf("x", Type.FLOAT, 1), (1.5, None, 2.5, 0.5), Column((Page(encoding=Encoding.ALP),)))),
    ),
    Fault(
        "PQ-ALP-005/padded",
        "a byte stands behind the last vector",
        _PADDED,
        "the integers have a byte more, as their bit width says",
        File(_alp_column((1.5, 2.5, 0.5), Type.FLOAT, extra_bits=8)),
    ),
    Fault(
        "PQ-ALP-006/factor-above-the-exponent",
        "the factor is 2, and the exponent 1",
        _set(_FLOATS, _FACTOR, 2),
        "both are 10, and every value is an exception",
        File(
            table(
                leaf("x", Type.FLOAT),
                (1.5, 2.5, 0.5),
                Column((Page(encoding=Encoding.ALP, alp=Alp(exponent=10, factor=10)),)),
            )
        ),
    ),
    Fault(
        "PQ-ALP-007/integers-of-33-bits",
        "the integers of FLOAT take 33 bits",
        File(
            _alp_column((1.5, 2.5, 0.5), Type.FLOAT, extra_bits=32),
            edit(values=lambda data: data[:_WIDTH_OF_FLOAT] + b"\x21" + data[_WIDTH_OF_FLOAT + 1 :]),
        ),
        "they take 32",
    ),
    Fault(
        "PQ-ALP-008/exception-of-nothing",
        "an exception stands at position 3 of three values",
        _set(_DOUBLES, _POSITION, 3),
        "it stands at position 2",
        File(_DOUBLES),
    ),
    Fault(
        "PQ-ALP-009/vector-cut",
        "the last byte of the last vector is missing",
        _SHORT,
        "there are no values, and no vectors",
        File(table(leaf("x", Type.FLOAT, 1), (None, None), Column((Page(encoding=Encoding.ALP),)))),
    ),
)
