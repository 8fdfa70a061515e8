"""Writers: the writer that a file names, and the layouts that this writer could have produced.

Readers work around the faults of certain old writers. A file that names such a writer is legal only if that
writer could have written it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from properties.strategies.layouts import is_float
from reference_impl.parquet.plan import Column, FilePlan, Page, Statistics, Truth
from reference_impl.parquet.schema import Encoding
from reference_impl.parquet.tree import Node

PAGES = 60  # of a chunk, about: a thousand pages would find no more


@dataclass(frozen=True)
class Traits:
    """The features of the writer that `created_by` names: readers know the faults of old writers.

    `modern` writers know `min_value`, column orders, v2 pages and page indexes. `delta_strings` is false for
    writers whose DELTA_BYTE_ARRAY pages continue the page before (PARQUET-246), which readers undo.
    """

    created_by: str | None = FilePlan.created_by
    modern: bool = True
    delta_strings: bool = True


WRITERS = (
    *[Traits()] * 8,
    Traits("colconf"),
    Traits(None),
    Traits("parquet-mr version 1.13.1 (build db4183109d5b734ec5930d870cdae161e408ddba)"),
    Traits("parquet-mr version 1.15.2 (build 859eac165b08f927fa14590c34bc5f476405fb68)"),
    Traits("parquet-cpp-arrow version 14.0.0"),
    Traits("parquet-cpp-arrow version 20.0.0"),
    Traits("parquet-rs version 55.0.0"),
    Traits("DuckDB version v1.1.3 (build 19864453f7)"),
    Traits("parquet-mr version 1.8.0 (build abc)", modern=False),
    Traits("parquet-mr version 1.7.0 (build abc)", modern=False, delta_strings=False),
    Traits("parquet-mr", modern=False, delta_strings=False),
    Traits("parquet-mr version 1.10.1 (build a89df8f9932b6ef6633d06069e50c9b7970bebd1)"),
    Traits("parquet-cpp version 1.5.0", modern=False),
    Traits("parquet-cpp version 1.2.8", modern=False),
    Traits("impala version 2.9.0-cdh5.12.0 (build 03c6ddbdcec39238be4f5b14a300d5c4f576097e)", modern=False),
    Traits(""),
)


@dataclass(frozen=True)
class Frame:
    """The requirements of a file, and of its column order, on a layout.

    `entries`: about the number of level entries of a chunk. `total`: the column's order is
    IEEE_754_TOTAL_ORDER, where "writing the nan_count field is mandatory".
    """

    writer: Traits
    entries: int
    total: bool = False


def fitted(layout: Column, node: Node, frame: Frame) -> Column:
    """Return a layout made legal for a file; most layouts stay unchanged."""
    pages = [_page(page, node, frame) for page in layout.pages]
    last = pages[-1]
    if last.entries is not None:
        pages[-1] = replace(last, entries=max(last.entries, -(-frame.entries // PAGES)))
    column = replace(layout, pages=tuple(pages), statistics=_statistics(layout.statistics, node, frame))
    if not frame.writer.modern:
        return replace(column, index=None, bloom=None, size_statistics=False)
    if column.index is None:
        return column
    bounds = _statistics(column.index.statistics, node, frame) or column.index.statistics
    return replace(column, index=replace(column.index, statistics=bounds))


def _page(page: Page, node: Node, frame: Frame) -> Page:
    page = replace(page, statistics=_statistics(page.statistics, node, frame))
    if not frame.writer.modern:
        page = replace(page, version=1, compressed=None)
    if not frame.writer.delta_strings and page.encoding == Encoding.DELTA_BYTE_ARRAY:
        page = replace(page, encoding=Encoding.PLAIN)
    return page


def _statistics(wanted: Statistics | None, node: Node, frame: Frame) -> Statistics | None:
    if wanted is None:
        return None
    if frame.writer.modern:
        return replace(wanted, nan_count=True) if frame.total and is_float(node) else wanted
    bounds = wanted.modern or wanted.deprecated
    wanted = replace(wanted, modern=False, deprecated=bounds, nan_count=False)
    return replace(wanted, exact=Truth.ABSENT, widen=0, truncate=0)
