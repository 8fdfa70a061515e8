"""Arrow data of any library as tagged tables, through the Arrow C data interface and nothing else.

Any object with `__arrow_c_stream__` or `__arrow_c_array__` (the Arrow PyCapsule interface) is read through
ctypes, so that no engine's bug can hide in another engine's conversion. Buffers are viewed, not copied, and
a table converts a block when the block is asked for: a large table costs its Arrow memory and one block.

Specification: https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html.
Standard library only, Python 3.9.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from corpora.tagged import BLOCK_ROWS, Field, Table, Value
from harness.engines.arrow import values as arrow_values
from harness.engines.arrow.buffers import ArrowError, CArray, validity
from harness.engines.arrow.types import Node, node
from harness.engines.errors import Unsupported


class _CSchema(ctypes.Structure):
    """`struct ArrowSchema`."""


_SchemaPointer = ctypes.POINTER(_CSchema)
_SchemaRelease = ctypes.CFUNCTYPE(None, _SchemaPointer)
_CSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(_SchemaPointer)),
    ("dictionary", _SchemaPointer),
    ("release", _SchemaRelease),
    ("private_data", ctypes.c_void_p),
]


class _CStream(ctypes.Structure):
    """`struct ArrowArrayStream`."""


_StreamPointer = ctypes.POINTER(_CStream)
_CStream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, _StreamPointer, _SchemaPointer)),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, _StreamPointer, ctypes.POINTER(CArray))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, _StreamPointer)),
    ("release", ctypes.CFUNCTYPE(None, _StreamPointer)),
    ("private_data", ctypes.c_void_p),
]

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


class StreamError(Exception):
    """The engine's own error, raised while it produced the next batch."""

    __module__ = "harness.engines.arrow_c"  # as results have it; see harness/engines/errors.py


def read(data: Any) -> Table:
    """Return all rows of `data`; raises ArrowError, Unsupported and StreamError.

    A struct becomes a table of its fields, any other type a table of one column without a name. PyArrow
    before 14 has no capsules, and exports its readers to a struct of ours. The requested schema is None,
    which some exporters (DataFusion 43) want to be told.
    """
    if type(data).__module__.startswith("pyarrow"):
        check_names(text for field in data.schema for text in (field.name, str(field.type)))
    if hasattr(data, "__arrow_c_stream__"):
        capsule = data.__arrow_c_stream__(None)  # its end would be the stream's
        root, batches = _stream(_capsule_pointer(capsule, b"arrow_array_stream"))
    elif hasattr(data, "__arrow_c_array__"):
        root, batches = _array(*data.__arrow_c_array__())
    else:
        root, batches = _exported(reader_of(data))
    is_table = root.type.kind == "struct"
    if is_table and not all(all(validity(batch.array, 0, batch.array.length) or ()) for batch in batches):
        raise ArrowError("a row that is null as a whole is no row of a table")
    fields = root.type.children if is_table else (Field("", root.type),)
    rows = sum(batch.array.length for batch in batches)
    return Table(tuple(fields), rows, Blocks(root, batches, rows) if fields else ())


def check_names(names: Iterable[str]) -> None:
    """Raise Unsupported for a name with a NUL: the C data interface ends it there, as another name.

    https://arrow.apache.org/docs/format/CDataInterface.html#c.ArrowSchema.name: "A null-terminated string".
    """
    for name in names:
        if "\0" in name:
            raise Unsupported(f"Arrow's C data interface has no name like {name!r:.80}")


class Held:
    """An array, released when it is no longer needed."""

    def __init__(self, array: CArray, owner: Any = None) -> None:
        self.array = array
        self.owner = owner  # a capsule that releases what is not ours to release
        self.dictionaries: dict[int, list[Value]] = {}
        if owner is None and array.release:
            weakref.finalize(self, _release, array).atexit = False


class Blocks(Sequence["list[list[Value]]"]):
    """The blocks of a table, converted one at a time."""

    def __init__(self, root: Node, batches: list[Held], rows: int) -> None:
        self.root = root
        self.batches = batches
        self.rows = rows

    def __len__(self) -> int:
        return (self.rows + BLOCK_ROWS - 1) // BLOCK_ROWS

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[item] for item in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        first = index % len(self) * BLOCK_ROWS
        parts = self._cut(first, min(first + BLOCK_ROWS, self.rows))
        if len(parts) == 1:
            return parts[0]
        return [[value for part in column for value in part] for column in zip(*parts)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment] # equal to lists, which have none either

    def _cut(self, first: int, last: int) -> list[list[list[Value]]]:
        """Convert the rows `first:last`, batch by batch."""
        parts = []
        begin = 0
        for batch in self.batches:
            start, end = max(first, begin), min(last, begin + batch.array.length)
            if start < end:
                parts.append(self._columns(batch, start - begin, end - start))
            begin += batch.array.length
        return parts

    def _columns(self, batch: Held, start: int, count: int) -> list[list[Value]]:
        if self.root.type.kind == "struct":
            return arrow_values.fields(self.root, batch.array, start, count, batch.dictionaries)
        return [arrow_values.read(self.root, batch.array, start, count, batch.dictionaries)]


def reader_of(table: Any) -> Any:
    """Return a reader of a table of pyarrow; those before 8 have no `to_reader`."""
    if hasattr(table, "to_reader"):
        return table.to_reader()
    from pyarrow.lib import RecordBatchReader

    return RecordBatchReader.from_batches(table.schema, table.to_batches())


def _exported(reader: Any) -> tuple[Node, list[Held]]:
    stream = _CStream()
    reader._export_to_c(ctypes.addressof(stream))
    try:
        return _stream(ctypes.addressof(stream))
    finally:
        _release(stream)


def open_stream(data: Any) -> tuple[Node, Iterator[Held]]:
    """Return the type of an object with `__arrow_c_stream__`, and its batches, made as they are asked for.

    Raises ArrowError, Unsupported and StreamError.
    """
    capsule = data.__arrow_c_stream__(None)
    pointer = _capsule_pointer(capsule, b"arrow_array_stream")
    return _root(pointer), _owned(pointer, capsule)


def batch(data: Any) -> tuple[Node, Held]:
    """Return a record batch: its type, and its array; raises ArrowError and Unsupported."""
    if hasattr(data, "__arrow_c_array__"):
        root, (held,) = _array(*data.__arrow_c_array__())
    else:
        array, schema = CArray(), _CSchema()
        data._export_to_c(ctypes.addressof(array), ctypes.addressof(schema))
        held = Held(array)
        try:
            root = _node(schema)
        finally:
            _release(schema)
    return root, held


def _stream(address: Any) -> tuple[Node, list[Held]]:
    """Take the schema and all batches of a stream; whoever owns the stream releases it."""
    return _root(address), list(_batches(address))


def _root(address: Any) -> Node:
    pointer = ctypes.cast(address, _StreamPointer)
    schema = _CSchema()
    _check(pointer.contents.get_schema(pointer, ctypes.byref(schema)), pointer)
    try:
        return _node(schema)
    finally:
        _release(schema)


def _owned(address: Any, capsule: Any) -> Iterator[Held]:
    """Yield the batches of a stream, which ends with its capsule."""
    yield from _batches(address)
    del capsule


def _batches(address: Any) -> Iterator[Held]:
    pointer = ctypes.cast(address, _StreamPointer)
    while True:
        array = CArray()
        _check(pointer.contents.get_next(pointer, ctypes.byref(array)), pointer)
        if not array.release:  # the end of the stream
            return
        yield Held(array)


def _array(schema_capsule: Any, array_capsule: Any) -> tuple[Node, list[Held]]:
    schema = ctypes.cast(_capsule_pointer(schema_capsule, b"arrow_schema"), _SchemaPointer)
    array = ctypes.cast(_capsule_pointer(array_capsule, b"arrow_array"), ctypes.POINTER(CArray))
    return _node(schema.contents), [Held(array.contents, array_capsule)]


def _check(status: int, stream: Any) -> None:
    if status:
        message = stream.contents.get_last_error(stream)
        raise StreamError(message.decode("utf-8", "replace") if message else f"errno {status}")


def _release(owned: Any) -> None:
    if owned.release:
        owned.release(ctypes.byref(owned))


def _node(schema: _CSchema) -> Node:
    """Return the type tree of a schema."""
    children = [_node(schema.children[at].contents) for at in range(schema.n_children)]
    dictionary = _node(schema.dictionary.contents) if schema.dictionary else None
    name = (schema.name or b"").decode("utf-8", "surrogateescape")
    return node(name, schema.format.decode("ascii"), children, dictionary, _metadata(schema.metadata))


def _metadata(address: int | None) -> dict[bytes, bytes]:
    """Read the key-value pairs: counts and lengths are native int32."""
    if not address:
        return {}
    at = address + 4
    words = []
    for _ in range(2 * ctypes.c_int32.from_address(address).value):
        size = ctypes.c_int32.from_address(at).value
        words.append(ctypes.string_at(at + 4, size))
        at += 4 + size
    return dict(zip(words[::2], words[1::2]))
