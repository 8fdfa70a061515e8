"""The registration of pyarrow for Parquet."""

from __future__ import annotations

from harness.engines.entry import PUSHDOWN, Entry
from harness.engines.pyarrow.ways import QUERIES, SLICES, WAYS

ENTRY = Entry(
    "pyarrow",
    "harness.engines.pyarrow.adapter",
    "PyarrowParquet",
    switches={
        "api": ("table", "dataset"),
        "mmap": ("off", "on"),
        "threads": ("on", "off"),
        "way": tuple({**WAYS, **QUERIES, **SLICES}),
        **PUSHDOWN,
    },
    packages=("pyarrow",),
    extra="pyarrow",
    writes=True,
    place=20,
    script="harness.engines.pyarrow.script",
    write_script="harness.engines.pyarrow.write_script",
    write_options="harness.engines.pyarrow.write_options",
    script_keys=True,
    lineage={"parquet": "arrow-cpp"},
    read_ways=tuple(WAYS),
    query_ways=tuple({**QUERIES, **SLICES}),
)
