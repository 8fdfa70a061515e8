"""The registration of Spark."""

from __future__ import annotations

from harness.engines.entry import RARE_ZONES, ZONE, Entry
from harness.engines.spark import switches, ways
from harness.engines.spark.hints import HINTS

_NO_SWITCHES: dict[str, tuple[str, ...]] = dict.fromkeys(switches.values(), ())
ENTRY = Entry(
    "spark",
    "harness.engines.spark.adapter",
    "Spark",
    formats=("parquet", "orc"),
    switches={
        "vectorized": ("on", "off"),
        "nested": ("on", "off"),
        "orc": ("native", "hive"),
        "way": ways.NAMES,
        **ZONE,
        **switches.values(),
        "pushdown": ("on", "off", "statistics", "index", "dictionary", "bloom", "aggregate"),
    },
    narrowed={
        "parquet": {"nested": (), "orc": (), "zone": (), **_NO_SWITCHES},
        "orc": {
            "pushdown": ("on", "off", "aggregate"),
            "way": tuple(way for way in ways.NAMES if way not in ways.OF_PARQUET),
            **_NO_SWITCHES,
        },
    },
    rare=RARE_ZONES,
    gate={
        "parquet": {"nested": ("off",), "zone": ("los_angeles",), **switches.tried("parquet")},
        "orc": switches.tried("orc"),
    },
    packages=("pyspark", "pyarrow", "pandas"),
    extra="spark",
    heavy=True,
    needs_java=True,
    writes=True,
    write_options="harness.engines.spark.write_options",
    place=50,
    script="harness.engines.spark.script",
    links=True,
    hints=HINTS,
    lineage={"parquet": "parquet-java", "orc": "orc-java"},
    read_ways=tuple(ways.WAYS),
    query_ways=tuple(ways.QUERIES),
    unordered=ways.UNORDERED,
    ways_of_tables=True,
)
