"""The ways in which Databend reads a file whole, and answers a query: settings of a session.

`SHOW SETTINGS` describes them.
"""

from __future__ import annotations

# Rows in the order of the file; moments in UTC.
DEFAULTS: dict[str, int | str] = {"max_threads": 1, "timezone": "'UTC'"}
WAYS: dict[str, dict[str, int]] = {
    "default": {},
    "several-threads": {"max_threads": 4, "parquet_max_block_size": 3},
}
# "prewhere": columns of the filter are decoded first, then the others' rows that fulfil it.
QUERIES: dict[str, dict[str, int]] = {
    "default": {},
    "several-threads": WAYS["several-threads"],
    "prewhere": {"enable_parquet_prewhere": 1},
}
# `pushdown=off`: no row groups and no pages are skipped.
WITHOUT = {"enable_parquet_rowgroup_pruning": 0, "enable_parquet_page_index": 0}


def settings(config: dict[str, str]) -> str:
    """Return the settings of a configuration, as SQL has them."""
    chosen = {**DEFAULTS, **QUERIES[config.get("way", "default")]}
    if config.get("pushdown") == "off":
        chosen.update(WITHOUT)
    return ", ".join(f"{name} = {value}" for name, value in chosen.items())
