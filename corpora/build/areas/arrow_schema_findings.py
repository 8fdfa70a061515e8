"""The smallest files of confirmed findings about types that the key `ARROW:schema` asks for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from corpora.build.areas.finding_plan import finding, row_and_x
from corpora.build.recipe import Recipe
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import Empty, LogicalType, Type

# Schemas of Arrow in base64: row: int32 not null, x: dictionary<int32, timestamp[ns]>.
_TIMESTAMPS = (
    "/////+AAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAEAAAAuP///wQAAAACAAAAgAAAABQAAAAQABgACAAGAAcA"
    "DAAQABQAEAAAAAAAAQoUAAAARAAAABwAAAAEAAAAAAAAAAEAAAB4AAAACAAIAAAABAAIAAAADAAAAAgADgAIAAcA"
    "CAAAAAAAAAEgAAAAAAAGAAgABgAGAAAAAAADABAAFAAIAAAABwAMAAAAEAAQAAAAAAAAAhAAAAAcAAAABAAAAAAA"
    "AAADAAAAcm93AAgADAAIAAcACAAAAAAAAAEgAAAAAAAAAA=="
)
# row: int32 not null, x: dictionary<int32, float16>.
_HALVES = (
    "/////9AAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAEAAAAuP///wQAAAACAAAAcAAAABQAAAAQABgACAAGAAcA"
    "DAAQABQAEAAAAAAAAQMUAAAAOAAAABwAAAAEAAAAAAAAAAEAAAB4AAAACAAIAAAABAAIAAAABAAAALz///8AAAAB"
    "IAAAAAQABAAEAAAAEAAUAAgAAAAHAAwAAAAQABAAAAAAAAACEAAAABwAAAAEAAAAAAAAAAMAAAByb3cACAAMAAgA"
    "BwAIAAAAAAAAASAAAAAAAAAA"
)
_HALF = {"type_length": 2, "logicalType": LogicalType(FLOAT16=Empty())}
_NOON_OF_1970 = (43_200_000_000_000).to_bytes(8, "little") + (2_440_588).to_bytes(4, "little")


def recipes() -> Iterator[Recipe]:
    """Yield the cases."""
    plan = row_and_x(Type.INT96, _NOON_OF_1970, None)
    yield _of("int96-of-dictionary", plan, _TIMESTAMPS, "parquet.thrift, Type.INT96")
    plan = row_and_x(Type.FIXED_LEN_BYTE_ARRAY, b"\x00\x3c", None, element=_HALF)
    yield _of("half-of-dictionary", plan, _HALVES, "LogicalTypes.md, FLOAT16")


def _of(name: str, plan: FilePlan, schema: str, spec: str) -> Recipe:
    return finding(name, replace(plan, key_value_metadata=(("ARROW:schema", schema),)), spec)
