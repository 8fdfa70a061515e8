"""What of an ORC file pyarrow is asked, as steps that adapter and scripts share."""

from __future__ import annotations

from collections.abc import Mapping

from corpora.queries import (
    Batches,
    CountRows,
    Fields,
    Join,
    Project,
    Query,
    RowGroup,
    Slice,
    predicate_of,
)
from harness.engines.errors import Unsupported
from harness.engines.pyarrow import fields
from harness.engines.pyarrow.statements import Steps, count


def place(query: Query, switches: Mapping[str, str]) -> str:
    """Return what is asked: the `table` in memory, a `data` set or an open `file`; raises Unsupported."""
    is_data_set, has_filter = switches.get("api") == "dataset", predicate_of(query) is not None
    if isinstance(query, (Batches, Join, Slice)) and not is_data_set:
        raise Unsupported("pyarrow.orc has no batches, first rows and joins; its data sets do")
    if isinstance(query, RowGroup) and is_data_set:
        raise Unsupported("pyarrow.dataset has no option to read a stripe")
    is_off = switches.get("pushdown") == "off" and (has_filter or isinstance(query, (CountRows, Join)))
    if is_off or (has_filter and not is_data_set):
        return "table"
    return "data" if is_data_set else "file"


def of_file(query: Query) -> Steps:
    """Return the steps of a query without a filter of an open `file`."""
    if isinstance(query, CountRows):
        return [("table", count("file.nrows"))]
    if isinstance(query, Fields):
        return fields.of_file(query)
    if isinstance(query, Project):
        names = list(query.columns)
        return [("table", f"file.read(columns={names!a}).select({names!a})")]
    if isinstance(query, RowGroup):
        return [("table", f"pa.Table.from_batches([file.read_stripe({query.number})])")]
    raise Unsupported(f"pyarrow.orc does not answer queries of kind {query.kind}")
