"""What holds of every struct and message: what was read is written, and read again to the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from properties.fuzz.claims import attempt, holds, same
from reference_impl.wire import protobuf, thrift
from reference_impl.wire.table import Struct

if TYPE_CHECKING:
    from collections.abc import Callable

S = TypeVar("S", bound=Struct)


def check_thrift(cls: type[S], data: bytes) -> S | None:
    """Read a struct of Thrift, hold it to the above, and answer it; None if it cannot be read.

    Its bytes alone, or with the ranges of fields kept, must say the same; and bytes written by us are as long
    as reading them says.
    """
    found = attempt(thrift.decode, cls, data)
    if found is None:
        return None
    value, size = found
    holds(0 < size <= len(data), f"a struct of {size} bytes in {len(data)}")
    same(thrift.decode(cls, data[:size], keep_spans=True)[0], value, "read alone, with spans")
    written = thrift.encode(value)
    again, used = thrift.decode(cls, written)
    same(used, len(written), "bytes written and bytes read")
    same(again, value, "read, written and read")
    same(thrift.decode(cls, thrift.encode(value, long_headers=True))[0], value, "with long headers")
    return value


def check_protobuf(cls: type[S], data: bytes, read: Callable[[S], object] | None = None) -> S | None:
    """Read a message, hold it to the above, and answer it; None if it cannot be read.

    With the ranges of fields kept it must say the same; and written without packed lists.
    """
    value = attempt(protobuf.decode, cls, data)
    if value is None:
        return None
    same(protobuf.decode(cls, data, keep_spans=True), value, "read with spans")
    same(protobuf.decode(cls, protobuf.encode(value)), value, "read, written and read")
    same(protobuf.decode(cls, protobuf.encode(value, unpacked=True)), value, "with unpacked lists")
    if read is not None:
        attempt(read, value)
    return value
