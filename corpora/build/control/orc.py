"""The control files of ORC: each type, each codec, nested types, stripes, and no rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from corpora.build.orc.schemas import INT, STRING, Types, leaf, list_of, map_of, plan, struct_of
from corpora.build.recipe import Recipe, slug
from corpora.queries import Batches, Project, RowGroup
from reference_impl.orc.plan import FilePlan
from reference_impl.orc.schema import CompressionKind, TypeKind

X = "x"  # the column in question
_SPEC = "control set"
_CODECS = ("ZLIB", "SNAPPY", "LZ4", "ZSTD")
_MOMENTS = ((0, 0), (1, 5_000), (1_582_934_400, 0))
_TEXTS = (b"apple", b"grape", b"peach")
# Values of a column of each type, in rising order.
_VALUES: dict[TypeKind, Sequence[Any]] = {
    TypeKind.BOOLEAN: (False, True),
    **dict.fromkeys((TypeKind.BYTE, TypeKind.SHORT, TypeKind.INT, TypeKind.LONG), (1, 2, 3)),
    **dict.fromkeys((TypeKind.FLOAT, TypeKind.DOUBLE), (-1.5, 0.5, 2.0)),
    **dict.fromkeys((TypeKind.STRING, TypeKind.VARCHAR, TypeKind.CHAR), _TEXTS),
    TypeKind.BINARY: (b"a", b"b", b"c"),
    TypeKind.DATE: (0, 1, 18_321),
    **dict.fromkeys((TypeKind.TIMESTAMP, TypeKind.TIMESTAMP_INSTANT), _MOMENTS),
    TypeKind.DECIMAL: (100, 250, 999),
}
_FIELDS: dict[TypeKind, dict[str, int]] = {
    TypeKind.CHAR: {"maximum_length": 5},
    TypeKind.VARCHAR: {"maximum_length": 5},
    TypeKind.DECIMAL: {"precision": 10, "scale": 2},
}


def recipes() -> Iterator[Recipe]:
    """Yield the recipes; the first shows nothing but what any file has."""
    yield _recipe("plain", _plan(INT, (1, 2, 3)), queries=(Project((X,)), Batches(2)))
    stripes = _plan(INT, (1, 2, 3), stripes=(2, 2))
    yield _recipe("stripes", stripes, queries=(RowGroup(1),))
    yield _recipe("empty", plan(struct_of(id=INT, x=INT), ()), queries=(Project((X,)),))
    for codec in _CODECS:
        compressed = _plan(INT, (1, 2, 3), compression=CompressionKind[codec])
        yield _recipe(f"codec-{slug(codec)}", compressed)
    for kind, values in _VALUES.items():
        yield _recipe(slug(kind.name), _plan(leaf(kind, **_FIELDS.get(kind, {})), values), probed=(X,))
    nested = {
        "list": (list_of(INT), ([1, 2], [])),
        "map": (map_of(STRING, INT), ([(b"a", 1), (b"b", 2)], [])),
        "struct": (struct_of(a=INT, b=STRING), ((1, b"x"), (2, None))),
    }
    for name, (type_, values) in nested.items():
        yield _recipe(name, _plan(type_, values), queries=(Project((X,)),))


def _recipe(name: str, plan_: FilePlan, **more: Any) -> Recipe:
    return Recipe(name, plan_, _SPEC, format="orc", **more)


def _plan(type_: Types, values: Sequence[Any], **more: Any) -> FilePlan:
    """Return the plan of a file of a row number and a column, with a null at the end."""
    rows = [(number, value) for number, value in enumerate((*values, None))]
    return plan(struct_of(id=INT, x=type_), rows, **more)
