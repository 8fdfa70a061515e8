"""The registration of DuckDB."""

from __future__ import annotations

from harness.engines.duckdb.ways import QUERIES, UNORDERED, WAYS
from harness.engines.entry import PUSHDOWN, Entry

ENTRY = Entry(
    "duckdb",
    "harness.engines.duckdb.adapter",
    "Duckdb",
    switches={"way": tuple({**WAYS, **QUERIES}), **PUSHDOWN},
    packages=("duckdb", "pyarrow"),
    extra="duckdb",
    writes=True,
    place=60,
    script="harness.engines.duckdb.script",
    links=True,
    write_script="harness.engines.duckdb.write_script",
    write_options="harness.engines.duckdb.write_options",
    script_keys=True,
    decimal_digits=38,
    read_ways=tuple(WAYS),
    query_ways=tuple(QUERIES),
    unordered=UNORDERED,
)
