"""Which Java a Spark started from here would run on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

OLDEST = 17  # Spark 4
MEND = (
    f"install Java {OLDEST} or newer (Debian and Ubuntu: apt-get install openjdk-17-jre-headless; macOS: "
    "brew install openjdk@17) and put it on PATH, or set JAVA_HOME"
)
_VERSION = re.compile(r'version "(?:1\.)?([0-9]+)[^"]*"')


class Java(NamedTuple):
    """A Java that was found, or why none was: `problem` is "" or one line. `version` is 17 for 17.0.15."""

    path: str
    version: int
    problem: str


def find() -> Java:
    """Look where Spark looks: in JAVA_HOME if that is set, else on PATH."""
    home = os.environ.get("JAVA_HOME")
    if home:
        path: str | None = str(Path(home) / "bin" / "java")
        if not os.access(str(path), os.X_OK):
            return Java("", 0, f"JAVA_HOME is {home}, where there is no bin/java")
    else:
        path = shutil.which("java")
    if path is None:
        return Java("", 0, "Java is not on PATH, and JAVA_HOME is not set")
    try:
        said = subprocess.run([path, "-version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return Java(path, 0, f"{path} does not run: {error}")
    return parsed(path, (said.stderr + said.stdout).decode("utf-8", "replace"))


def parsed(path: str, said: str) -> Java:
    """Answer what `java -version` said as a Java; it may have said anything."""
    found = _VERSION.search(said)
    if found is None:
        first = (said.strip().splitlines() or ["nothing"])[0]
        return Java(path, 0, f"{path} does not tell its version; it says {first:.80}")
    version = int(found[1])
    return Java(path, version, "" if version >= OLDEST else f"{path} is Java {version}, older than {OLDEST}")
