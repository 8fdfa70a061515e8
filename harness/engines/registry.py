"""The engines colconf knows, as data: the parent reads this table and imports no engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.engines.spark import switches as spark_switches

if TYPE_CHECKING:
    from collections.abc import Iterable

# What a query may be answered by: `on` is the engine's default, `off` nothing but the rows themselves.
_PUSHDOWN: dict[str, tuple[str, ...]] = {"pushdown": ("on", "off")}
QUERY_SWITCHES = frozenset(_PUSHDOWN)
# The zones that ORC is read in; a run that names no engine takes one of them beside the default.
_ZONE: dict[str, tuple[str, ...]] = {"zone": ("utc", "los_angeles", "kolkata", "lord_howe")}
_RARE_ZONES: dict[str, tuple[str, ...]] = {"zone": ("kolkata", "lord_howe")}
_NO_SPARK_SWITCHES: dict[str, tuple[str, ...]] = dict.fromkeys(spark_switches.values(), ())


@dataclass(frozen=True)
class Entry:
    """An engine.

    `module` and `class_name` name the adapter. `switches` maps each switch to its values, the default first;
    those of QUERY_SWITCHES change the answers to queries only, never what is read. `narrowed` says, by
    format, which values of a switch make a difference there, if not all do; none: the switch means nothing.
    `rare` says which values of a switch are for engines that are named with them, and for no others; `gate`,
    by format, which values the upgrade gate tries beside those that any run does.
    `packages` are the names on PyPI that it needs, the one that carries its version first; `extra` is
    colconf's extra that installs them. `heavy`: seconds to start, hundreds of megabytes.
    `writes`: it can write files.
    """

    name: str
    module: str
    class_name: str
    formats: tuple[str, ...] = ("parquet",)
    switches: dict[str, tuple[str, ...]] = field(default_factory=dict)
    narrowed: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    rare: dict[str, tuple[str, ...]] = field(default_factory=dict)
    gate: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    extra: str = ""
    heavy: bool = False
    needs_java: bool = False
    writes: bool = False

    def values(self, switch: str, formats: Iterable[str]) -> tuple[str, ...]:
        """Return the values of a switch that make a difference for files of any of these formats."""
        told = [self.narrowed.get(one, {}).get(switch, self.switches[switch]) for one in formats]
        return tuple(value for value in self.switches[switch] if any(value in values for values in told))


ENGINES: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            "reference",
            "harness.engines.reference.adapter",
            "Reference",
            formats=("parquet", "orc"),
            switches={"pushdown": ("on", "off", "statistics", "index", "dictionary", "bloom")},
            narrowed={"orc": {"pushdown": ("on", "off", "statistics", "index", "bloom")}},
        ),
        Entry(
            "pyarrow",
            "harness.engines.pyarrow.adapter",
            "PyarrowParquet",
            switches={
                "api": ("table", "dataset"),
                "mmap": ("off", "on"),
                "threads": ("on", "off"),
                **_PUSHDOWN,
            },
            packages=("pyarrow",),
            extra="pyarrow",
            writes=True,
        ),
        Entry(
            "pyarrow_orc",
            "harness.engines.pyarrow_orc.adapter",
            "PyarrowOrc",
            formats=("orc",),
            switches={"api": ("table", "dataset"), **_ZONE, **_PUSHDOWN},
            rare=_RARE_ZONES,
            packages=("pyarrow",),
            extra="pyarrow",
            writes=True,
        ),
        Entry(
            "pyorc",
            "harness.engines.pyorc.adapter",
            "Pyorc",
            formats=("orc",),
            switches={**_ZONE, **_PUSHDOWN},
            rare=_RARE_ZONES,
            packages=("pyorc",),
            extra="pyorc",
            writes=True,
        ),
        Entry(
            "spark",
            "harness.engines.spark.adapter",
            "Spark",
            formats=("parquet", "orc"),
            switches={
                "vectorized": ("on", "off"),
                "nested": ("on", "off"),
                "orc": ("native", "hive"),
                **_ZONE,
                **spark_switches.values(),
                "pushdown": ("on", "off", "statistics", "index", "dictionary", "bloom", "aggregate"),
            },
            narrowed={
                "parquet": {"nested": (), "orc": (), "zone": (), **_NO_SPARK_SWITCHES},
                "orc": {"pushdown": ("on", "off", "aggregate"), **_NO_SPARK_SWITCHES},
            },
            rare=_RARE_ZONES,
            gate={
                "parquet": {"nested": ("off",), "zone": ("los_angeles",), **spark_switches.tried("parquet")},
                "orc": spark_switches.tried("orc"),
            },
            packages=("pyspark", "pyarrow", "pandas"),
            extra="spark",
            heavy=True,
            needs_java=True,
            writes=True,
        ),
        Entry(
            "duckdb",
            "harness.engines.duckdb.adapter",
            "Duckdb",
            switches=_PUSHDOWN,
            packages=("duckdb", "pyarrow"),
            extra="duckdb",
            writes=True,
        ),
        Entry(
            "polars",
            "harness.engines.polars.adapter",
            "Polars",
            switches={"api": ("eager", "lazy"), **_PUSHDOWN},
            packages=("polars", "pyarrow"),
            extra="polars",
            writes=True,
        ),
        Entry(
            "fastparquet",
            "harness.engines.fastparquet.adapter",
            "Fastparquet",
            switches={"pushdown": ("on", "off", "rows")},
            packages=("fastparquet",),
            extra="fastparquet",
            writes=True,
        ),
        Entry(
            "datafusion",
            "harness.engines.datafusion.adapter",
            "Datafusion",
            switches={"pushdown": ("on", "off", "late")},
            packages=("datafusion", "pyarrow"),
            extra="datafusion",
            writes=True,
        ),
    )
}
