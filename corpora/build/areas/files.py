"""Files around their pages: row groups, places of chunks, footer fields, writers' names, Thrift."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, product

from corpora.build.kinds import ORDERED
from corpora.build.recipe import OPTIONAL, Recipe, leaf, schema, text
from corpora.queries import Batches, Project, RowGroup
from reference_impl.parquet.plan import Bloom, Column, Dictionary, FilePlan, Index, Page, Statistics
from reference_impl.parquet.schema import Encoding, Type

_ROWS = tuple({"x": n * 3 % 11 - 4, "y": None if n % 4 == 1 else b"s%d" % n, "z": n / 2} for n in range(12))
_BASE = FilePlan(schema(leaf("x", Type.INT32), text("y", OPTIONAL), leaf("z", Type.DOUBLE)), _ROWS)
# The schema of a column `d` of durations in microseconds, as Arrow sends it: Schema.fbs in an IPC message.
ARROW_DURATION = (
    "/////3AAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAEAAAAUAAAA"
    "EAAUAAgABgAHAAwAAAAQABAAAAAAAAESEAAAABgAAAAEAAAAAAAAAAEAAABkAAYACAAGAAYAAAAAAAIA"
)
# Writers whose statistics, or DELTA_BYTE_ARRAY pages, readers distrust, and others.
_WRITERS = {
    "absent": None,
    "empty": "",
    "unknown": "a writer nobody knows",
    "no-version": "parquet-mr",
    "broken": "parquet-mr version (build )",
    "parquet-mr-1.5": "parquet-mr version 1.5.0",
    "parquet-mr-1.8.0": "parquet-mr version 1.8.0 (build 0fda28af84b9746396014ad6a415b90592a98b3b)",
    "parquet-mr-1.8.2": "parquet-mr version 1.8.2 (build c6522788629e590a53eb79874b95f6c3ff11f16c)",
    "parquet-mr-1.10.1": "parquet-mr version 1.10.1 (build a89df8f9932b6ef6633d06069e50c9b7970bebd1)",
    "parquet-mr-1.13.1": "parquet-mr version 1.13.1 (build db4183109d5b734ec5930d870cdae161e408ddba)",
    "parquet-cpp-1.2": "parquet-cpp version 1.2.1",
    "parquet-cpp-1.5": "parquet-cpp version 1.5.1-SNAPSHOT",
    "parquet-cpp-arrow-14": "parquet-cpp-arrow version 14.0.0",
    "parquet-rs": "parquet-rs version 55.0.0",
    "impala": "impala version 2.9.0-cdh5.12.0 (build 03c6ddbdcec39238be4f5b14a300d5c4f576097e)",
    "duckdb": "DuckDB version v1.1.3 (build 19864453f7)",
    "non-ascii": "größe version 1",
}


def recipes() -> Iterator[Recipe]:
    """Yield the forms."""
    return chain(_row_groups(), _places(), _elsewhere(), _footers(), _writers(), _sorted())


def _row_groups() -> Iterator[Recipe]:
    """Yield rows in one and in several row groups, also empty groups, with a query of each group."""
    spec = "README.md, Glossary"
    for name, sizes in {
        "one": (12,),
        "two": (6, 6),
        "uneven": (1, 10, 1),
        "single-rows": (1,) * 12,
        "empty-first": (0, 12),
        "empty-between": (5, 0, 7),
        "empty-last": (12, 0),
    }.items():
        plan = replace(_BASE, row_groups=sizes)
        queries = [RowGroup(number) for number in range(min(3, len(sizes)))]
        projections = (Project(("z", "x")), Project(("y",)), Batches(1), Batches(5))
        yield Recipe(f"file/row-groups/{name}", plan, spec, queries=(*queries, *projections))
    nothing = replace(_BASE, rows=())
    spec = "parquet.thrift, FileMetaData.num_rows"
    yield Recipe("file/no-rows/no-row-group", nothing, spec, features=("parquet/file/zero-row-groups",))
    for groups in (1, 3):
        plan = replace(nothing, row_groups=(0,) * groups)
        yield Recipe(f"file/no-rows/{groups}-row-groups", plan, spec, features=("parquet/file/zero-rows",))


def _elsewhere() -> Iterator[Recipe]:
    """Yield chunks that are in this file, although the footer names another file, which does not exist."""
    spec = "parquet.thrift, ColumnChunk.file_path"
    why = (
        "no reader is known to read columns of other files, and naming one in a standard file is not part"
        " of the specification; a reader that does not refuse the file reads this file at the offsets"
    )
    for name, path in {
        "beside": "elsewhere.parquet",
        "above": "../elsewhere.parquet",
        "absolute": "/elsewhere.parquet",
        "empty": "",
        "url": "file:///elsewhere.parquet",
    }.items():
        plan = replace(_BASE, columns=(Column(file_path=path),) * 3)
        yield Recipe(f"file/path/{name}", plan, spec, level="MAY", either=why)
    plan = replace(_BASE, columns=(Column(), Column(file_path="elsewhere.parquet")))
    yield Recipe("file/path/one-column", plan, spec, level="MAY", either=why, queries=(Project(("z", "x")),))


def _places() -> Iterator[Recipe]:
    """Yield chunks with gaps between them, and in another order than the columns."""
    spec = "README.md, Column chunks"
    layout = Column((Page(5, Encoding.RLE_DICTIONARY),), dictionary=Dictionary(), index=Index())
    for gap in (1, 4, 1000):
        plan = replace(_BASE, columns=(replace(layout, gap=gap),) * 3, row_groups=(6, 6))
        yield Recipe(f"file/gap/{gap}", plan, spec)
    for order, details in product(((2, 1, 0), (1, 2, 0), (0, 2, 1)), (False, True)):
        plan = replace(_BASE, chunk_order=order, row_groups=(6, 6), row_group_details=details)
        name = f"file/chunk-order/{''.join(map(str, order))}{'/details' if details else ''}"
        yield Recipe(name, plan, spec)
    plan = replace(_BASE, columns=(layout,) * 3, row_group_details=True, row_groups=(5, 7))
    yield Recipe("file/row-group-details", plan, "parquet.thrift, RowGroup")


def _footers() -> Iterator[Recipe]:
    """Yield footers with rare fields, in both forms of Thrift's field headers."""
    spec = "parquet.thrift, FileMetaData"
    for version in (1, 2):
        yield Recipe(f"file/version/{version}", replace(_BASE, version=version), f"{spec}.version")
    pairs = {
        "empty-key": (("", "v"),),
        "no-value": (("k", None),),
        "empty-value": (("k", ""),),
        "same-key-twice": (("k", "1"), ("k", "2")),
        "non-ascii": (("ключ", "значение"),),
        "long": (("k", "v" * 3000),),
        "many": tuple((f"k{n}", str(n)) for n in range(40)),
    }
    features = ("parquet/file/key-value-metadata",)
    for name, given in pairs.items():
        plan = replace(_BASE, key_value_metadata=given)
        yield Recipe(f"file/key-value/{name}", plan, "parquet.thrift, KeyValue", features=features)
        column = Column(key_value_metadata=given)
        plan = replace(_BASE, columns=(column,) * 3)
        yield Recipe(f"file/key-value-of-chunk/{name}", plan, "parquet.thrift, KeyValue", features=features)
    plan = FilePlan(schema(leaf("d", Type.INT64, OPTIONAL)), tuple({"d": n} for n in (1, None, -1, 86_400)))
    plan = replace(plan, key_value_metadata=(("ARROW:schema", ARROW_DURATION),))
    yield Recipe("file/key-value/arrow-schema", plan, "parquet.thrift, KeyValue", features=features)
    rich = Column(
        (Page(4, crc=True, statistics=Statistics()),),
        statistics=Statistics(deprecated=True),
        index=Index(),
        bloom=Bloom(),
        size_statistics=True,
        encoding_stats=True,
    )
    clause = "thrift-compact-protocol.md, Struct encoding"
    for name, headers, unknown in (
        ("long-headers", True, False),
        ("unknown-fields", False, True),
        ("long-headers-and-unknown-fields", True, True),
    ):
        for columns in ((), (rich,) * 3, (replace(rich, pages=(Page(4, version=2),)),) * 3):
            plan = replace(_BASE, columns=columns, long_headers=headers, unknown_fields=unknown)
            layout = "simple" if not columns else f"rich-v{columns[0].pages[0].version}"
            yield Recipe(f"file/thrift/{name}/{layout}", plan, clause)
    yield Recipe("file/everything", replace(_BASE, columns=(rich,) * 3), spec)
    stats = Column((Page(4), Page(4, Encoding.DELTA_BINARY_PACKED)), encoding_stats=True)
    plan = replace(_BASE, columns=(stats,))
    yield Recipe("file/encoding-stats", plan, "parquet.thrift, PageEncodingStats")


def _writers() -> Iterator[Recipe]:
    """Yield `created_by` strings with correct statistics of types for which old writers were wrong."""
    spec = "parquet.thrift, FileMetaData.created_by"
    forms = {"modern": Statistics(), "deprecated": Statistics(False, deprecated=True)}
    kinds = [kind for kind in ORDERED if kind.name in {"string", "decimal-5-2/fixed-4"}]
    for (name, created_by), (form, statistics), kind in product(_WRITERS.items(), forms.items(), kinds):
        half = len(kind.values) // 2
        rows = tuple({"x": value} for value in (*kind.values[:half], None, *kind.values[half:], None))
        fields = schema(leaf("x", repetition=OPTIONAL, **kind.fields))
        column = (Column(statistics=statistics),)
        groups = (half, len(rows) - half)
        plan = FilePlan(fields, rows, column, row_groups=groups, created_by=created_by)
        case = f"file/created-by/{name}/{form}/{kind.name.replace('/', '-')}"
        yield Recipe(case, plan, spec, probed=("x",))


def _sorted() -> Iterator[Recipe]:
    """Yield declared sort orders of sorted rows."""
    spec = "parquet.thrift, SortingColumn"
    up = tuple({"x": n // 3, "y": None if n % 3 == 2 else b"%d" % (n % 3), "z": -1.0 * n} for n in range(12))
    down = tuple(reversed(up))
    layout = (Column((Page(4),), statistics=Statistics(), index=Index()),) * 3
    forms = {
        "ascending": (up, ((0, False, False),)),
        "descending": (down, ((0, True, False),)),
        "two-columns": (up, ((0, False, False), (1, False, False))),
        "nulls-first": (down, ((0, True, True), (1, True, True))),
        "other-column-first": (up, ((2, True, False), (0, False, False))),
    }
    for (name, (rows, sorting)), groups in product(forms.items(), (None, (6, 6))):
        plan = replace(_BASE, rows=rows, columns=layout, row_groups=groups, sorting_columns=sorting)
        case = f"file/sorting/{name}/{'one-group' if groups is None else 'two-groups'}"
        features = ("parquet/file/sorting-columns",)
        yield Recipe(case, plan, spec, features=features, probed=("x",))
