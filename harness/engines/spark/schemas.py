"""The schemas of files that were read lately, so that the next queries of a sheet do not infer them again."""

from __future__ import annotations

import os
from typing import Any

from harness.engines.spark.ways import Way

_MOST = 64


class Schemas:
    """Schemas by file and by what Spark's inference depends on.

    Spark infers a schema in a job of its own: measured, three tenths of the time of a small read.
    """

    def __init__(self) -> None:
        self._held: dict[tuple[Any, ...], Any] = {}

    def infer(self, reader: Any, link: str, file: str, config: dict[str, str], way: Way) -> Any:
        """Return a reader's frame of a file, which `link` leads to; the reader then has the file's schema."""
        frame = reader.load(link)
        while len(self._held) >= _MOST:
            del self._held[next(iter(self._held))]
        self._held[_key(file, config, way)] = frame.schema
        reader.schema(frame.schema)
        return frame

    def of(self, reader: Any, link: str, file: str, config: dict[str, str], way: Way) -> tuple[Any, Any]:
        """Return the schema of a file, and a frame if it was inferred now; the reader then has the schema."""
        schema = self._held.get(_key(file, config, way))
        if schema is None:
            frame = self.infer(reader, link, file, config, way)
            return frame.schema, frame
        reader.schema(schema)
        return schema, None


def _key(file: str, config: dict[str, str], way: Way) -> tuple[Any, ...]:
    """Return what decides the schema: the file as it is, and what is set, but for what comes after it."""
    status = os.stat(file)
    others = {switch: value for switch, value in config.items() if switch not in ("way", "pushdown")}
    newer = way.is_newer or config.get("pushdown") == "aggregate"
    return (
        *(file, status.st_ino, status.st_size, status.st_mtime_ns),
        *(newer, way.options, *sorted(others.items())),
    )
