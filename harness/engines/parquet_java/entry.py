"""The registration of parquet-java."""

from __future__ import annotations

from harness.engines.entry import Entry

ENTRY = Entry(
    "parquet_java",
    "harness.engines.parquet_java.adapter",
    "ParquetJava",
    switches={"pushdown": ("on", "off", "statistics", "index", "dictionary", "bloom")},
    packages=("pyspark",),
    extra="spark",
    needs_java=True,
    place=52,
    artifact="parquet-hadoop",
    carriers={"1.12.2": "3.3.0", "1.12.3": "3.4.1", "1.13.1": "3.5.9", "1.15.2": "4.0.1", "1.17.0": "4.3.0"},
    lineage={"parquet": "parquet-java"},
)
