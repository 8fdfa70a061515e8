"""The registration of orc-java."""

from __future__ import annotations

from harness.engines.entry import PUSHDOWN, RARE_ZONES, ZONE, Entry

ENTRY = Entry(
    "orc_java",
    "harness.engines.orc_java.adapter",
    "OrcJava",
    formats=("orc",),
    switches={**ZONE, **PUSHDOWN},
    rare=RARE_ZONES,
    packages=("pyspark",),
    extra="spark",
    needs_java=True,
    place=54,
    artifact="orc-core",
    carriers={
        "1.7.4": "3.3.0",
        "1.8.4": "3.4.1",
        "1.9.1": "3.5.0",
        "1.9.8": "3.5.9",
        "2.1.2": "4.0.0",
        "2.1.3": "4.0.1",
        "2.3.0": "4.3.0",
    },
    lineage={"orc": "orc-java"},
)
