"""Faults of the file around its chunks: magic numbers, the footer's length, row groups."""

from __future__ import annotations

from dataclasses import replace

from corpora.build.recipe import leaf
from properties.strategies.faults.edits import edit, ints, table
from properties.strategies.faults.fault import Fault, File, at, fields, one_more
from properties.strategies.faults.places import chunks, in_file
from properties.strategies.faults.statistics import INT96_ORDER, TOTAL_ORDER, TYPE_ORDER, int32, statistics
from properties.strategies.faults.thrift import before_stop
from reference_impl.parquet.plan import Column, FilePlan, Statistics
from reference_impl.parquet.schema import CompressionCodec, RowGroup, SchemaElement, Type
from reference_impl.parquet.tamper import Place

_PLAIN = ints()
_NO_COLUMNS = FilePlan((SchemaElement(name="schema", num_children=0),))
_WITH_EMPTY_GROUP = ints(column=Column(no_empty_page=True), row_groups=(2, 0, 1))
_SQUEEZED = ints([7] * 40, Column(codec=CompressionCodec.SNAPPY), row_group_details=True)
_DETAILED = ints(row_group_details=True)
_SORTED = ints(sorting_columns=((1, False, False),))
_COUNTED = ints(column=Column(statistics=Statistics(modern=False)))


def _with_size(name: str, of: str) -> File:
    """Return a file whose row group has one of its two sizes in place of the other."""
    return File(_SQUEEZED, edit(row_group=lambda group: replace(group, **{name: getattr(group, of)})))


def _same_place(group: RowGroup) -> RowGroup:
    first = group.columns[0].meta_data
    assert first is not None
    change = fields(meta_data=fields(data_page_offset=first.data_page_offset))
    changed: RowGroup = fields(columns=at(1, change))(group)
    return changed


def _at_second(group: RowGroup) -> RowGroup:
    second = group.columns[1].meta_data
    assert second is not None
    return replace(group, file_offset=second.data_page_offset)


FAULTS = (
    Fault(
        "PQ-FILE-001/eleven-bytes",
        "the file has 11 bytes, between whose magic numbers no length fits",
        File(_NO_COLUMNS, edit(whole=lambda _: b"PAR1\0\0\0PAR1")),
        "it has no column and no row, but a footer that says so",
    ),
    Fault(
        "PQ-FILE-002/begins-with-par2",
        "the file begins with PAR2",
        File(_PLAIN, edit(whole=lambda data: b"PAR2" + data[4:])),
        "it begins with PAR1 and bytes that belong to nothing",
        File(replace(_PLAIN, columns=(Column(gap=3),))),
        places=in_file(),
    ),
    Fault(
        "PQ-FILE-003/ends-with-par2",
        "the file ends with PAR2",
        File(_PLAIN, edit(whole=lambda data: data[:-4] + b"PAR2")),
        "PAR2 stands near the end of its footer",
        File(replace(_PLAIN, created_by="w version 1 (build PAR2)", column_orders=None)),
        places=in_file(),
    ),
    Fault(
        "PQ-FILE-004/footer-over-the-magic",
        "the footer length reaches one byte into the leading magic number",
        File(
            _NO_COLUMNS,
            edit(whole=lambda data: data[:-8] + (len(data) - 11).to_bytes(4, "little") + data[-4:]),
        ),
        "it takes all bytes between the two magic numbers",
        places=in_file(),
    ),
    Fault(
        "PQ-FILE-005/byte-behind-the-metadata",
        "a byte stands between the metadata and the footer length",
        File(_PLAIN, edit(footer_bytes=lambda data: data + b"\0")),
        "a field that nobody knows stands at the end of the metadata, inside of it",
        File(_PLAIN, edit(footer_bytes=before_stop("03 e2d403 00"))),
        places=in_file(),
    ),
    Fault(
        "PQ-FILE-006/chunk-missing",
        "the row group has no chunk for the last column",
        File(_PLAIN, edit(row_group=fields(columns=lambda columns: columns[:-1]))),
        "its chunks lie in the file in another order than in the schema",
        File(replace(_PLAIN, chunk_order=(1, 0))),
        places=chunks(),
    ),
    Fault(
        "PQ-FILE-007/rows-below-zero",
        "a row group has -1 rows, and the file one less than it stores",
        File(_WITH_EMPTY_GROUP, edit(Place(1, 1), row_group=fields(num_rows=-1), footer=fields(num_rows=2))),
        "a row group has 0 rows",
    ),
    Fault(
        "PQ-FILE-008/one-row-more",
        "the footer counts one row more than the row groups",
        File(_PLAIN, edit(footer=fields(num_rows=one_more))),
        "it counts the rows of three row groups, one of them empty",
        File(_WITH_EMPTY_GROUP),
        places=in_file(),
    ),
    Fault(
        "PQ-FILE-010/version-two",
        "the version of the file is 2",
        File(replace(_PLAIN, version=2)),
        "it is 1",
        File(_PLAIN),
    ),
    Fault(
        "PQ-FILE-011/version-three",
        "the version of the file is 3, which does not exist",
        File(replace(_PLAIN, version=3)),
        "it is 1",
        File(_PLAIN),
    ),
    Fault(
        "PQ-FILE-012/writer-without-build",
        "created_by names no build",
        File(replace(_PLAIN, created_by="w version 1")),
        "it names one, that has no name",
        File(replace(_PLAIN, created_by="w version 1 (build )")),
    ),
    Fault(
        "PQ-GROUP-001/size-as-stored",
        "total_byte_size of a row group is its size after compression",
        _with_size("total_byte_size", of="total_compressed_size"),
        "it is the size before",
        places=chunks(what="one byte more", row_group=fields(total_byte_size=one_more)),
    ),
    Fault(
        "PQ-GROUP-002/stored-size-before-compression",
        "total_compressed_size of a row group is its size before compression",
        _with_size("total_compressed_size", of="total_byte_size"),
        "it is the size after",
    ),
    Fault(
        "PQ-GROUP-004/ordinals-from-one",
        "the ordinal of the first row group is 1",
        File(_DETAILED, edit(row_group=fields(ordinal=1))),
        "it is 0",
    ),
    Fault(
        "PQ-GROUP-005/sorted-by-the-third-of-two",
        "a row group is sorted by column 2, and there are columns 0 and 1",
        File(_SORTED, edit(row_group=fields(sorting_columns=at(0, fields(column_idx=2))))),
        "it is sorted by column 1",
    ),
    Fault(
        "PQ-ORDER-001/bounds-without-order",
        "there are min_value and max_value, but no column_orders",
        File(
            replace(_COUNTED, column_orders=None),
            edit(chunk=statistics(min_value=int32(1), max_value=int32(3))),
        ),
        "there are counts only, and no column_orders",
    ),
    Fault(
        "PQ-ORDER-002/column-order-missing",
        "column_orders has one element, and the schema two columns",
        File(_PLAIN, edit(footer=fields(column_orders=[TYPE_ORDER]))),
        "it has two",
    ),
    Fault(
        "PQ-ORDER-003/total-order-of-integers",
        "a column of INT32 is in IEEE_754_TOTAL_ORDER",
        File(_PLAIN, edit(footer=fields(column_orders=[TYPE_ORDER, TOTAL_ORDER]))),
        "one of DOUBLE is",
        File(table(leaf("x", Type.DOUBLE), (1.0, 2.0), column_orders=(TYPE_ORDER, TOTAL_ORDER))),
    ),
    Fault(
        "PQ-ORDER-004/int96-order-of-int64",
        "a column of INT64 is in INT96_TIMESTAMP_ORDER",
        File(
            table(leaf("x", Type.INT64), (1, 2)), edit(footer=fields(column_orders=[TYPE_ORDER, INT96_ORDER]))
        ),
        "one of INT96 is",
        File(table(leaf("x", Type.INT96), (bytes(12),), column_orders=(TYPE_ORDER, INT96_ORDER))),
        also_breaks=("PQ-SCHEMA-010",),
    ),
    Fault(
        "PQ-FILE-009/two-chunks-in-one-place",
        "the chunks of two columns lie at the same place",
        File(ints((0, 1, 2)), edit(row_group=_same_place)),
        "they hold the same, each at its own place",
    ),
    Fault(
        "PQ-GROUP-003/group-at-its-last-chunk",
        "file_offset of a row group is where its second chunk begins",
        File(_DETAILED, edit(row_group=_at_second)),
        "it is where the first begins, though that belongs to the second column",
        File(replace(_DETAILED, chunk_order=(1, 0))),
    ),
    Fault(
        "PQ-GROUP-006/not-sorted",
        "a row group is sorted by a column of 1, 3 and 2",
        File(replace(_SORTED, rows=ints((1, 3, 2)).rows)),
        "by one of 1, 2 and 2",
        File(replace(_SORTED, rows=ints((1, 2, 2)).rows)),
    ),
)
