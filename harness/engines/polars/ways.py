"""The documented ways in which Polars reads a file whole: source that adapter and script share.

https://docs.pola.rs/api/python/stable/reference/api/polars.read_parquet.html has the options,
https://docs.pola.rs/api/python/stable/reference/lazyframe/api/polars.LazyFrame.slice.html slices of a scan.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Way(NamedTuple):
    """Options of `read_parquet`, and an expression of the `frame` that it returned.

    `of_scan`: the expression is of a `scan`, and of the number of `rows` in the file.
    """

    options: dict[str, Any]
    expression: str = "frame"
    of_scan: bool = False


_NUMBER = "colconf row number"
_STEP = "max(1, rows // 3)"
_SLICES = f"pl.concat([scan.slice(at, {_STEP}).collect() for at in range(0, max(1, rows), {_STEP})])"
_HEAD, _TAIL = "scan.slice(0, rows - rows // 3)", "scan.slice(-(rows // 3), rows // 3)"
WAYS = {
    "default": Way({}),
    "parallel-columns": Way({"parallel": "columns"}),
    "parallel-row-groups": Way({"parallel": "row_groups"}),
    "parallel-prefiltered": Way({"parallel": "prefiltered"}),
    "parallel-none": Way({"parallel": "none"}),
    "no-statistics": Way({"use_statistics": False}),
    "low-memory": Way({"low_memory": True}),
    "row-numbers": Way({"row_index_name": _NUMBER}, f"frame.drop({_NUMBER!r})"),
    "slices": Way({}, _SLICES, of_scan=True),
    "tail": Way({}, f"pl.concat([{_HEAD}.collect(), {_TAIL}.collect()])", of_scan=True),
}
