"""Faults: for each rule of `corpora/rules.d` a small file that breaks only this rule, and a near file."""

from __future__ import annotations

from properties.strategies.faults import (
    chunks,
    codecs,
    delta,
    encodings,
    files,
    geospatial,
    indexes,
    levels,
    logical,
    nested,
    offsets,
    pages,
    schemas,
    sizes,
    statistics,
    thrift,
    values,
    variants,
)
from properties.strategies.faults.fault import Fault, File

__all__ = ["FAULTS", "WAIVED", "Fault", "File"]

_AREAS = (
    *(thrift, files, schemas, logical, nested, levels, chunks, pages),
    *(encodings, delta, codecs, values, statistics, sizes, geospatial, indexes, offsets),
    variants,
)
_ENCRYPTION = [
    f"PQ-CRYPT-{number:03}" for number in (1, 2, 3, 5, 6, *range(10, 20), *range(20, 30), *range(30, 37))
]
FAULTS: dict[str, Fault] = {fault.rule: fault for area in _AREAS for fault in area.FAULTS}
WAIVED: dict[str, str] = {
    "PQ-CRYPT-000": "an encrypted file is legal: without its key a reader cannot say more",
    **dict.fromkeys(
        _ENCRYPTION, "broken by the cases of corpora/build/areas/encryption.py, which come with keys"
    ),
}
