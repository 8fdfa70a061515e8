"""The Java of a Spark: an installed Spark finds its own; for other versions of Spark a Java is chosen."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from packaging.specifiers import SpecifierSet

OLDEST = 17  # Spark 4
MEND = (
    f"install Java {OLDEST} or newer (Debian and Ubuntu: apt-get install openjdk-17-jre-headless; macOS: "
    "brew install openjdk@17) and put it on PATH, or set JAVA_HOME"
)
# Versions of Java for Spark (https://spark.apache.org/docs/<version>/, "Downloading"), the best first: one
# Java for as many versions as possible, so that two versions of Spark run on the same Java. 3.2 was
# documented for 8 and 11, and runs on 17 with the options of 3.3; 25 is documented since 4.2 (SPARK-56815).
_SUITED = (
    (">=3.2,<4.0.0.dev0", (17, 11, 8)),
    (">=4.0.0.dev0,<4.2.0.dev0", (17, 21)),
    (">=4.2.0.dev0", (17, 21, 25)),
)
_NO_MODULE_OPTIONS = SpecifierSet("<3.3", prereleases=True)
# Packages that Spark 3.3 and later open to Java 17 themselves (`JavaModuleOptions` of its launcher,
# SPARK-36796).
_OPENED = (
    *("lang", "lang.invoke", "lang.reflect", "io", "net", "nio", "util", "util.concurrent"),
    "util.concurrent.atomic",
)
_OPENED_OF_SUN = ("nio.ch", "nio.cs", "security.action", "util.calendar")
_VERSION = re.compile(r'version "(?:1\.)?([0-9]+)[^"]*"')
_RELEASE = re.compile(r'^JAVA_VERSION="(?:1\.)?([0-9]+)', re.MULTILINE)
_SYSTEM = ("/usr/lib/jvm/*", "/usr/lib64/jvm/*", "/usr/java/*", "/opt/java/*", "/opt/homebrew/opt/openjdk*")
_MAC_HOME = "/usr/libexec/java_home"
_MAC = ("/Library/Java/JavaVirtualMachines/*/Contents/Home", "/usr/local/opt/openjdk*")
_USERS = (".sdkman/candidates/java/*", ".jdks/*", "Library/Java/JavaVirtualMachines/*/Contents/Home")


class Java(NamedTuple):
    """A Java, or why there is none: `problem` is "" or a line of text. `version` is 17 for 17.0.15."""

    path: str
    version: int
    problem: str

    @property
    def home(self) -> str:
        """Return the value of JAVA_HOME for this Java."""
        return str(Path(self.path).parent.parent)


def find() -> Java:
    """Return the Java that Spark finds: in JAVA_HOME if that is set, else on PATH."""
    home = os.environ.get("JAVA_HOME")
    if home:
        path: str | None = str(Path(home) / "bin" / "java")
        if not os.access(str(path), os.X_OK):
            return Java("", 0, f"JAVA_HOME is {home}, where there is no bin/java")
    else:
        path = shutil.which("java")
    if path is None:
        return Java("", 0, "Java is not on PATH, and JAVA_HOME is not set")
    return at(path)


def at(path: str) -> Java:
    """Return the Java of a program, from the output of `java -version`."""
    try:
        done = subprocess.run([path, "-version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return Java(path, 0, f"{path} does not run: {error}")
    return parsed(path, (done.stderr + done.stdout).decode("utf-8", "replace"))


def parsed(path: str, output: str) -> Java:
    """Return a Java from the output of `java -version`, which may be any text."""
    match = _VERSION.search(output)
    if match is None:
        first = (output.strip().splitlines() or ["nothing"])[0]
        return Java(path, 0, f"{path} does not tell its version; it says {first:.80}")
    version = int(match[1])
    return Java(path, version, "" if version >= OLDEST else f"{path} is Java {version}, older than {OLDEST}")


def suited(version: str) -> tuple[int, ...]:
    """Return the versions of Java that a version of Spark runs on, the best first."""
    for versions, javas in _SUITED:
        if SpecifierSet(versions, prereleases=True).contains(version):
            return javas
    return _SUITED[0][1] if version.startswith(("0", "1", "2", "3")) else _SUITED[-1][1]


def all_here() -> list[Java]:
    """Return every installed Java with a version, JAVA_HOME's first, then PATH's."""
    javas: dict[str, Java] = {}
    for home in _homes():
        program = home / "bin" / "java"
        real = os.path.realpath(program)
        if real not in javas and os.access(program, os.X_OK):
            javas[real] = _from_release(home, program) or at(str(program))
    return [java for java in javas.values() if java.version]


def choose(version: str, here: Iterable[Java] | None = None) -> Java:
    """Return the Java for a version of Spark; `problem` is one line with the mend if there is none.

    JAVA_HOME's is taken where it suits; otherwise the best installed Java.
    """
    javas = all_here() if here is None else list(here)
    order = suited(version)
    own = os.environ.get("JAVA_HOME")
    usable = sorted(
        (java for java in javas if java.version in order), key=lambda java: order.index(java.version)
    )
    for java in usable:
        if own and os.path.realpath(own) == os.path.realpath(java.home):
            return java
    if usable:
        return usable[0]._replace(problem="")
    wanted = " or ".join(map(str, sorted(order)))
    there = ", ".join(f"{java.version} ({java.home})" for java in javas) or "none"
    mend = f"install openjdk-{order[0]}-jre-headless or the like, or set JAVA_HOME"
    return Java("", 0, f"Spark {version} runs on Java {wanted}, and here is {there}; {mend}")


def variables(version: str, chosen: Java) -> dict[str, str]:
    """Return the environment variables that make a version of Spark use its Java."""
    environment = {"JAVA_HOME": chosen.home}
    if chosen.version >= OLDEST and _NO_MODULE_OPTIONS.contains(version):
        opened = [f"java.base/java.{name}" for name in _OPENED]
        opened += [f"java.base/sun.{name}" for name in _OPENED_OF_SUN]
        environment["JDK_JAVA_OPTIONS"] = " ".join(f"--add-opens={name}=ALL-UNNAMED" for name in opened)
    return environment


def _homes() -> Iterator[Path]:
    """Yield the folders that may be the home of a Java, the user's choices first."""
    own = os.environ.get("JAVA_HOME")
    if own:
        yield Path(own)
    program = shutil.which("java")
    if program:
        yield Path(os.path.realpath(program)).parent.parent
    for pattern in (*_SYSTEM, *_MAC):
        yield from sorted(Path("/").glob(pattern.lstrip("/")))
    if os.access(_MAC_HOME, os.X_OK):
        yield from _mac_homes()
    sdkman = os.environ.get("SDKMAN_DIR")
    if sdkman:
        yield from sorted(Path(sdkman).glob("candidates/java/*"))
    for pattern in _USERS:
        yield from sorted(Path.home().glob(pattern))


def _mac_homes() -> Iterator[Path]:
    """Yield the homes that macOS lists: `java_home -V` prints a home at the end of each line."""
    try:
        done = subprocess.run([_MAC_HOME, "-V"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.SubprocessError):
        return
    for line in done.stderr.splitlines():
        home = line.rpartition(" /")[2]
        if home and line != home:
            yield Path(f"/{home}")


def _from_release(home: Path, program: Path) -> Java | None:
    """Read the file `release`, which every JDK has since 7; that is faster than to run the program."""
    try:
        match = _RELEASE.search((home / "release").read_text("utf-8", "replace"))
    except OSError:
        return None
    return Java(str(program), int(match[1]), "") if match else None
