"""The base of adapters in Java, whose process becomes a JVM that speaks the protocol itself.

Runs in engine children: standard library only, Python 3.9.
"""

from __future__ import annotations

import json
from typing import Any

from harness.engines.base import Engine
from harness.engines.jvm import program


class JavaEngine(Engine):
    """An engine in the jars of PySpark: `artifact` names the jar of its version, `main` our class in Java."""

    artifact = ""
    main = ""

    def __init__(self) -> None:
        super().__init__()
        self.program = tuple(program.command(self.name, self.main, json.dumps(self.describe())))

    def describe(self) -> dict[str, Any]:
        """Return the description, with the ops that `source/Main.java` has."""
        return {**super().describe(), "ops": ["read_many", "query"], "keys": False}

    def version(self) -> str:
        """Return the version of the library in PySpark's jars."""
        return program.version_of(self.artifact)

    def runtime(self) -> str:
        """Return the Java that runs the library, as its folder says."""
        return program.runtime()
