"""Differences between formats when Spark reads: options of the session, the row index, and the zone."""

from __future__ import annotations

from typing import NamedTuple

from corpora.queries import Batches, Extract, FilterHeld, Query
from harness.engines.errors import Unsupported
from harness.engines.zones import UTC, zone_of


class Reading(NamedTuple):
    """How Spark reads a format.

    `switches`: the options that a switch turns on and off; a switch of `off` only turns its option off, else
    it is Spark's default. `texts`: options that have the text of a switch, with the default. `means`: of
    pushdown, with their options. `indexed`: files have `_metadata.row_index`. `zoned`: values depend on the
    zone; Parquet's own types tell an instant from a wall clock.
    """

    switches: dict[str, str]
    off: dict[str, str]
    texts: dict[str, tuple[str, str]]
    means: dict[str, str]
    indexed: bool
    zoned: bool

    def zone(self, config: dict[str, str]) -> str:
        """Return the zone that values are read in."""
        return zone_of(config) if self.zoned else UTC

    def settings(self, config: dict[str, str]) -> dict[str, str | None]:
        """Return what the switches set in the session; None: Spark's default."""
        result: dict[str, str | None] = {
            option: "false" if config.get(switch) == "off" else "true"
            for switch, option in self.switches.items()
        }
        result.update(
            {option: "false" if config.get(switch) == "off" else None for switch, option in self.off.items()}
        )
        result.update({option: config.get(switch, text) for switch, (option, text) in self.texts.items()})
        return result


# https://spark.apache.org/docs/latest/configuration.html; the means are options of parquet-java.
READING = {
    "parquet": Reading(
        switches={"vectorized": "spark.sql.parquet.enableVectorizedReader"},
        off={"nested": "spark.sql.parquet.enableNestedColumnVectorizedReader"},
        texts={},
        means={
            "statistics": "parquet.filter.stats.enabled",
            "index": "parquet.filter.columnindex.enabled",
            "dictionary": "parquet.filter.dictionary.enabled",
            "bloom": "parquet.filter.bloom.enabled",
        },
        indexed=True,
        zoned=False,
    ),
    "orc": Reading(
        switches={
            "vectorized": "spark.sql.orc.enableVectorizedReader",
            "nested": "spark.sql.orc.enableNestedColumnVectorizedReader",
        },
        off={},
        texts={"orc": ("spark.sql.orc.impl", "native")},
        means={},
        indexed=False,
        zoned=True,
    ),
}
_MEANS = {name for reading in READING.values() for name in reading.means}


def options(format: str, pushdown: str) -> dict[str, str]:
    """Return the options of the reader: one means alone, or none, for Spark's defaults.

    Raises Unsupported for a means that the format's reader has no option for.
    """
    if pushdown not in _MEANS:
        return {}
    means = READING[format].means
    if pushdown not in means:
        raise Unsupported(f"Spark has no option for {pushdown} alone when it reads {format.upper()}")
    return {option: str(name == pushdown).lower() for name, option in means.items()}


def settings(format: str, pushdown: str, query: Query) -> dict[str, str]:
    """Return what a query sets in the session, away from Spark's defaults.

    Aggregates are answered from statistics by the newer interface of data sources only.
    """
    result = {}
    if pushdown == "off":
        result[f"spark.sql.{format}.filterPushdown"] = "false"
        if isinstance(query, (Extract, FilterHeld)):  # else the scan reads what is asked for alone
            result["spark.sql.variant.pushVariantIntoScan"] = "false"
    if pushdown == "aggregate":
        result[f"spark.sql.{format}.aggregatePushdown"] = "true"
        result["spark.sql.sources.useV1SourceList"] = ""
    if isinstance(query, Batches):
        result[f"spark.sql.{format}.columnarReaderBatchSize"] = str(query.rows)
    return result
