"""Breaches of noted rules in realistic files, with row groups, codecs, nested columns, pages and streams.

The faults of the corpus break their rule in the smallest possible file; here the same faults are in files
with several row groups, columns and pages. Only faults that do not change the values are used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from corpora import rules
from corpora.build.formats import ORC, PARQUET
from corpora.build.orc.schemas import LONG, list_of, struct_of
from corpora.build.orc.schemas import STRING as ORC_STRING
from corpora.build.orc.schemas import plan as orc_plan
from corpora.build.recipe import OPTIONAL, REPEATED, Recipe, group, leaf, list_group, schema, text
from properties.strategies.faults import FAULTS, edits
from properties.strategies.faults.fault import Fault
from properties.strategies.faults.orc import FAULTS as ORC_FAULTS
from properties.strategies.faults.orc import edits as orc_edits
from reference_impl.orc.noted import NOTED as NOTED_OF_ORC
from reference_impl.orc.plan import Column as OrcColumn
from reference_impl.orc.plan import Dictionary as OrcDictionary
from reference_impl.orc.schema import CompressionKind
from reference_impl.parquet.noted import NOTED
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Index, Page, Row, Statistics
from reference_impl.parquet.schema import CompressionCodec, Encoding, Type

_CODECS = {
    "uncompressed": CompressionCodec.UNCOMPRESSED,
    "snappy": CompressionCodec.SNAPPY,
    "gzip": CompressionCodec.GZIP,
}
_ORC_CODECS = {"none": CompressionKind.NONE, "zlib": CompressionKind.ZLIB, "snappy": CompressionKind.SNAPPY}
_ROWS = 23
# What these change in any file also changes what is read, or leaves several readings.
_CHANGING = {"PQ-PAGE-006", "PQ-PAGE-007", "PQ-PAGE-010", "PQ-CODEC-001", "ORC-STRIPE-011"}


def faults() -> Iterator[Recipe]:
    """Yield the recipes of broken files."""
    for name, plan in _parquet_plans().items():
        yield from _put(PARQUET.name, name, plan, [FAULTS[rule] for rule in NOTED], edits)
    for name, plan in _orc_plans().items():
        yield from _put(ORC.name, name, plan, [ORC_FAULTS[rule] for rule in NOTED_OF_ORC], orc_edits)


def _put(format_: str, name: str, plan: Any, options: Sequence[Fault], edits: Any) -> Iterator[Recipe]:
    """Yield a file for each fault that fits, at its first and at its last place."""
    scene = edits.watch(plan)
    for fault in options:
        places = fault.places.of(scene) if fault.places and fault.rule not in _CHANGING else []
        for which, place in {"first": places[:1], "last": places[1:][-1:]}.items():
            for each in place:
                yield Recipe(
                    f"placed/{name}/{fault.rule.lower()}/{which}",
                    plan,
                    rules.load()[fault.rule].clause,
                    notes=fault.what,
                    tamper=edits.edit(each, **fault.changes(scene, each)),
                    refuse=fault.rule,
                    either="the broken rule does not prevent reading all rows",
                    format=format_,
                )


def _parquet_plans() -> dict[str, FilePlan]:
    return {
        f"{name}-v{version}": _parquet_plan(codec, version)
        for (name, codec), version in zip(
            chain(_CODECS.items(), _CODECS.items()), (1, 1, 1, 2, 2, 2), strict=True
        )
    }


def _parquet_plan(codec: CompressionCodec, version: int) -> FilePlan:
    fields = schema(
        leaf("id", Type.INT32),
        text("name", OPTIONAL),
        list_group("parts", OPTIONAL, group("list", REPEATED, leaf("element", Type.INT64, OPTIONAL))),
        leaf("size", Type.DOUBLE, OPTIONAL),
        leaf("flags", Type.BOOLEAN, REPEATED),
    )
    rows: list[Row] = [
        {
            "id": number,
            "name": None if number % 5 == 3 else b"name %d" % (number % 4),
            "parts": None
            if number % 7 == 6
            else {"list": [{"element": None if n == 1 else n * number} for n in range(number % 4)]},
            "size": None if number % 3 == 1 else number / 8,
            "flags": [bool(number >> n & 1) for n in range(number % 3)],
        }
        for number in range(_ROWS)
    ]
    page = Page(5, version=version)
    indexed = Page(5, Encoding.RLE_DICTIONARY, version=version)
    plain = Column((page,), codec, statistics=Statistics(), index=Index())
    columns = (plain, Column((indexed,), codec, dictionary=Dictionary()), plain, plain, plain)
    return FilePlan(fields, tuple(rows), columns, row_groups=(11, 12), created_by="parquet-mr version 1.10.0")


def _orc_plans() -> dict[str, Any]:
    types = struct_of(id=LONG, name=ORC_STRING, parts=list_of(LONG))
    rows = [
        (
            number,
            None if number % 5 == 3 else b"name %d" % (number % 4),
            None if number % 7 == 6 else [n * number for n in range(number % 4)],
        )
        for number in range(_ROWS)
    ]
    layouts = {"direct": OrcColumn(), "old": OrcColumn(rle=1, dictionary=OrcDictionary())}
    return {
        f"{codec}-{name}": orc_plan(
            types,
            rows,
            layout,
            stripes=(11, 12),
            row_index_stride=5,
            compression=kind,
            writer=1,
            writer_version=6,
            software_version="1.7.3",
        )
        for codec, kind in _ORC_CODECS.items()
        for name, layout in layouts.items()
    }
