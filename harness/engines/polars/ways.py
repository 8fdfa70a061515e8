"""The documented ways in which Polars reads a file whole or answers a query: source of adapter and script.

https://docs.pola.rs/api/python/stable/reference/api/polars.read_parquet.html and
https://docs.pola.rs/api/python/stable/reference/api/polars.scan_parquet.html have the options,
https://docs.pola.rs/api/python/stable/reference/lazyframe/api/polars.LazyFrame.slice.html slices of a scan,
https://docs.pola.rs/api/python/stable/reference/lazyframe/api/polars.LazyFrame.collect.html engines, and
https://docs.pola.rs/api/python/stable/reference/lazyframe/api/polars.QueryOptFlags.html optimizations.
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


class QueryWay(NamedTuple):
    """Options of `scan_parquet`, and an expression of the `answer`, a lazy frame, and of `collected`.

    `streaming`: the streaming engine collects. `off` names an optimization that is switched off.
    """

    options: dict[str, Any]
    expression: str = "collected(answer)"
    streaming: bool = False
    off: str = ""

    @property
    def in_parts(self) -> bool:
        """Return whether the answer is collected in parts, which takes an order of its rows."""
        return self.expression != "collected(answer)"


NUMBER = "colconf row number"
_STEP = "max(1, rows // 3)"
_SLICES = f"pl.concat([scan.slice(at, {_STEP}).collect() for at in range(0, max(1, rows), {_STEP})])"
_HEAD, _TAIL = "scan.slice(0, rows - rows // 3)", "scan.slice(-(rows // 3), rows // 3)"
_OPTIONS: dict[str, dict[str, Any]] = {
    "parallel-columns": {"parallel": "columns"},
    "parallel-row-groups": {"parallel": "row_groups"},
    "parallel-prefiltered": {"parallel": "prefiltered"},
    "parallel-none": {"parallel": "none"},
    "no-statistics": {"use_statistics": False},
    "low-memory": {"low_memory": True},
}
WAYS = {
    "default": Way({}),
    **{name: Way(options) for name, options in _OPTIONS.items()},
    "rechunk": Way({"rechunk": True}),
    "row-numbers": Way({"row_index_name": NUMBER}, f"frame.drop({NUMBER!r})"),
    "scan": Way({}, "scan.collect()", of_scan=True),
    "streaming": Way({}, 'scan.collect(engine="streaming")', of_scan=True),
    "first-rows": Way({}, "scan.head(rows).collect()", of_scan=True),
    "slices": Way({}, _SLICES, of_scan=True),
    "tail": Way({}, f"pl.concat([{_HEAD}.collect(), {_TAIL}.collect()])", of_scan=True),
}
_IN_TWO = "pl.concat([collected(answer.slice(0, 3)), collected(answer.slice(3))])"
_FROM_END = "collected(answer.tail(4_294_967_295))"  # all rows, counted from the last one
QUERIES = {
    "default": QueryWay({}),
    **{name: QueryWay(options) for name, options in _OPTIONS.items()},
    "streaming": QueryWay({}, streaming=True),
    "streaming-prefiltered": QueryWay({"parallel": "prefiltered"}, streaming=True),
    "streaming-no-statistics": QueryWay({"use_statistics": False}, streaming=True),
    "row-numbers": QueryWay({"row_index_name": NUMBER}),
    "in-two": QueryWay({}, _IN_TWO),
    "streaming-in-two": QueryWay({}, _IN_TWO, streaming=True),
    "from-the-end": QueryWay({}, _FROM_END),
    "no-projection-pushdown": QueryWay({}, off="projection_pushdown"),
    "no-slice-pushdown": QueryWay({}, _IN_TWO, off="slice_pushdown"),
    "no-simplification": QueryWay({}, off="simplify_expression"),
}
