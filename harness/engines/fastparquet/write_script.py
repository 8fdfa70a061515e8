"""Scripts that write frames with fastparquet, with the calls of its adapter."""

from __future__ import annotations

from corpora.tagged import Table, Type, Value
from harness.engines.errors import Unsupported
from harness.engines.fastparquet.write_options import call_options
from harness.engines.scripts.nested import leaf_of
from harness.engines.scripts.writing import Options, Written, arguments
from harness.engines.writer_options import CHOSEN

_HALF = 16


def written(table: Table, options: Options, _: str) -> Written:
    """Return the source that writes with fastparquet."""
    body, encodings = ["data = {"], {}
    for at, field in enumerate(table.columns):
        body.append(f"    {field.name!a}: {_series(field.type, table.column(at))},")
        encodings[field.name] = {"string": "utf8", "bytes": "bytes"}.get(field.type.kind, "infer")
    given = {
        "compression": options.get("codec", "SNAPPY"),
        "row_group_offsets": options.get("row_group_rows"),
    }
    if CHOSEN in options:
        given = call_options(options[CHOSEN])
    given["object_encoding"] = encodings
    body += ["}", f"fastparquet.write(FILE, pd.DataFrame(data), write_index=False{arguments(given)})"]
    return Written(["import fastparquet", "import numpy as np", "import pandas as pd"], "", body)


def _series(type_: Type, values: list[Value]) -> str:
    kind = type_.kind
    if type_.children or kind not in {"int", "bool", "float", "timestamp", "string", "bytes"}:
        raise Unsupported(f"fastparquet does not write {type_}")
    text = f"[{', '.join('None' if value is None else leaf_of(type_, value) for value in values)}]"
    if kind == "int":
        return f'pd.Series(pd.array({text}, "{"" if type_.signed else "U"}Int{type_.bits}"))'
    if kind == "bool":
        return f'pd.Series(pd.array({text}, "boolean"))'
    if kind == "float" and type_.bits != _HALF and None not in values:
        return f'pd.Series({text}, dtype="f{(type_.bits or 64) // 8}")'
    if kind == "timestamp":
        counts = text.replace("None", str(-(1 << 63)))
        zone = '.dt.tz_localize("UTC")' if type_.utc else ""
        return f'pd.Series(np.array({counts}, "i8").view("M8[{type_.unit}]")){zone}'
    if kind == "float":
        raise Unsupported("pandas has no nulls in floats, and fastparquet no half floats")
    return f"pd.Series({text}, dtype=object)"
