"""Faults of the file around its chunks: magic numbers, the footer's length, row groups."""

from __future__ import annotations

from dataclasses import replace

from properties.strategies.faults.fault import Fault, Made, edit, fields, ints
from properties.strategies.faults.thrift import before_stop
from reference_impl.parquet.plan import Column, FilePlan
from reference_impl.parquet.schema import SchemaElement
from reference_impl.parquet.tamper import Place

_PLAIN = ints()
_NO_COLUMNS = FilePlan((SchemaElement(name="schema", num_children=0),))
_NO_ROWS = ints(())
_WITH_EMPTY_GROUP = ints(column=Column(no_empty_page=True), row_groups=(2, 0, 1))

FAULTS = (
    Fault(
        "PQ-FILE-001",
        "eleven-bytes",
        "the file has 11 bytes, between whose magic numbers no length fits",
        Made(_NO_COLUMNS, edit(whole=lambda _: b"PAR1\0\0\0PAR1")),
        "it has no column and no row, but a footer that says so",
        Made(_NO_COLUMNS),
    ),
    Fault(
        "PQ-FILE-002",
        "begins-with-par2",
        "the file begins with PAR2",
        Made(_PLAIN, edit(whole=lambda data: b"PAR2" + data[4:])),
        "it begins with PAR1 and bytes that belong to nothing",
        Made(replace(_PLAIN, columns=(Column(gap=3),))),
    ),
    Fault(
        "PQ-FILE-003",
        "ends-with-par2",
        "the file ends with PAR2",
        Made(_PLAIN, edit(whole=lambda data: data[:-4] + b"PAR2")),
        "PAR2 stands near the end of its footer",
        Made(replace(_PLAIN, created_by="w version 1 (build PAR2)", column_orders=None)),
    ),
    Fault(
        "PQ-FILE-004",
        "footer-over-the-magic",
        "the footer length reaches one byte into the leading magic number",
        Made(
            _NO_COLUMNS,
            edit(whole=lambda data: data[:-8] + (len(data) - 11).to_bytes(4, "little") + data[-4:]),
        ),
        "it takes all bytes between the two magic numbers",
        Made(_NO_COLUMNS),
    ),
    Fault(
        "PQ-FILE-005",
        "byte-behind-the-metadata",
        "a byte stands between the metadata and the footer length",
        Made(_PLAIN, edit(footer_bytes=lambda data: data + b"\0")),
        "a field that nobody knows stands at the end of the metadata, inside of it",
        Made(_PLAIN, edit(footer_bytes=before_stop("03 e2d403 00"))),
    ),
    Fault(
        "PQ-FILE-006",
        "chunk-missing",
        "the row group has no chunk for the last column",
        Made(_PLAIN, edit(row_group=lambda group: fields(columns=group.columns[:1])(group))),
        "its chunks lie in the file in another order than in the schema",
        Made(replace(_PLAIN, chunk_order=(1, 0))),
    ),
    Fault(
        "PQ-FILE-007",
        "rows-below-zero",
        "a row group has -1 rows, and the file one less than it stores",
        Made(
            _WITH_EMPTY_GROUP,
            edit(Place(1, 1), row_group=fields(num_rows=-1), footer=fields(num_rows=2)),
        ),
        "a row group has 0 rows",
        Made(_WITH_EMPTY_GROUP),
    ),
    Fault(
        "PQ-FILE-008",
        "one-row-more",
        "the footer counts one row more than the row groups",
        Made(_PLAIN, edit(footer=fields(num_rows=4))),
        "it counts the rows of three row groups, one of them empty",
        Made(_WITH_EMPTY_GROUP),
    ),
)
