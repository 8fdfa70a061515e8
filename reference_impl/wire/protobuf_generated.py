"""Generated decoders of messages of Protocol Buffers: a quick way to what `protobuf.decode` defines.

The decoder of a message is a function whose source follows from the message's table (`wire/generated.py`).
It knows what writers usually write: known fields in ascending order, values of a list together. Anything
else, legal or malformed, raises one of UNUSUAL, and the strict reader of `wire/protobuf.py` reads the bytes
again. Of StringPair (1: optional string key, 2: optional string value) the source is

    def decode(data, pos, size, base):
        start = pos
        v1 = None
        v2 = None
        while pos < size:  # once: a block to break out of
            tag = data[pos]
            pos += 1
            if tag == 10:
                number = data[pos]
                pos += 1
                if number >= 128:
                    number, pos = varint(data, pos - 1, 64)
                stop = pos + number
                if stop > size:
                    raise Unusual
                v1 = data[pos:stop].decode("utf-8", "surrogateescape")
                pos = stop
                if pos >= size:
                    break
                tag = data[pos]
                pos += 1
            ...
            raise Unusual
        if pos != size:
            raise Unusual
        value = new(cls)
        value.key = v1
        ...
        return value
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

from reference_impl.wire.generated import Names, Unusual, function_of, instance
from reference_impl.wire.protobuf_records import CONVERSIONS, FIXED, LEN, Failure, code_of_wire, varint
from reference_impl.wire.table import ListOf, Row, Scalar, Struct, Table, Wire

# The message in data[pos:size] of which data[0] is at offset `base` of the file.
Quick = Callable[[bytes, int, int, int], Any]
UNUSUAL = (Unusual, Failure, IndexError)  # what a decoder raises for bytes that it does not know
_TWO_BYTES = 16  # the least number of a field whose tag has two bytes
_DECODERS: dict[type[Struct], Quick] = {}


def decoder_of(cls: type[Struct]) -> Quick:
    """Return the generated decoder of a message, built at first use; tables may not contain themselves."""
    decoder = _DECODERS.get(cls)
    if decoder is None:
        decoder = _DECODERS[cls] = function_of(cls, _message)
    return decoder


def _message(table: Table, names: Names) -> Iterator[str]:
    names["varint"] = varint
    rows = sorted(table.rows, key=lambda row: row.id)
    defaults = {item.name: item.default for item in fields(table.cls)}
    yield "def decode(data, pos, size, base):"
    yield "    start = pos"
    for row in rows:
        yield f"    v{row.id} = {defaults[row.name]!r}"
    wide = rows[-1].id >= _TWO_BYTES if rows else False
    yield "    while pos < size:"
    yield from (f"        {line}" for line in _tag(wide=wide))
    for row in rows:
        yield from (f"        {line}" for line in _field(row, names, wide=wide))
    yield "        raise Unusual"
    yield "    if pos != size:"
    yield "        raise Unusual"
    yield from instance(rows, "start", "size")
    yield "    return value"


def _tag(*, wide: bool) -> Iterator[str]:
    """Yield the lines that read a tag. `wide`: a field has a tag of two bytes, else such tags are unknown."""
    yield "tag = data[pos]"
    yield "pos += 1"
    if wide:
        yield "if tag >= 128:"
        yield "    tag, pos = varint(data, pos - 1, 32)"


def _next(*, wide: bool) -> Iterator[str]:
    """Yield the lines that read the next tag, or leave at the end; a value beyond it shows in `pos`."""
    yield "if pos >= size:"
    yield "    break"
    yield from _tag(wide=wide)


def _field(row: Row, names: Names, *, wide: bool) -> Iterator[str]:
    """Yield the lines that read the records of a field, if they are next."""
    target = f"v{row.id}"
    if not isinstance(row.wire, ListOf):
        yield f"if tag == {row.id << 3 | code_of_wire(row.wire)}:"
        yield from (f"    {line}" for line in _value(row.wire, target, names))
        yield from (f"    {line}" for line in _next(wide=wide))
        return
    element = row.wire.element
    code = code_of_wire(element)
    if row.wire.packed:
        yield f"if tag == {row.id << 3 | LEN}:"
        yield from (f"    {line}" for line in _packed(element, target, names))
        yield from (f"    {line}" for line in _next(wide=wide))
        return
    yield f"if tag == {row.id << 3 | code}:"
    yield f"    {target} = []"
    yield f"    while tag == {row.id << 3 | code}:"
    yield from (f"        {line}" for line in _value(element, "item", names))
    yield f"        {target}.append(item)"
    yield "        tag = -1"
    yield from (f"        {line}" for line in _next(wide=wide))
    yield f"    {target} = tuple({target})"
    yield "    if tag == -1:"
    yield "        break"


def _number(target: str = "number") -> Iterator[str]:
    yield f"{target} = data[pos]"
    yield "pos += 1"
    yield f"if {target} >= 128:"
    yield f"    {target}, pos = varint(data, pos - 1, 64)"


def _length() -> Iterator[str]:
    yield from _number()
    yield "stop = pos + number"
    yield "if stop > size:"
    yield "    raise Unusual"


def _value(wire: Wire, target: str, names: Names) -> Iterator[str]:
    """Yield the lines that read the value at `pos`, which is no list, into the variable `target`."""
    if isinstance(wire, Scalar) and wire in CONVERSIONS:
        yield from _number("raw")
        yield f"{target} = {CONVERSIONS[wire]}"
    elif isinstance(wire, Scalar) and wire in FIXED:
        names[f"as_{wire.name}"] = FIXED[wire].unpack_from
        yield "if size - pos < 8:"
        yield "    raise Unusual"
        yield f"{target} = as_{wire.name}(data, pos)[0]"
        yield "pos += 8"
    elif isinstance(wire, Scalar):
        yield from _length()
        text = '.decode("utf-8", "surrogateescape")' if wire is Scalar.STRING else ""
        yield f"{target} = data[pos:stop]{text}"
        yield "pos = stop"
    elif isinstance(wire, type) and issubclass(wire, Struct):
        names[f"read_{wire.__name__}"] = decoder_of(wire)
        yield from _length()
        yield f"{target} = read_{wire.__name__}(data, pos, stop, base)"
        yield "pos = stop"
    else:
        yield from _member(wire, target, names)


def _member(wire: Any, target: str, names: Names) -> Iterator[str]:
    """Yield the lines that read a member of an enum; other numbers are for the strict reader."""
    names[f"members_{wire.__name__}"] = {int(member): member for member in wire}
    yield from _number()
    yield f"{target} = members_{wire.__name__}.get(number)"
    yield f"if {target} is None:"
    yield "    raise Unusual"


def _packed(wire: Wire, target: str, names: Names) -> Iterator[str]:
    yield from _length()
    yield f"{target} = []"
    yield "while pos < stop:"
    yield from (f"    {line}" for line in _value(wire, "item", names))
    yield f"    {target}.append(item)"
    yield "if pos != stop:"
    yield "    raise Unusual"
    yield f"{target} = tuple({target})"
