"""Every logical type on every storage, in every form of annotation, in plain pages and with dictionary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corpora.build import samples
from corpora.build.kinds import KINDS, ColumnKind
from corpora.build.recipe import OPTIONAL, REQUIRED, Elements, Recipe, group, leaf, schema, text
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Page
from reference_impl.parquet.schema import (
    ConvertedType,
    DecimalType,
    Empty,
    Encoding,
    LogicalType,
    TimestampType,
    TimeUnit,
    Type,
    VariantType,
)

_FUTURE = ((40, 12, b"\x00"),)  # an unknown member of a union: an empty struct
_CLAUSES = {
    "string": "STRING",
    "enum": "ENUM",
    "json": "JSON",
    "bson": "BSON",
    "int": "Signed Integers",
    "uint": "Unsigned Integers",
    "decimal": "DECIMAL",
    "date": "DATE",
    "time": "TIME",
    "timestamp": "TIMESTAMP",
    "uuid": "UUID",
    "float16": "FLOAT16",
    "interval": "INTERVAL",
    "geometry": "GEOMETRY",
    "geography": "GEOGRAPHY",
    "unknown": "UNKNOWN (always null)",
}


def recipes() -> Iterator[Recipe]:
    """Yield the matrix, groups, and annotations that are unknown to readers."""
    for kind in KINDS:
        yield from _kind(kind)
    yield from _ends_of_micros()
    yield from _variants()
    yield from _references()
    yield from _unknown_annotations()
    yield from _contradictions()


def _clause(kind: ColumnKind) -> str:
    if kind.form == "none":
        return "LogicalTypes.md, INT96" if kind.type == Type.INT96 else "parquet.thrift, Type"
    return f"LogicalTypes.md, {_CLAUSES[kind.name.partition('/')[0].partition('-')[0]]}"


def _kind(kind: ColumnKind) -> Iterator[Recipe]:
    """Yield a kind required in plain pages, and optional with a dictionary and a fallback."""
    features: tuple[str, ...] = ("parquet/logical/converted-only",) * (kind.form == "converted")
    features += ("parquet/levels/all-null",) * (not kind.values)
    optional = Column((Page(5, Encoding.RLE_DICTIONARY, 2), Page(5, version=2)), dictionary=Dictionary())
    if kind.values:
        plan = samples.plan(samples.BY_NAME["required"], kind.fields, kind.values, Column())
        yield Recipe(f"logical/{kind.name}/{kind.form}/required", plan, _clause(kind), features=features)
    plan = samples.plan(samples.BY_NAME["optional"], kind.fields, kind.values, optional)
    yield Recipe(f"logical/{kind.name}/{kind.form}/optional", plan, _clause(kind), features=features)


def _ends_of_micros() -> Iterator[Recipe]:
    """Yield timestamps in milliseconds: the last that fits int64 as microseconds, others, and the extremes.

    `corpora.build.silences.far_moments` decides which a reader may refuse.
    """
    last = ((1 << 63) - 1) // 1000
    values = {
        "last-in-micros": (-last, 0, last),
        "first-beyond-micros": (last + 1,),
        "first-before-micros": (-last - 1,),
        "ends-of-int64": (1 - (1 << 63), 0, (1 << 63) - 1),
    }
    for kind in KINDS:
        if kind.name.startswith("timestamp-millis-") and kind.form == "both":
            for name, moments in values.items():
                plan = samples.plan(samples.BY_NAME["required"], kind.fields, moments, Column())
                yield Recipe(f"logical/{kind.name}/{name}", plan, _clause(kind))


def _variants() -> Iterator[Recipe]:
    """Yield unshredded variants: null, and short values of VariantEncoding.md."""
    metadata = b"\x01\x00\x00"
    values = (b"\x00", b"\x0c\x2a", b"\x05a", b"\x04", b"\x08")  # null, int8 42, "a", true, false
    spec = "LogicalTypes.md, VARIANT"
    for version in (None, 1):
        variant = LogicalType(VARIANT=VariantType(specification_version=version))
        for name, repetition in (("required", REQUIRED), ("optional", OPTIONAL)):
            columns = leaf("metadata", Type.BYTE_ARRAY), leaf("value", Type.BYTE_ARRAY)
            field = group("a", repetition, *columns, logicalType=variant)
            rows: list[Any] = [{"a": {"metadata": metadata, "value": value}} for value in values]
            rows += [{"a": None}] if repetition == OPTIONAL else []
            case = f"logical/variant/{'no-version' if version is None else 'version-1'}/{name}"
            yield Recipe(case, FilePlan(schema(field), tuple(rows)), spec)


def _references() -> Iterator[Recipe]:
    """Yield references to files: with all their fields, and with only the used fields."""
    fields = {
        "uri": text("uri", OPTIONAL),
        "offset": leaf("offset", Type.INT64, OPTIONAL),
        "size": leaf("size", Type.INT64, OPTIONAL),
        "content_type": text("content_type", OPTIONAL),
        "checksum": text("checksum", OPTIONAL),
        "inline": leaf("inline", Type.BYTE_ARRAY, OPTIONAL),
    }
    nothing: dict[str, Any] = dict.fromkeys(fields)
    whole = {**nothing, "uri": b"file.bin"}
    part = {**whole, "offset": 4, "size": 10, "content_type": b"text/plain", "checksum": b"crc32:0"}
    inline = {**nothing, "inline": b"\x00\xff"}
    for name, used in {"all": tuple(fields), "uri-only": ("uri",), "inline-only": ("inline",)}.items():
        for repetition in (REQUIRED, OPTIONAL):
            logical = LogicalType(FILE=Empty())
            field = group("a", repetition, *(fields[field] for field in used), logicalType=logical)
            values: list[Any] = [{field: value[field] for field in used} for value in (whole, part, inline)]
            values += [None] if repetition else []
            rows = tuple({"a": value} for value in values)
            case = f"logical/file/{name}/{repetition.name.lower()}"
            yield Recipe(case, FilePlan(schema(field), rows), "LogicalTypes.md, FILE", level="SHOULD")


def _flat(field: Elements, values: tuple[int, ...]) -> FilePlan:
    return FilePlan(schema(field), tuple({"x": value} for value in values))


def _unknown_annotations() -> Iterator[Recipe]:
    """Yield annotations from the future, for which readers return the physical value."""
    spec = "LogicalTypes.md, Metadata"
    features = ("parquet/logical/future",)
    values = (-1, 0, 1)
    new = leaf("x", Type.INT64, logicalType=LogicalType(unknown=_FUTURE))
    notes = "a LogicalType whose member no reader knows yet"
    plan = _flat(new, values)
    yield Recipe("logical/new/logical-type", plan, spec, notes, "SHOULD", features)
    new = leaf("x", Type.INT64, converted_type=77)
    yield Recipe("logical/new/converted-type", _flat(new, values), spec, "", "SHOULD", features)
    stamp = LogicalType(TIMESTAMP=TimestampType(isAdjustedToUTC=True, unit=TimeUnit(unknown=_FUTURE)))
    new = leaf("x", Type.INT64, logicalType=stamp)
    reason = (
        '"Unknown units must be handled as unsupported features (rather than as errors in the data files)"'
    )
    clause = "LogicalTypes.md, TIMESTAMP"
    plan = _flat(new, values)
    yield Recipe("logical/new/time-unit", plan, clause, level="SHOULD", features=features, either=reason)


def _contradictions() -> Iterator[Recipe]:
    """Yield columns whose old annotation is less precise than the new annotation, or contradicts it."""
    spec = "LogicalTypes.md, Metadata"
    string = LogicalType(STRING=Empty())
    decimal = LogicalType(DECIMAL=DecimalType(scale=2, precision=9))
    fields = {
        "utf8-and-enum": leaf("x", Type.BYTE_ARRAY, converted_type=ConvertedType.ENUM, logicalType=string),
        "precision-differs": leaf(
            "x", Type.INT32, converted_type=ConvertedType.DECIMAL, precision=5, scale=1, logicalType=decimal
        ),
        "precision-absent": leaf("x", Type.INT32, converted_type=ConvertedType.DECIMAL, logicalType=decimal),
    }
    reason = "the specification does not say that LogicalType wins over a ConvertedType that contradicts it"
    for name, field in fields.items():
        values = (b"a", b"b") if field[0].type == Type.BYTE_ARRAY else (-1, 0, 12345)
        plan = FilePlan(schema(field), tuple({"x": value} for value in values))
        yield Recipe(f"logical/contradiction/{name}", plan, spec, level="MAY", either=reason)
    scaled = leaf("x", Type.INT32, converted_type=ConvertedType.DECIMAL, precision=9)
    clause = "LogicalTypes.md, DECIMAL"
    yield Recipe("logical/decimal-scale-absent", _flat(scaled, (-1, 0, 12345)), clause)
