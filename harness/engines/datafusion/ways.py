"""The documented ways in which DataFusion reads a file whole or answers a query: options of a session.

https://datafusion.apache.org/user-guide/configs.html. No page says in which order rows come from more than
one partition. https://datafusion.apache.org/library-user-guide/query-optimizer.html and
https://datafusion.apache.org/python/user-guide/common-operations/basic-info.html have LIMIT and its offset.
"""

from __future__ import annotations

from typing import NamedTuple

_EXECUTION = "datafusion.execution."
_PARQUET = _EXECUTION + "parquet."
_LATE = {_PARQUET + "pushdown_filters": "true"}
_REORDERED = {**_LATE, _PARQUET + "reorder_filters": "true"}
_SMALL = {_EXECUTION + "batch_size": "7"}
_PARTED = {"datafusion.optimizer.repartition_file_min_size": "1"}


class Way(NamedTuple):
    """Options of a session, its number of partitions, and an expression of the `frame` of an answer."""

    options: dict[str, str]
    partitions: int = 1
    expression: str = "frame"


_BOTH = {
    "small-batches": Way(_SMALL),
    "no-page-index": Way({_PARQUET + "enable_page_index": "false"}),
    "no-view-types": Way({_PARQUET + "schema_force_view_types": "false"}),
    "with-metadata": Way({_PARQUET + "skip_metadata": "false"}),
    "no-statistics": Way({_EXECUTION + "collect_statistics": "false"}),
    "partitions": Way(_PARTED, partitions=4),
}
WAYS = {
    "default": Way({}),
    **_BOTH,
    "limit": Way({}, expression="frame.limit(frame.count())"),
}
QUERIES = {
    "default": Way({}),
    **_BOTH,
    "late": Way(_LATE),
    "late-small-batches": Way({**_LATE, **_SMALL}),
    "late-reordered": Way(_REORDERED),
    "late-reordered-small-batches": Way({**_REORDERED, **_SMALL}),
    "late-no-page-index": Way({**_LATE, _PARQUET + "enable_page_index": "false"}),
    "late-selections": Way({**_LATE, _PARQUET + "force_filter_selections": "true"}),
    "late-no-cache": Way({**_LATE, _PARQUET + "max_predicate_cache_size": "0"}),
    "late-partitions": Way({**_LATE, **_PARTED}, partitions=4),
    "late-reordered-partitions": Way({**_REORDERED, **_PARTED, **_SMALL}, partitions=4),
    "no-bloom-filters": Way({_PARQUET + "bloom_filter_on_read": "false"}),
    "no-pruning": Way({_PARQUET + "pruning": "false"}),
    "limit": Way({}, expression="frame.limit(2**31 - 1)"),
    "late-limit": Way(_LATE, expression="frame.limit(2**31 - 1)"),
    "cached": Way({}, expression="frame.cache()"),
}
