"""The documented ways in which DuckDB reads a file whole or answers a query: source of adapter and script.

https://duckdb.org/docs/stable/configuration/overview has the settings, `disabled_optimizers` among them,
https://duckdb.org/docs/stable/data/parquet/overview the options of `read_parquet`,
https://duckdb.org/docs/stable/sql/query_syntax/limit LIMIT and OFFSET,
https://duckdb.org/docs/stable/sql/statements/create_view views, and
https://duckdb.org/docs/stable/sql/query_syntax/with materialized expressions. What keeps the order of a file
is on https://duckdb.org/docs/stable/sql/dialect/order_preservation.
"""

from __future__ import annotations

from typing import NamedTuple


class Way(NamedTuple):
    """How a file is read and a query is asked.

    `sql` reads a file whole, `source` is the table that a query is asked of, `answer` the query itself: of
    `{source}`, `{view}` and `{answer}`. `options` are those of `read_parquet`, `settings` those of the
    connection by their names, `disabled` passes of the optimizer. `numbered`: a filter or slice is asked for
    the first rows by their number, more than any file under test has.
    """

    sql: str = "SELECT * FROM {source}"
    options: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    source: str = "{source}"
    answer: str = "{answer}"
    disabled: str = ""
    numbered: bool = False


MOST_ROWS = 1_000_000  # of a filter whose rows are numbered
_RULES = (
    "filter_pushdown",
    "filter_pullup",
    "statistics_propagation",
    "row_group_pruner",
    "partial_aggregate_pushdown",
    "late_materialization",
    "unused_columns",
    "column_lifetime",
    "limit_pushdown",
    "join_filter_pushdown",
    "expression_rewriter",
    "in_clause",
    "regex_range",
    "type_pushdown",
    "scalar_fn_pushdown",
    "top_n",
)
_NUMBERED = "SELECT * EXCLUDE (file_row_number) FROM {source}"
_BOTH = {
    "one-thread": Way(settings=(("threads", "1"),)),
    "many-threads": Way(settings=(("threads", "8"),)),
    "prefetch": Way(settings=(("prefetch_all_parquet_files", "true"),)),
    "no-prefetch": Way(settings=(("disable_parquet_prefetching", "true"),)),
    "no-file-cache": Way(settings=(("enable_external_file_cache", "false"),)),
    "union-by-name": Way(options=", union_by_name = true"),
    "row-numbers": Way(_NUMBERED, ", file_row_number = true", source=f"({_NUMBERED})"),
    "any-order": Way(settings=(("preserve_insertion_order", "false"),)),
}
WAYS = {
    "default": Way(),
    **_BOTH,
    "offset": Way(
        "(SELECT * FROM {source} LIMIT (SELECT count(*) // 3 FROM {source})) UNION ALL "
        "(SELECT * FROM {source} OFFSET (SELECT count(*) // 3 FROM {source}))"
    ),
}
QUERIES = {
    "default": Way(),
    **_BOTH,
    **{"no-" + rule.replace("_", "-"): Way(disabled=rule) for rule in _RULES},
    "no-optimizer": Way(disabled="*"),
    "view": Way(source="{view}"),
    "materialized": Way(source="(WITH t AS MATERIALIZED (SELECT * FROM {source}) SELECT * FROM t)"),
    "in-two": Way(answer="(SELECT * FROM ({answer}) LIMIT 3) UNION ALL (SELECT * FROM ({answer}) OFFSET 3)"),
    "first-rows": Way(settings=(("late_materialization_max_rows", str(MOST_ROWS)),), numbered=True),
}
