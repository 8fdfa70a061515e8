"""The reader of tagged values (`corpora/tagged.py`): results of engines are not trusted more than files."""

from __future__ import annotations

import json
from collections.abc import Iterable

from corpora import tagged
from properties.fuzz.claims import same
from properties.fuzz.targets import Table

TABLE = Table()


def seeds() -> Iterable[bytes]:
    """Yield a table of every type, alone and nested."""
    scalars = [
        *map(
            tagged.Type, ("null", "bool", "date", "int96", "interval", "string", "bytes", "uuid", "variant")
        ),
        *(tagged.integer(32), tagged.floating(64), tagged.decimal(9, 2), tagged.duration("ns")),
        *(tagged.time("us", utc=True), tagged.timestamp("ms", utc=False)),
    ]
    nested = [
        *map(tagged.list_of, scalars),
        tagged.struct_of([("a", scalars[0]), ("b", scalars[1])]),
        tagged.map_of(tagged.STRING, tagged.list_of(tagged.BOOL)),
        tagged.union_of(scalars[:3]),
    ]
    for type_ in (*scalars, *nested):
        table = tagged.Table.of([("c", type_)], [[None, "1", ["1"]]])
        yield json.dumps(table.to_json(), separators=(",", ":")).encode()


@TABLE.target(
    "tagged",
    "The reader of tagged values (`corpora/tagged.py`): results of engines are not trusted more than files.",
    "Any JSON is read as a table, or raises TaggedError, whatever its depth. A table survives writing"
    " and reading.",
    seeds,
)
def check(data: bytes) -> None:
    """Read the bytes as the JSON of a table."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):  # the bytes are not JSON
        return
    try:
        table = tagged.Table.from_json(document)
    except tagged.TaggedError:
        return
    if table.spill is None:
        same(tagged.Table.from_json(table.to_json()).to_json(), table.to_json(), "read, written and read")
        for column in table.columns:
            str(column.type)
