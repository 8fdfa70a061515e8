"""Scripts that write rows with pyorc, with the calls of its adapter."""

from __future__ import annotations

from corpora.tagged import Table, Type, Value
from harness.engines.errors import Unsupported
from harness.engines.pyorc.rendering import PYORC
from harness.engines.pyorc.write import call_options
from harness.engines.pyorc.write_options import ZONE
from harness.engines.scripts import literals
from harness.engines.scripts.nested import leaf_of, python, types_of
from harness.engines.scripts.writing import Options, Written, arguments
from harness.engines.writer_options import CHOSEN

_INTEGERS = {8: "TinyInt", 16: "SmallInt", 32: "Int", 64: "BigInt"}

_SIMPLE = {"bool": "Boolean", "string": "String", "bytes": "Binary", "date": "Date"}

_SINGLE = 32


def written(table: Table, options: Options, _: str) -> Written:
    """Return the source that writes with pyorc."""
    schema = ", ".join(f"{field.name!a}: {_type(field.type)}" for field in table.columns)
    columns = [
        [_value(field.type, item) for item in table.column(at)] for at, field in enumerate(table.columns)
    ]
    rows = [f"    ({', '.join(row)}{',' * (len(row) == 1)})," for row in zip(*columns)]
    codec, given = call_options(table, options)
    chosen = options.get(CHOSEN, {})
    kind, more = f"pyorc.CompressionKind.{codec}", ""
    if "compression_strategy" in chosen:
        more = f", compression_strategy=pyorc.CompressionStrategy.{chosen['compression_strategy']}"
    if ZONE in chosen:
        more += f", timezone=zoneinfo.ZoneInfo({chosen[ZONE]!a})"
    calls, at = [], 0
    for count in chosen.get("calls", (len(rows),)):
        calls.append(f"    writer.writerows(rows[{at}:{at + count}])")
        at += count
    body = [
        f"schema = pyorc.Struct(**{{{schema}}})",
        "rows = [",
        *rows,
        "]",
        f"options = dict(converters=CONVERTERS, compression={kind}{more}{arguments(given)})",
        'with open(FILE, "wb") as out, pyorc.Writer(out, schema, **options) as writer:',
        *calls,
    ]
    imports = [*PYORC.imports, *(["import zoneinfo"] if ZONE in chosen else [])]
    return Written(imports, PYORC.text, body)


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
        fields = (f"{child.name!a}: {source}" for child, source in zip(type_.children, inner))
        return f"pyorc.Struct(**{{{', '.join(fields)}}})"
    if type_.kind not in _SIMPLE:
        raise Unsupported(f"pyorc has no type {type_}")
    return f"pyorc.{_SIMPLE[type_.kind]}()"


def _value(type_: Type, value: Value) -> str:
    if type_.kind == "map" and value is not None:
        return f"dict({python(type_, value, _leaf)})"
    if type_.kind in {"list", "struct"} and any(item.kind == "map" for item in types_of(type_)):
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
