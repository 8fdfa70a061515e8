"""parquet-java: its ParquetReader with the Group object model, in a JVM of its own (`source/`)."""

from __future__ import annotations

from harness.engines.jvm.base import JavaEngine


class ParquetJava(JavaEngine):
    """Records as parquet-java assembles them, filtered by FilterApi."""

    name = "parquet_java"
    artifact = "parquet-hadoop"
    main = "ParquetEngine"
    formats = ("parquet",)
    # The Group object model gives a VARIANT as its group, shredded or not.
    equivalences = ("variant-as-struct", "variant-as-stored")
    queries = ("filter", "project", "row_group")
    float_order = "nan-greatest-signed-zeros"  # PrimitiveComparator compares by Double.compare
    file_order = True
