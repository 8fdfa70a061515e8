"""The tables for timing decoders: 1 M rows flat, and nested, as engines write them by default."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 1_000_000
NESTED_ROWS = 200_000  # of two to three elements each


def flat(rows: int = ROWS) -> pa.Table:
    """Return five columns: sequence, few-valued ints, doubles, optional strings, timestamps."""
    import pyarrow as pa

    dice = random.Random(1)
    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "few": pa.array([dice.randrange(1000) for _ in range(rows)], pa.int32()),
            "measure": pa.array([dice.random() for _ in range(rows)], pa.float64()),
            "word": pa.array(
                [None if i % 10 == 0 else f"word {dice.randrange(50_000)}" for i in range(rows)]
            ),
            "at": pa.array([1_700_000_000_000_000 + i * 1000 for i in range(rows)], pa.timestamp("us")),
        }
    )


def nested(rows: int = NESTED_ROWS) -> pa.Table:
    """Return a list of structs with an optional string, and a list of lists of ints."""
    import pyarrow as pa

    dice = random.Random(2)
    things = [
        None if i % 20 == 0 else [{"n": dice.randrange(99), "s": None if j else "x"} for j in range(i % 6)]
        for i in range(rows)
    ]
    lists = [[list(range(j)) for j in range(i % 4)] for i in range(rows)]
    schema = pa.schema(
        [
            ("things", pa.list_(pa.struct([("n", pa.int32()), ("s", pa.string())]))),
            ("lists", pa.list_(pa.list_(pa.int64()))),
        ]
    )
    return pa.table({"things": things, "lists": lists}, schema)


TABLES: dict[str, Callable[[], pa.Table]] = {"flat": flat, "nested": nested}
_PYORC_SCHEMAS = {
    "flat": "struct<id:bigint,few:int,measure:double,word:string,at:timestamp>",
    "nested": "struct<things:array<struct<n:int,s:string>>,lists:array<array<bigint>>>",
}


def write_with_pyorc(name: str, table: pa.Table, path: Path) -> None:
    """Write one of the TABLES row by row."""
    import pyorc

    columns = [column.to_pylist() for column in table.columns]
    with (
        path.open("wb") as file,
        pyorc.Writer(file, _PYORC_SCHEMAS[name], struct_repr=pyorc.StructRepr.DICT) as writer,
    ):
        for row in zip(*columns, strict=True):
            writer.write(dict(zip(table.column_names, row, strict=True)))
