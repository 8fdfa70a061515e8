"""Arrow's format strings and extension types as tagged types."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from corpora import tagged
from corpora.tagged import Type
from harness.engines.errors import Unsupported

# Schema.fbs, Decimal: up to 256 bits, which are 76 digits; so says a library that is to make a type of more.
BEYOND_DIGITS = "Decimal precision out of range [1, 76]"


@dataclass(frozen=True)
class Node:
    """A field of an Arrow schema.

    `layout` says how its buffers are read (a function of `arrow_values`), `code` is the `struct` code
    of its fixed-size values or offsets, `width` the bytes of a value, or the elements of a fixed-size list.
    `type_ids` are what a union's buffer of types calls its children, in their order.
    `mark` is what Spark says on a struct's field: the struct is a `variant`, `geometry` or `geography`.
    """

    name: str
    type: Type
    layout: str
    code: str = ""
    width: int = 0
    children: tuple[Node, ...] = ()
    dictionary: Node | None = None
    mark: str = ""
    type_ids: tuple[int, ...] = ()


_MARKS = ("variant", "geometry", "geography")
_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}
_INTS = {"c": 8, "s": 16, "i": 32, "l": 64}
_CODES = {8: "b", 16: "h", 32: "i", 64: "q"}
_FLOATS = {"e": (16, "H"), "f": (32, "I"), "g": (64, "Q")}
_TEXTS = {
    "u": ("text", "i", tagged.STRING),
    "U": ("text", "q", tagged.STRING),
    "vu": ("text_view", "", tagged.STRING),
    "z": ("binary", "i", tagged.BYTES),
    "Z": ("binary", "q", tagged.BYTES),
    "vz": ("binary_view", "", tagged.BYTES),
}
_LISTS = {"+l": ("list", "i"), "+L": ("list", "q"), "+vl": ("list_view", "i"), "+vL": ("list_view", "q")}
_INTERVALS = {"tiM": "months", "tiD": "days_millis", "tin": "months_days_nanos"}
_SIMPLE = {
    "n": ("nulls", "", tagged.NULL),
    "b": ("bools", "", tagged.BOOL),
    "tdD": ("integers", "i", tagged.DATE),
    "tdm": ("date_millis", "q", tagged.DATE),
}


def node(
    name: str, code: str, children: list[Node], dictionary: Node | None, metadata: dict[bytes, bytes]
) -> Node:
    """Return the node of a schema's field; raises Unsupported for a type that is not known."""
    if dictionary:
        inner = _plain(name, code, [])
        return Node(name, dictionary.type, "dictionary", inner.code, dictionary=dictionary)
    plain = _plain(name, code, children)
    extension = metadata.get(b"ARROW:extension:name", b"").decode("utf-8", "replace")
    if not extension:
        mark = next((mark for mark in _MARKS if metadata.get(mark.encode()) == b"true"), "")
        return replace(plain, mark=mark) if mark else _marked(plain)
    return _extended(plain, extension, metadata.get(b"ARROW:extension:metadata", b""))


def _plain(name: str, code: str, children: list[Node]) -> Node:
    if code in _SIMPLE:
        layout, letter, type_ = _SIMPLE[code]
        return Node(name, type_, layout, letter)
    if code.lower() in _INTS:
        bits = _INTS[code.lower()]
        signed = code.islower()
        letter = _CODES[bits] if signed else _CODES[bits].upper()
        return Node(name, tagged.integer(bits, signed=signed), "integers", letter)
    if code in _FLOATS:
        bits, letter = _FLOATS[code]
        return Node(name, tagged.floating(bits), "floats", letter, bits // 8)
    if code in _TEXTS:
        layout, letter, type_ = _TEXTS[code]
        return Node(name, type_, layout, letter)
    if code.startswith("w:"):
        return Node(name, tagged.BYTES, "fixed", width=int(code[2:]))
    if code.startswith("d:"):
        return _decimal(name, code[2:])
    if code.startswith("t"):
        return _temporal(name, code)
    return _nested(name, code, tuple(children))


def _decimal(name: str, parameters: str) -> Node:
    precision, scale, *rest = map(int, parameters.split(","))
    bits = rest[0] if rest else 128
    type_ = tagged.decimal(precision, scale)
    if bits in (32, 64):
        return Node(name, type_, "integers", _CODES[bits])
    return Node(name, type_, "wide_integers", width=bits // 8)


def _temporal(name: str, code: str) -> Node:
    if code in _INTERVALS:
        return Node(name, tagged.INTERVAL, _INTERVALS[code])
    unit = _UNITS.get(code[2:3])
    if unit and code.startswith("tt"):
        return Node(name, tagged.time(unit, utc=False), "integers", "i" if unit in ("s", "ms") else "q")
    if unit and code.startswith("ts") and code[3:4] == ":":
        return Node(name, tagged.timestamp(unit, utc=bool(code[4:])), "integers", "q")
    if unit and code.startswith("tD"):
        return Node(name, tagged.duration(unit), "integers", "q")
    raise Unsupported(f"Arrow type {code!r} of {name!r} is not known to colconf")


def _nested(name: str, code: str, children: tuple[Node, ...]) -> Node:
    if code in _LISTS:
        layout, letter = _LISTS[code]
        return Node(name, tagged.list_of(children[0].type), layout, letter, children=children)
    if code.startswith("+w:"):
        return Node(
            name, tagged.list_of(children[0].type), "fixed_list", width=int(code[3:]), children=children
        )
    if code == "+s":
        type_ = tagged.struct_of((child.name, child.type) for child in children)
        return Node(name, type_, "struct", children=children)
    if code == "+m":
        key, value = children[0].children
        return Node(name, tagged.map_of(key.type, value.type), "list", "i", children=children)
    if code.startswith(("+ud:", "+us:")):
        types = tuple(map(int, filter(None, code[4:].split(","))))
        layout = "dense_union" if code[2] == "d" else "sparse_union"
        of = tagged.union_of(child.type for child in children)
        return Node(name, of, layout, children=children, type_ids=types)
    if code == "+r":
        ends, values = children
        return Node(name, values.type, "run_end_encoded", ends.code, children=children)
    raise Unsupported(f"Arrow type {code!r} of {name!r} is not known to colconf")


def _extended(plain: Node, extension: str, metadata: bytes) -> Node:
    """Return the node under its extension type; an extension that is not known here is its storage."""
    kind, fields = plain.type.kind, [child.name for child in plain.children]
    wanted = {"arrow.uuid": ("bytes", "uuid"), "arrow.json": ("string", "json")}.get(extension)
    if extension in ("geoarrow.wkb", "ogc.wkb"):
        wanted = ("bytes", "geography" if _has_edges(metadata) else "geometry")
    if wanted and kind == wanted[0]:
        return replace(plain, type=Type(wanted[1]))
    # DuckDB's TIME WITH TIME ZONE, which has a name of its own in 1.1, and is opaque since 1.2.
    is_time_tz = extension == "duckdb.time_tz" or (extension == "arrow.opaque" and b'"time_tz"' in metadata)
    if is_time_tz and plain.width == 8:
        return replace(plain, type=tagged.time("us", utc=True), layout="duckdb_time_tz")
    if extension == "arrow.bool8" and plain.type == tagged.integer(8):
        return replace(plain, type=tagged.BOOL, layout="bytes_as_bools")
    if extension in ("arrow.parquet.variant", "parquet.variant"):
        return _variant(plain, fields)
    return plain


def _marked(plain: Node) -> Node:
    """Return a struct in which Spark carries a type that Arrow lacks, as that type."""
    if plain.layout != "struct":
        return plain
    fields, marks = [child.name for child in plain.children], {child.mark for child in plain.children}
    if "variant" in marks:
        return _variant(plain, fields)
    kinds = marks & {"geometry", "geography"}
    if kinds and fields == ["srid", "wkb"]:
        return replace(plain, type=Type(kinds.pop()), layout="second_field")
    return plain


def _variant(plain: Node, fields: list[str]) -> Node:
    """Return the two binaries; a shredded variant stays a struct, as the engine returned it."""
    if sorted(fields) != ["metadata", "value"]:
        return plain
    layout = "struct" if fields[0] == "metadata" else "struct_reversed"
    return replace(plain, type=Type("variant"), layout=layout)


def _has_edges(metadata: bytes) -> bool:
    """Return whether GeoArrow's metadata gives edges that are not planar: then it is a geography."""
    try:
        message: Any = json.loads(metadata or b"{}")
    except ValueError:
        return False
    return isinstance(message, dict) and message.get("edges", "planar") != "planar"
