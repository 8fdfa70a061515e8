"""How fastparquet (frames) and pyorc (rows) are asked to write: the same words as their adapters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.engines.base import Unsupported
from harness.engines.orc_columns import flat_columns
from harness.findings import literals
from harness.findings.nested import leaf_of, python, types_of
from harness.findings.showing import PYORC
from harness.findings.write_arrow import SMALL, Options, Written, given_

if TYPE_CHECKING:
    from corpora.tagged import Table, Type, Value

_INTEGERS = {8: "TinyInt", 16: "SmallInt", 32: "Int", 64: "BigInt"}
_SIMPLE = {"bool": "Boolean", "string": "String", "bytes": "Binary", "date": "Date"}
_HALF, _SINGLE = 16, 32


def fastparquet(table: Table, options: Options) -> Written:
    """Return how fastparquet writes."""
    body, encodings = ["data = {"], {}
    for at, field in enumerate(table.columns):
        body.append(f"    {field.name!a}: {_series(field.type, table.column(at))},")
        encodings[field.name] = {"string": "utf8", "bytes": "bytes"}.get(field.type.kind, "infer")
    given = {
        "compression": options.get("codec", "SNAPPY"),
        "row_group_offsets": options.get("row_group_rows"),
        "object_encoding": encodings,
    }
    body += ["}", f"fastparquet.write(FILE, pd.DataFrame(data), write_index=False{given_(given)})"]
    return Written(["import fastparquet", "import numpy as np", "import pandas as pd"], "", body)


def _series(type_: Type, values: list[Value]) -> str:
    kind = type_.kind
    if type_.children or kind not in {"int", "bool", "float", "timestamp", "string", "bytes"}:
        raise Unsupported(f"fastparquet does not write {type_}")
    told = f"[{', '.join('None' if one is None else leaf_of(type_, one) for one in values)}]"
    if kind == "int":
        return f'pd.Series(pd.array({told}, "{"" if type_.signed else "U"}Int{type_.bits}"))'
    if kind == "bool":
        return f'pd.Series(pd.array({told}, "boolean"))'
    if kind == "float" and type_.bits != _HALF and None not in values:
        return f'pd.Series({told}, dtype="f{(type_.bits or 64) // 8}")'
    if kind == "timestamp":
        counts = told.replace("None", str(-(1 << 63)))
        zone = '.dt.tz_localize("UTC")' if type_.utc else ""
        return f'pd.Series(np.array({counts}, "i8").view("M8[{type_.unit}]")){zone}'
    if kind == "float":
        raise Unsupported("pandas has no nulls in floats, and fastparquet no half floats")
    return f"pd.Series({told}, dtype=object)"


def pyorc(table: Table, options: Options) -> Written:
    """Return how pyorc writes."""
    schema = ", ".join(f"{field.name!a}: {_type(field.type)}" for field in table.columns)
    columns = [
        [_value(field.type, one) for one in table.column(at)] for at, field in enumerate(table.columns)
    ]
    rows = [f"    ({', '.join(row)}{',' * (len(row) == 1)})," for row in zip(*columns, strict=True)]
    codec = options.get("codec", "ZLIB").replace("UNCOMPRESSED", "NONE")
    given = [f"compression=pyorc.CompressionKind.{codec}"]
    given.append(f"dict_key_size_threshold={float(bool(options.get('dictionary', True)))}")
    if options.get("row_group_rows"):
        given += [f"batch_size={options['row_group_rows']}", "stripe_size=1"]
    if options.get("indexed"):
        given += [f"row_index_stride={SMALL}", f"bloom_filter_columns={flat_columns(table.columns)}"]
    body = [
        f"schema = pyorc.Struct(**{{{schema}}})",
        "rows = [",
        *rows,
        "]",
        f"options = dict(converters=CONVERTERS, {', '.join(given)})",
        'with open(FILE, "wb") as out, pyorc.Writer(out, schema, **options) as writer:',
        "    writer.writerows(rows)",
    ]
    return Written([*PYORC.imports], PYORC.text, body)


def _type(type_: Type) -> str:
    inner = [_type(child.type) for child in type_.children]
    if type_.kind == "int" and type_.signed:
        return f"pyorc.{_INTEGERS[type_.bits or 64]}()"
    if type_.kind == "float":
        return f"pyorc.{'Float' if type_.bits == _SINGLE else 'Double'}()"
    if type_.kind == "decimal":
        return f"pyorc.Decimal({type_.precision}, {type_.scale})"
    if type_.kind == "timestamp":
        return f"pyorc.Timestamp{'Instant' if type_.utc else ''}()"
    if type_.kind == "list":
        return f"pyorc.Array({inner[0]})"
    if type_.kind == "map":
        return f"pyorc.Map({', '.join(inner)})"
    if type_.kind == "struct":
        pairs = zip(type_.children, inner, strict=True)
        return f"pyorc.Struct(**{{{', '.join(f'{child.name!a}: {one}' for child, one in pairs)}}})"
    if type_.kind not in _SIMPLE:
        raise Unsupported(f"pyorc has no type {type_}")
    return f"pyorc.{_SIMPLE[type_.kind]}()"


def _value(type_: Type, value: Value) -> str:
    if type_.kind == "map" and value is not None:
        return f"dict({python(type_, value, _leaf)})"
    if type_.kind in {"list", "struct"} and any(one.kind == "map" for one in types_of(type_)):
        raise Unsupported("no script has maps inside of other values for pyorc")
    return python(type_, value, _leaf)


def _leaf(type_: Type, value: Value) -> str:
    if type_.kind == "timestamp":
        return f"Moment({literals.nanos(type_, value)})"
    if type_.kind == "date":
        return f"Day({int(str(value))})"
    if type_.kind == "decimal":
        return f"Digits({str(value)!a})"
    return leaf_of(type_, value)
