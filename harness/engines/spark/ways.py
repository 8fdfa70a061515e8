"""The documented ways in which Spark reads files whole or answers a query: source of adapter and script.

Options are those of https://spark.apache.org/docs/latest/configuration.html#runtime-sql-configuration and of
the pages of the data sources, https://spark.apache.org/docs/latest/sql-data-sources-parquet.html and
https://spark.apache.org/docs/latest/sql-data-sources-orc.html, and can be set while a session runs. A
temporary view is on https://spark.apache.org/docs/latest/sql-getting-started.html, `limit` and `count` on
https://spark.apache.org/docs/latest/api/python/reference/pyspark.sql/dataframe.html.
"""

from __future__ import annotations

from typing import NamedTuple

from harness.engines.scripts.select import MATCH

WHOLE = "frame.agg(*cells)"
RECURSIVE = "recursiveFileLookup"


class Way(NamedTuple):
    """Settings of the session, and expressions of the `frame` of a file, of an `answer`, and of an aggregate.

    `frame` is of the `session`, too, and `aggregate` of the `cells`; `small` is the small table of a join, of
    which `plan` is a part of the plan: a way with a plan is one of semi-joins alone. A way with a `frame` or
    an `answer` of its own is asked file by file: its rows know nothing of the file that they come from.
    `options` are those of the reader.
    """

    settings: dict[str, str]
    frame: str = "frame"
    answer: str = "answer"
    aggregate: str = WHOLE
    is_alone: bool = False
    small: str = "small"
    plan: str = ""
    options: tuple[tuple[str, str], ...] = ()

    @property
    def alone(self) -> bool:
        """Return whether files are asked one by one."""
        return self.is_alone or (self.frame, self.answer) != ("frame", "answer")

    @property
    def is_newer(self) -> bool:
        """Return whether files are read by the newer interface of data sources."""
        return self.settings.get(_SOURCES) == ""

    @property
    def splits(self) -> bool:
        """Return whether files are read in other parts than by default."""
        return any(name.startswith("spark.sql.files.") for name in self.settings)


_SOURCES = "spark.sql.sources.useV1SourceList"
_V2 = {_SOURCES: ""}  # else both formats are read by the older interface
_SPLITS = {"spark.sql.files.maxPartitionBytes": "1000", "spark.sql.files.openCostInBytes": "0"}
_VIEW = "(frame.createOrReplaceTempView('colconf'), session.sql('SELECT * FROM colconf'))[1]"
_LIMIT = "answer.limit(2147483647)"
# https://spark.apache.org/docs/latest/configuration.html, spark.sql.optimizer.runtime.bloomFilter: above the
# scan of a large table stands a filter by a Bloom filter of the keys of the other one, if that is small and
# has a selective filter. So any table is large, and the small one has a filter that is computed in the join.
_BLOOM = "spark.sql.optimizer.runtime.bloomFilter."
_RUNTIME_BLOOM = {
    _BLOOM + "enabled": "true",
    _BLOOM + "applicationSideScanSizeThreshold": "0",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation",
}
_SELECTIVE = f"small.where('xxhash64({MATCH}) <> 0')"
_BOTH = {
    "no-codegen": Way({"spark.sql.codegen.wholeStage": "false"}),
    "interpreted": Way(
        {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
    ),
    "off-heap": Way({"spark.sql.columnVector.offheap.enabled": "true"}),
    "small-batches": Way(
        {"spark.sql.parquet.columnarReaderBatchSize": "7", "spark.sql.orc.columnarReaderBatchSize": "7"}
    ),
    "no-nested-vectors": Way({"spark.sql.parquet.enableNestedColumnVectorizedReader": "false"}),
    "splits": Way(_SPLITS),
    "min-partitions": Way({"spark.sql.files.minPartitionNum": "3", "spark.sql.files.openCostInBytes": "0"}),
    "v2": Way(_V2, is_alone=True),
    "view": Way({}, frame=_VIEW),
    "limit": Way({}, answer=_LIMIT),
    # https://spark.apache.org/docs/latest/sql-data-sources-generic-options.html: all files match.
    "glob": Way({}, options=(("pathGlobFilter", "*"),)),
    "recursive": Way({}, options=((RECURSIVE, "true"),)),
}
WAYS = {"default": Way({}), **_BOTH}
QUERIES = {
    "default": Way({}),
    **_BOTH,
    "v2-limit": Way(_V2, answer=_LIMIT),
    "record-filter": Way(
        {
            "spark.sql.parquet.recordLevelFilter.enabled": "true",
            "spark.sql.parquet.enableVectorizedReader": "false",
        }
    ),
    "runtime-bloom": Way(_RUNTIME_BLOOM, is_alone=True, small=_SELECTIVE, plan="might_contain"),
    "counted-apart": Way({}, aggregate="frame.agg(cells[0]).crossJoin(frame.agg(*cells[1:]))"),
}


def way_of(config: dict[str, str], *, of_query: bool) -> Way:
    """Return the way of a configuration; the default if its way is not one of reads, or of queries."""
    ways = QUERIES if of_query else WAYS
    return ways.get(config.get("way", "default"), ways["default"])
