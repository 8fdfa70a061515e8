"""orc-java: OrcFile with row batches and search arguments, in a JVM of its own (`source/`)."""

from __future__ import annotations

from harness.engines.jvm.base import JavaEngine
from harness.engines.zones import GAPS


class OrcJava(JavaEngine):
    """Batches of orc-java; the adapter filters their rows, as a search argument only skips row groups."""

    name = "orc_java"
    artifact = "orc-core"
    main = "OrcEngine"
    formats = ("orc",)
    equivalences = GAPS
    queries = ("filter", "project", "batches", "row_group")
    float_order = "nan-greatest-signed-zeros"  # literals of search arguments compare by Double.compareTo
    file_order = True
