"""The program of a child in Java: a Java, jars of PySpark, and our classes, compiled by Spark's compiler.

Janino, which Spark has for generated code, compiles our sources against the same jars that they run with:
neither a JDK nor a download is needed. It takes types without parameters, and no lambdas.
Runs in engine children: standard library only, Python 3.9.
"""

from __future__ import annotations

import glob
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence

_ENGINES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_SHARED = os.path.join(_ENGINES, "jvm", "source")
_BUILD = "Build.java"
_COMPILERS = ("janino", "commons-compiler")
# What a reader of Parquet or ORC may call: Spark itself and Scala are not on the class path.
_JARS = (
    *("parquet-", "orc-", "hive-storage-api", "hadoop-client-", "hadoop-shaded-", "jackson-", "avro-"),
    *("slf4j-api", "jcl-over-slf4j", "commons-", "guava", "protobuf-java", "threeten-extra", "re2j", "jts-"),
    *("snappy-java", "zstd-jni", "aircompressor", "lz4-java", "woodstox", "stax", *_COMPILERS),
)
_HEAP = "-Xmx2g"  # as much as Spark's driver has (harness/engines/spark/session.py)


def find_java() -> str:
    """Return the program of Java; raises RuntimeError, saying the mend, if there is none."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which(os.path.join(home, "bin", "java") if home else "java")
    if program is None:
        where = f"in JAVA_HOME={home}" if home else "on the PATH"
        raise RuntimeError(
            f"the engine needs Java, none found {where}; install Java 17 or 21, or set JAVA_HOME"
        )
    return program


def jars() -> list[str]:
    """Return the paths of PySpark's jars that a reader may call; raises RuntimeError without PySpark."""
    spec = importlib.util.find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("the engine is in the jars of PySpark, which is not installed")
    folder = os.path.join(next(iter(spec.submodule_search_locations)), "jars")
    names = sorted(os.path.basename(path) for path in glob.glob(os.path.join(glob.escape(folder), "*.jar")))
    return [os.path.join(folder, name) for name in names if name.startswith(_JARS)]


def version_of(library: str) -> str:
    """Return the version of a library by the name of its jar, such as `parquet-hadoop`."""
    for path in jars():
        name = os.path.basename(path)[: -len(".jar")]
        if name.startswith(f"{library}-"):
            return name[len(library) + 1 :].partition("-")[0]
    raise RuntimeError(f"PySpark's jars are without {library}")


def command(engine: str, main: str, description: str) -> list[str]:
    """Return the command of a child whose sources are the shared ones and those in the folder of `engine`.

    `main` names the class of the engine; `description` is its description, as JSON. Raises RuntimeError.
    """
    java, libraries = find_java(), jars()
    classes = _classes(java, libraries, sorted(_sources(_SHARED)) + sorted(_sources(_folder(engine))))
    scratch = tempfile.gettempdir()
    options = (
        *(_HEAP, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xshare:auto"),
        *(
            "-XX:+DisplayVMOutputToStderr",
            f"-XX:ErrorFile={scratch}/hs_err.log",
            f"-Djava.io.tmpdir={scratch}",
        ),
        *("-Duser.timezone=UTC", "-Dfile.encoding=UTF-8"),
    )
    path = os.pathsep.join([classes, *libraries])
    return [java, *options, "-cp", path, "colconf.Main", f"colconf.{main}", description]


def runtime() -> str:
    """Return the version of Java, as the file `release` of every JDK has it; "Java" where there is none."""
    home = os.path.dirname(os.path.dirname(os.path.realpath(find_java())))
    try:
        with open(os.path.join(home, "release"), encoding="utf-8", errors="replace") as lines:
            versions = [line for line in lines if line.startswith("JAVA_VERSION=")]
    except OSError:
        versions = []
    return f"Java {versions[0].split(chr(34))[1]}" if versions else "Java"


def _folder(engine: str) -> str:
    return os.path.join(_ENGINES, engine, "source")


def _sources(folder: str) -> Iterable[str]:
    return glob.glob(os.path.join(glob.escape(folder), "*.java"))


def _classes(java: str, libraries: Sequence[str], sources: Sequence[str]) -> str:
    """Return the folder of classes, named by a digest of sources and jars; compiled if it is not there."""
    digest = hashlib.sha256()
    for path in sources:
        with open(path, "rb") as file:
            digest.update(file.read())
    for path in libraries:
        digest.update(f"{os.path.basename(path)}\0{os.path.getsize(path)}\n".encode())
    target = os.path.join(_cache(), "java", digest.hexdigest()[:16])
    if os.path.isdir(target):
        return target
    os.makedirs(os.path.dirname(target), exist_ok=True)
    unfinished = tempfile.mkdtemp(prefix=".making-", dir=os.path.dirname(target))
    try:
        _compile(java, libraries, [path for path in sources if os.path.basename(path) != _BUILD], unfinished)
        os.rename(unfinished, target)
    except OSError:
        if not os.path.isdir(
            target
        ):  # else another process was faster: no rename replaces a folder with files
            raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return target


def _compile(java: str, libraries: Sequence[str], sources: Sequence[str], target: str) -> None:
    """Compile; raises RuntimeError with the compiler's message."""
    compiler = "org.codehaus.janino.SimpleCompiler"
    build = [compiler, os.path.join(_SHARED, _BUILD), "colconf.Build"]
    arguments = [java, "-XX:TieredStopAtLevel=1", "-cp", os.pathsep.join(libraries), *build, target, *sources]
    done = subprocess.run(arguments, capture_output=True, check=False)
    if done.returncode:
        lines = (done.stderr + done.stdout).decode("utf-8", "replace").splitlines()
        text = " ".join(line.strip() for line in lines if not line.lstrip().startswith("at "))
        raise RuntimeError(f"the engine's classes cannot be compiled: {text[:1500]}")


def _cache() -> str:
    """Return colconf's cache folder (`corpora/cache.py`, which needs a package that children lack)."""
    given = os.environ.get("COLCONF_CACHE")
    if given:
        return os.path.abspath(os.path.expanduser(given))
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches/colconf")
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "colconf")
