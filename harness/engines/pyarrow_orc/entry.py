"""The registration of pyarrow for ORC."""

from __future__ import annotations

from harness.engines.entry import PUSHDOWN, RARE_ZONES, ZONE, Entry
from harness.engines.pyarrow_orc.ways import WAYS

ENTRY = Entry(
    "pyarrow_orc",
    "harness.engines.pyarrow_orc.adapter",
    "PyarrowOrc",
    formats=("orc",),
    switches={"api": ("table", "dataset"), "way": tuple(WAYS), **ZONE, **PUSHDOWN},
    rare=RARE_ZONES,
    packages=("pyarrow",),
    extra="pyarrow",
    writes=True,
    place=30,
    script="harness.engines.pyarrow_orc.script",
    write_script="harness.engines.pyarrow_orc.write_script",
    write_options="harness.engines.pyarrow_orc.write_options",
    lineage={"orc": "orc-cpp"},
)
