"""The registration of pyorc."""

from __future__ import annotations

from harness.engines.entry import PUSHDOWN, RARE_ZONES, ZONE, Entry
from harness.engines.pyorc.ways import QUERIES, WAYS

ENTRY = Entry(
    "pyorc",
    "harness.engines.pyorc.adapter",
    "Pyorc",
    formats=("orc",),
    switches={"way": tuple({**WAYS, **QUERIES}), **ZONE, **PUSHDOWN},
    rare=RARE_ZONES,
    packages=("pyorc",),
    extra="pyorc",
    writes=True,
    place=40,
    script="harness.engines.pyorc.script",
    write_script="harness.engines.pyorc.write_script",
    write_options="harness.engines.pyorc.write_options",
    lineage={"orc": "orc-cpp"},
    read_ways=tuple(WAYS),
    query_ways=tuple(QUERIES),
)
