"""Files with many features, for the minimizer to reduce."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpora.rules import load
from reference_impl.columns import to_python
from reference_impl.orc import plan as orc
from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import CompressionKind
from reference_impl.orc.validate import validate as validate_orc
from reference_impl.orc.writer import write as write_orc
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.plan import Bloom, Column, Delta, Dictionary, FilePlan, Index, Page, Statistics
from reference_impl.parquet.schema import (
    CompressionCodec,
    ConvertedType,
    Encoding,
    FieldRepetitionType,
    SchemaElement,
    Type,
)
from reference_impl.parquet.validate import validate
from reference_impl.parquet.writer import write
from reference_impl.tests.orc_plans import plan as orc_plan

if TYPE_CHECKING:
    from reference_impl.orc.decryption import MasterKeys

REQUIRED, OPTIONAL, REPEATED = FieldRepetitionType
_STATS = Statistics()
_DELTA = Page(entries=30, encoding=Encoding.DELTA_BINARY_PACKED, delta=Delta(256, 4), statistics=_STATS)
LEAVES = (
    SchemaElement(name="number", type=Type.INT64, repetition_type=OPTIONAL),
    SchemaElement(
        name="word", type=Type.BYTE_ARRAY, repetition_type=OPTIONAL, converted_type=ConvertedType.UTF8
    ),
    SchemaElement(name="many", type=Type.INT32, repetition_type=REPEATED),
    SchemaElement(name="double", type=Type.DOUBLE, repetition_type=REQUIRED),
    SchemaElement(name="fixed", type=Type.FIXED_LEN_BYTE_ARRAY, type_length=4, repetition_type=OPTIONAL),
    SchemaElement(name="flag", type=Type.BOOLEAN, repetition_type=REQUIRED),
)
COLUMNS = (
    Column((_DELTA,), statistics=_STATS, index=Index(), codec=CompressionCodec.GZIP),
    Column(
        (
            Page(entries=40, encoding=Encoding.RLE_DICTIONARY, crc=True),
            Page(encoding=Encoding.DELTA_BYTE_ARRAY),
        ),
        dictionary=Dictionary(unused=(b"nobody", b"none")),
        statistics=Statistics(distinct_count=True),
        bloom=Bloom(),
        encoding_stats=True,
    ),
    Column((Page(entries=17, version=2), Page(legacy_levels=False)), codec=CompressionCodec.SNAPPY),
    Column((Page(encoding=Encoding.BYTE_STREAM_SPLIT, version=2, statistics=_STATS),), size_statistics=True),
    Column((Page(entries=25, legacy_levels=True),), statistics=_STATS, key_value_metadata=(("k", "v"),)),
    Column((Page(encoding=Encoding.RLE, version=2),), gap=3),
)


def parquet(rows: int = 100, count: int = len(COLUMNS)) -> bytes:
    """A file of two row groups with most of what there is, or with so many of its columns."""
    schema = (SchemaElement(name="root", num_children=count), *LEAVES[:count])
    made = tuple(
        {
            "number": None if i % 7 == 3 else i * i - 500,
            "word": None if i % 5 == 1 else b"word %d" % (i % 9),
            "many": [i, 1, i][: i % 4],
            "double": i / 3,
            "fixed": None if i % 3 else i.to_bytes(4, "big"),
            "flag": i % 4 == 0,
        }
        for i in range(rows)
    )
    names = [leaf.name for leaf in LEAVES[:count]]
    first = 2 * rows // 3
    return write(
        FilePlan(
            schema,
            tuple({name: row[name] for name in names} for row in made),
            COLUMNS[:count],
            row_groups=(first, rows - first),
            key_value_metadata=(("a", "b"),),
            unknown_fields=True,
        )
    )


def orc_file(rows: int = 36, **choices: object) -> bytes:
    """A file of all types, in three stripes."""
    stripes = (rows - 2 * (rows // 3), rows // 3, rows // 3)
    chosen = {"compression": CompressionKind.ZLIB, "chunks": orc.Chunks((50,)), "gap": 3} | choices
    return write_orc(orc_plan(rows, stripes=stripes, row_index_stride=8, metadata=(("a", b"b"),), **chosen))


def columns(data: bytes, keys: MasterKeys | None = None) -> dict[str, list[str]]:
    """What the reference reads, by column, values as texts (NaN is like itself then)."""
    table = (ParquetFile(data) if data.startswith(b"PAR1") else OrcFile(data, keys=keys)).read()
    return {column.name: [repr(value) for value in to_python(column)] for column in table.columns}


def rules(data: bytes) -> set[str]:
    """The MUSTs that a file breaks."""
    found = validate(data) if data.startswith(b"PAR1") else validate_orc(data)
    known = load()
    return {one.rule for one in found if known[one.rule].level == "MUST"}
