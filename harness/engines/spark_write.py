"""Writing with Spark: one part file, moved to where it is wanted."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
from typing import TYPE_CHECKING, Any

from harness.engines.arrow_build import to_arrow
from harness.engines.base import Unsupported

if TYPE_CHECKING:
    from corpora.tagged import Table


def write(
    session: Any, scratch: str, file: str, table: Table, *, options: dict[str, Any], codecs: dict[str, str]
) -> None:
    """Write `table` to `file`; raises Unsupported for what Spark has no type or option for."""
    codec = options.get("codec", "SNAPPY")
    if codec not in codecs:
        raise Unsupported(f"Spark does not write codec {codec}")
    session.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    frame = session.createDataFrame(to_arrow(table)).coalesce(1)
    folder = os.path.join(tempfile.mkdtemp(prefix="write-", dir=scratch), "out")  # noqa: PTH118 - 3.9
    writer = frame.write.option("compression", codecs[codec])
    writer = writer.option("parquet.writer.version", f"v{options.get('page_version', 1)}")
    writer = writer.option("parquet.enable.dictionary", str(options.get("dictionary", True)).lower())
    try:
        writer.parquet(folder)
        (part,) = glob.glob(os.path.join(glob.escape(folder), "part-*.parquet"))  # noqa: PTH118, PTH207
        shutil.move(part, file)
    finally:
        shutil.rmtree(os.path.dirname(folder), ignore_errors=True)  # noqa: PTH120
