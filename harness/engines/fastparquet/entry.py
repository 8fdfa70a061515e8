"""The registration of fastparquet."""

from __future__ import annotations

from harness.engines.entry import Entry
from harness.engines.fastparquet.ways import QUERIES, WAYS

ENTRY = Entry(
    "fastparquet",
    "harness.engines.fastparquet.adapter",
    "Fastparquet",
    switches={"way": tuple({**WAYS, **QUERIES}), "pushdown": ("on", "off", "rows")},
    packages=("fastparquet",),
    extra="fastparquet",
    writes=True,
    place=80,
    script="harness.engines.fastparquet.script",
    links=True,
    write_script="harness.engines.fastparquet.write_script",
    write_options="harness.engines.fastparquet.write_options",
    read_ways=tuple(WAYS),
    query_ways=tuple(QUERIES),
)
