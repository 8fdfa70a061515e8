"""parquet-java, without Spark."""

from __future__ import annotations
