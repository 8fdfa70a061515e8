"""Files around their stripes: writers, versions, metadata, unknown fields, empty files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from corpora.build.orc import samples
from corpora.build.orc.additions import Without
from corpora.build.orc.schemas import (
    INT,
    LONG,
    STRING,
    column_plan,
    column_recipe,
    leaf,
    list_of,
    plan,
    recipe,
    struct_of,
)
from corpora.build.recipe import Recipe
from corpora.build.silences import NOT_OPTIONAL
from reference_impl.orc.plan import Chunks, Column, Dictionary, FilePlan
from reference_impl.orc.schema import CompressionKind, EdgeInterpolationAlgorithm, StringPair, TypeKind

_TAIL = "ORCv1.md, File Tail"
_POSTSCRIPT = "ORCv1.md, Postscript"
_PROTOBUF = "Protocol Buffers, Encoding"
_WRITERS = (None, 0, 1, 2, 3, 4, 5, 99)


def recipes() -> Iterator[Recipe]:
    """Yield the files."""
    return chain(_nothing(), _writers(), _messages(), _defaults(), _old(), _types())


def _table() -> FilePlan:
    rows = [
        (number, None if number % 4 == 1 else b"ab"[number % 2 :], [number] * (number % 3))
        for number in range(5)
    ]
    return plan(struct_of(i=INT, s=STRING, l=list_of(LONG)), rows, row_index_stride=3)


def _nothing() -> Iterator[Recipe]:
    """Yield files without rows, stripes, columns, statistics or an index."""
    none = replace(_table(), rows=())
    yield recipe("file/no-stripes", none, _TAIL)
    yield recipe("file/one-stripe-without-rows", replace(none, stripes=(0,)), _TAIL)
    bare_ = replace(none, stripes=(0,), columns=(Column(empty_streams=False, index=None),) * 5)
    yield recipe("file/one-stripe-without-streams", bare_, _TAIL, either=NOT_OPTIONAL)
    yield recipe("file/three-stripes-without-rows", replace(none, stripes=(0, 0, 0)), _TAIL)
    for kind in CompressionKind:
        if kind is not CompressionKind.NONE:
            file = replace(none, compression=kind, tail_chunks=Chunks((5,)))
            yield recipe(f"file/no-stripes/{kind.name.lower()}", file, _TAIL)
    empty = plan(struct_of(), [])
    yield recipe(
        "file/no-columns-no-rows", empty, _TAIL, either="the tables of engines have at least one column"
    )
    bare = replace(_table(), file_statistics=False, stripe_statistics=False, row_index_stride=0)
    yield recipe("file/bare", bare, _TAIL)
    yield recipe("file/one-row", column_plan(INT, [7]), _TAIL)
    yield recipe("file/one-null", column_plan(INT, [None]), _TAIL)


def _writers() -> Iterator[Recipe]:
    """Yield every writer and version, also unknown numbers, which are of the future and readable."""
    spec = "orc_proto.proto, Footer.writer"
    for writer in _WRITERS:
        name = "absent" if writer is None else str(writer)
        yield recipe(f"writer/{name}", replace(_table(), writer=writer), spec)
    for version in (None, 0, 3, 4, 5, 6, 7, 8, 10, 200):
        file = replace(_table(), writer_version=version)
        name = "absent" if version is None else str(version)
        yield recipe(f"writer/version-{name}", file, "orc_proto.proto, PostScript.writer_version")
    for text in (None, "", "1.6.0", "colconf \u65e5\u672c"):
        name = {None: "absent", "": "empty", "1.6.0": "number-only"}.get(text, "not-ascii")
        file = replace(_table(), software_version=text)
        yield recipe(f"writer/software-version-{name}", file, "orc_proto.proto, Footer.software_version")
    for version_ in ((0, 12), (0, 11)):
        file = plan(struct_of(x=INT), [(1,), (None,), (3,)], Column(rle=1), version=version_)
        yield recipe(f"file/version-{version_[0]}-{version_[1]}", file, _POSTSCRIPT)


def _messages() -> Iterator[Recipe]:
    """Yield legal forms of Protocol Buffers: unknown fields, and repeated numbers that are not packed."""
    for kind in (CompressionKind.NONE, CompressionKind.ZLIB):
        base = replace(_table(), compression=kind, stripes=(4, 1))
        name = kind.name.lower()
        yield recipe(f"message/unknown-fields/{name}", replace(base, unknown_fields=True), _PROTOBUF)
        yield recipe(f"message/unpacked/{name}", replace(base, unpacked=True), _PROTOBUF)
        both = replace(base, unknown_fields=True, unpacked=True)
        yield recipe(f"message/unknown-and-unpacked/{name}", both, _PROTOBUF)
    spec = "ORCv1.md, User Metadata"
    for name_, pairs in {
        "one": (("my.key", b"value"),),
        "binary": (("bytes", bytes(range(256))),),
        "empty": (("", b""), ("empty", b"")),
        "twice": (("a", b"1"), ("a", b"2")),
        "not-ascii": (("\u65e5\u672c", b"x"),),
        "large": (("large", b"x" * 5000),),
    }.items():
        yield recipe(f"metadata/{name_}", replace(_table(), metadata=pairs), spec)
    for sizes in ((1,), (3,), (50, 1)):
        file = replace(_table(), compression=CompressionKind.SNAPPY, tail_chunks=Chunks(sizes))
        file = replace(file, metadata=(("k", b"v" * 90),))
        yield recipe(f"message/tail-chunks/{'-'.join(map(str, sizes))}", file, "ORCv1.md, Compression")


def _defaults() -> Iterator[Recipe]:
    """Yield messages without the fields that have their default value."""
    base = replace(_table(), row_index_stride=0, stripes=(5, 0))
    empty = replace(base, rows=(), stripes=(0, 0))
    forms: dict[str, tuple[FilePlan, dict[str, tuple[str, ...]]]] = {
        "stream": (column_plan(INT, [None, None]), {"Stream": ("column", "length")}),
        "encoding": (replace(base, columns=(Column(rle=1),) * 5), {"ColumnEncoding": ("kind",)}),
        "stripe": (base, {"StripeInformation": ("index_length", "data_length", "number_of_rows")}),
        "footer": (empty, {"Footer": ("number_of_rows", "row_index_stride")}),
        "postscript": (
            replace(base, stripe_statistics=False),
            {"PostScript": ("compression", "metadata_length")},
        ),
    }
    for name, (file, fields) in forms.items():
        spec = f"{_PROTOBUF}; orc_proto.proto"
        yield recipe(f"message/defaults/{name}", file, spec, tamper=Without(fields))
    kind = Without({"Stream": ("kind",)})
    either = "kind of Stream is required in ORCv1.md, optional with default PRESENT in orc_proto"
    file = column_plan(INT, [None, 5])
    yield recipe("message/defaults/kind-of-stream", file, _PROTOBUF, tamper=kind, either=either)


def _old() -> Iterator[Recipe]:
    """Yield files as of Hive 0.11: version [0, 11], all integers in version 1, no writer version."""
    old: dict[str, Any] = {
        "version": (0, 11),
        "writer": None,
        "writer_version": None,
        "software_version": None,
        "calendar": None,
    }
    types = {kind.name.lower(): type_ for kind, type_ in samples.TYPES.items() if kind not in _LATER}
    columns = [[*samples.VALUES[kind][:3], None] for kind in samples.TYPES if kind not in _LATER]
    rows = list(zip(*columns, strict=True))
    file = plan(struct_of(**types), rows, Column(rle=1), **old)
    yield recipe("hive-0.11/types", file, _POSTSCRIPT)
    first_ = Without({"PostScript": ("magic", "version")})
    notes = "the first files of Hive 0.11 have neither magic nor version in the postscript"
    yield recipe("hive-0.11/without-magic", file, _POSTSCRIPT, notes=notes, level="SHOULD", tamper=first_)
    file = column_plan(STRING, [b"a", b"b", None, b"a"], Column(rle=1, dictionary=Dictionary()), **old)
    yield recipe("hive-0.11/dictionary", file, _POSTSCRIPT)
    first = (Column(rle=1),) * 5
    yield recipe("hive-0.11/table", replace(_table(), columns=first, **old), _POSTSCRIPT)
    squeezed = replace(_table(), columns=first, compression=CompressionKind.ZLIB, **old)
    yield recipe("hive-0.11/compressed", squeezed, _POSTSCRIPT)


_LATER = (
    *(TypeKind.TIMESTAMP_INSTANT, TypeKind.CHAR, TypeKind.VARCHAR, TypeKind.DATE),
    *(TypeKind.GEOMETRY, TypeKind.GEOGRAPHY),
)


def _types() -> Iterator[Recipe]:
    """Yield types with attributes, coordinate systems and edge algorithms."""
    spec = "orc_proto.proto, Type.attributes"
    for name, pairs in {
        "one": (StringPair(key="iceberg.id", value="1"),),
        "two": (StringPair(key="a", value="b"), StringPair(key="c", value="")),
        "key-only": (StringPair(key="a"),),
        "value-only": (StringPair(value="a"),),
    }.items():
        yield column_recipe(f"type-attributes/{name}", spec, leaf(TypeKind.INT, attributes=pairs), [1, None])
    values = samples.VALUES[TypeKind.GEOMETRY]
    for crs in (None, "OGC:CRS84", "EPSG:3857"):
        name = "none" if crs is None else crs.lower().replace(":", "-")
        for kind in (TypeKind.GEOMETRY, TypeKind.GEOGRAPHY):
            case = f"{kind.name.lower()}/crs/{name}"
            yield column_recipe(case, "orc_proto.proto, Type.crs", leaf(kind, crs=crs), values)
    kind = TypeKind.GEOGRAPHY
    edges = {each.name.lower(): leaf(kind, algorithm=each) for each in EdgeInterpolationAlgorithm}
    file = plan(struct_of(**edges), [(value,) * len(edges) for value in values])
    yield recipe("geography/edges", file, "orc_proto.proto, Type.algorithm")
