"""The registration of Polars."""

from __future__ import annotations

from harness.engines.entry import PUSHDOWN, Entry
from harness.engines.polars.ways import QUERIES, WAYS

ENTRY = Entry(
    "polars",
    "harness.engines.polars.adapter",
    "Polars",
    switches={"api": ("eager", "lazy"), "way": tuple({**WAYS, **QUERIES}), **PUSHDOWN},
    packages=("polars", "pyarrow"),
    extra="polars",
    writes=True,
    place=70,
    script="harness.engines.polars.script",
    write_script="harness.engines.polars.write_script",
    write_options="harness.engines.polars.write_options",
    read_ways=tuple(WAYS),
    query_ways=tuple(QUERIES),
)
