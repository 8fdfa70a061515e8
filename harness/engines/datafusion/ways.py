"""The documented ways in which DataFusion reads a file whole: options of a session.

https://datafusion.apache.org/user-guide/configs.html. Reading with more than one partition is not among them:
no page says in which order rows come then.
"""

from __future__ import annotations

_PARQUET = "datafusion.execution.parquet."
WAYS: dict[str, dict[str, str]] = {
    "default": {},
    "small-batches": {"datafusion.execution.batch_size": "7"},
    "no-page-index": {_PARQUET + "enable_page_index": "false"},
    "no-view-types": {_PARQUET + "schema_force_view_types": "false"},
    "with-metadata": {_PARQUET + "skip_metadata": "false"},
    "no-statistics": {"datafusion.execution.collect_statistics": "false"},
}
