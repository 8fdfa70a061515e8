"""The registration of the reference implementation."""

from __future__ import annotations

from harness.engines.entry import Entry

ENTRY = Entry(
    "reference",
    "harness.engines.reference.adapter",
    "Reference",
    formats=("parquet", "orc"),
    switches={"pushdown": ("on", "off", "statistics", "index", "dictionary", "bloom")},
    narrowed={"orc": {"pushdown": ("on", "off", "statistics", "index", "bloom")}},
    place=10,
)
