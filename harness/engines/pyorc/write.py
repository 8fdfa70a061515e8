"""Writing with pyorc."""

from __future__ import annotations

import inspect
import struct
from collections.abc import Callable
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from corpora.tagged import NANOSECONDS, Table, Type, Value
from harness.engines.errors import Unsupported
from harness.engines.orc_columns import orc_options
from harness.engines.pyorc.values import Day, Digits, Moment
from harness.engines.pyorc.write_options import BLOCKS, CALLS, ZONE, writer_options
from harness.engines.writer_options import CHOSEN

_CODECS = {"UNCOMPRESSED": "NONE", "ZLIB": "ZLIB", "SNAPPY": "SNAPPY", "LZ4": "LZ4", "ZSTD": "ZSTD"}


def write(pyorc: Any, file: str, table: Table, options: dict[str, Any], converters: dict[Any, Any]) -> None:
    """Write `table` to `file`; raises Unsupported for what pyorc has no type or option for."""
    codec, given = call_options(table, options)
    chosen = options.get(CHOSEN, {})
    if "compression_strategy" in chosen:
        given["compression_strategy"] = pyorc.CompressionStrategy[chosen["compression_strategy"]]
    if ZONE in chosen:
        given[ZONE] = ZoneInfo(chosen[ZONE])
    schema = pyorc.Struct(**{field.name: _described(pyorc, field.type) for field in table.columns})
    given.update(converters=converters, compression=pyorc.CompressionKind[codec])
    if lacking := given.keys() - parameters(pyorc):
        raise Unsupported(f"the writer of this pyorc has no option {min(lacking)}")
    values = [_nullable(_values_of(field.type)) for field in table.columns]
    with open(file, "wb") as out, pyorc.Writer(out, schema, **given) as writer:
        for block in table.blocks():
            rows = zip(*[map(value, held) for value, held in zip(values, block)])
            for count in chosen.get("calls", ()):
                writer.writerows(islice(rows, count))
            writer.writerows(rows)
        if not table.columns:
            writer.writerows(() for _ in range(table.num_rows))


def parameters(pyorc: Any) -> set[str]:
    """Return the names of the arguments of pyorc's writer."""
    return set(inspect.signature(pyorc.Writer.__init__).parameters)


def drawn_options(pyorc: Any) -> list[str]:
    """Return the options of `write_options.py` that this pyorc has."""
    there = parameters(pyorc)
    return [*there, CALLS, *([BLOCKS] if {"compression_block_size", "memory_block_size"} <= there else [])]


def call_options(table: Table, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the name of a codec, and the other options of `Writer`; raises Unsupported."""
    if CHOSEN in options:
        chosen = options[CHOSEN]
        return chosen.get("compression", "ZLIB"), writer_options(table, chosen)
    codec = options.get("codec", "ZLIB")
    if codec not in _CODECS:
        raise Unsupported(f"pyorc does not write codec {codec}")
    dictionary = float(bool(options.get("dictionary", True)))
    return _CODECS[codec], {"dict_key_size_threshold": dictionary, **orc_options(table, options)}


def _described(pyorc: Any, type_: Type) -> Any:
    """Return ORC's type of the same meaning; raises Unsupported where there is none."""
    if type_.kind == "int" and type_.signed:
        return {8: pyorc.TinyInt, 16: pyorc.SmallInt, 32: pyorc.Int, 64: pyorc.BigInt}[type_.bits or 64]()
    if type_.kind == "float" and type_.bits != 16:
        return pyorc.Float() if type_.bits == 32 else pyorc.Double()
    if type_.kind == "decimal" and 0 < (type_.precision or 0) <= 38:
        return pyorc.Decimal(type_.precision, type_.scale)
    if type_.kind == "timestamp" and type_.utc and not hasattr(pyorc, "TimestampInstant"):
        raise Unsupported("this pyorc has no type of instants")
    if type_.kind == "timestamp":
        return pyorc.TimestampInstant() if type_.utc else pyorc.Timestamp()
    if type_.kind == "list":
        return pyorc.Array(_described(pyorc, type_.children[0].type))
    if type_.kind == "map":
        return pyorc.Map(*(_described(pyorc, child.type) for child in type_.children))
    if type_.kind == "struct":
        return pyorc.Struct(**{child.name: _described(pyorc, child.type) for child in type_.children})
    simple = {"bool": pyorc.Boolean, "string": pyorc.String, "bytes": pyorc.Binary, "date": pyorc.Date}
    if type_.kind not in simple:  # unions too: pyorc takes the first variant that accepts a value
        raise Unsupported(f"pyorc has no type {type_}")
    return simple[type_.kind]()


def _values_of(type_: Type) -> Callable[[Any], Any]:
    """Return how values that are not null are handed to pyorc."""
    if type_.kind == "int":
        return int
    if type_.kind == "float":
        code = ">f" if type_.bits == 32 else ">d"
        return lambda value: struct.unpack(code, bytes.fromhex(value))[0]
    if type_.kind == "timestamp":
        scale = NANOSECONDS[str(type_.unit)]
        return lambda value: Moment(int(value) * scale)
    if type_.kind == "string":
        return _text
    if type_.children:
        return _nested(type_.kind, [_nullable(_values_of(child.type)) for child in type_.children])
    simple: dict[str, Callable[[Any], Any]] = {"bytes": bytes.fromhex, "date": Day, "decimal": Digits}
    return simple.get(type_.kind, _same)


def _same(value: Any) -> Any:
    return value


def _text(value: Value) -> str:
    """Return text; what is not UTF-8 pyorc cannot be given."""
    text = str(value)
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise Unsupported(f"the text {text!r:.80} is not UTF-8")
    return text


def _nullable(value_of: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else value_of(value)


def _nested(kind: str, children: list[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    if kind == "list":
        return lambda value: [children[0](item) for item in value]
    if kind == "map":
        return lambda value: _dict(value, *children)
    return lambda value: tuple(child(item) for child, item in zip(children, value))


def _dict(pairs: list[list[Any]], key: Callable[[Any], Any], value: Callable[[Any], Any]) -> dict[Any, Any]:
    """Return a map; raises Unsupported if it has a key twice, or one that Python cannot have in a dict."""
    try:
        result = {key(pair): value(other) for pair, other in pairs}
    except TypeError as error:
        raise Unsupported(f"pyorc takes maps as dicts: {error}") from error
    if len(result) != len(pairs):
        raise Unsupported("pyorc takes maps as dicts, which have no key twice")
    return result
