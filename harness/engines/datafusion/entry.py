"""The registration of DataFusion."""

from __future__ import annotations

from harness.engines.datafusion.ways import QUERIES, UNORDERED, WAYS
from harness.engines.entry import Entry

ENTRY = Entry(
    "datafusion",
    "harness.engines.datafusion.adapter",
    "Datafusion",
    switches={"way": tuple({**WAYS, **QUERIES}), "pushdown": ("on", "off", "late")},
    packages=("datafusion", "pyarrow"),
    extra="datafusion",
    writes=True,
    place=90,
    script="harness.engines.datafusion.script",
    links=True,
    write_script="harness.engines.datafusion.write_script",
    write_options="harness.engines.datafusion.write_options",
    lineage={"parquet": "arrow-rs"},
    read_ways=tuple(WAYS),
    query_ways=tuple(QUERIES),
    unordered=UNORDERED,
)
