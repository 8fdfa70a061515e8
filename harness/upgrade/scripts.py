"""The smallest file of a group, beside a script that shows the difference without colconf.

The script is run once with each version; its head says how. It asks the engine what the adapter asks, and
prints what it answers as text that the engine itself makes.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.predicates import And, Compare, In, IsNull, Not, Or, StartsWith
from corpora.queries import Aggregate, Filter, Project, Query
from harness.engines import spark_switches
from harness.engines.registry import ENGINES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpora.predicates import Predicate
    from corpora.tagged import Type
    from harness.upgrade.groups import Group

SCRIPT = "reproduce.py"
_LARGEST = 16 << 20  # a larger file stays where it is
_SPARK_OPTIONS = {
    ("parquet", "vectorized", "off"): ("spark.sql.parquet.enableVectorizedReader", "false"),
    ("parquet", "nested", "off"): ("spark.sql.parquet.enableNestedColumnVectorizedReader", "false"),
    ("orc", "vectorized", "off"): ("spark.sql.orc.enableVectorizedReader", "false"),
    ("orc", "nested", "off"): ("spark.sql.orc.enableNestedColumnVectorizedReader", "false"),
    ("orc", "orc", "hive"): ("spark.sql.orc.impl", "hive"),
    ("parquet", "pushdown", "off"): ("spark.sql.parquet.filterPushdown", "false"),
    ("orc", "pushdown", "off"): ("spark.sql.orc.filterPushdown", "false"),
    ("parquet", "zone", "los_angeles"): ("spark.sql.session.timeZone", "America/Los_Angeles"),
    ("orc", "zone", "los_angeles"): ("spark.sql.session.timeZone", "America/Los_Angeles"),
}
_READS = {
    "pyarrow": "import pyarrow.parquet as pq\n\ntable = pq.ParquetFile({file!r}).read()\n"
    "print(table.schema)\nprint(table)\n",
    "pyarrow_orc": "import pyarrow.orc as orc\n\ntable = orc.ORCFile({file!r}).read()\n"
    "print(table.schema)\nprint(table)\n",
    "pyorc": "import pyorc\n\nwith open({file!r}, 'rb') as file:\n    reader = pyorc.Reader(file)\n"
    "    print(reader.schema)\n    for row in reader:\n        print(row)\n",
    "duckdb": "import duckdb\n\nduckdb.sql(\"DESCRIBE SELECT * FROM read_parquet('{file}')\").show()\n"
    "duckdb.sql(\"SELECT * FROM read_parquet('{file}')\").show()\n",
    "polars": "import polars as pl\n\nframe = pl.read_parquet({file!r})\nprint(frame.schema)\nprint(frame)\n",
    "fastparquet": "import fastparquet\n\nframe = fastparquet.ParquetFile({file!r}).to_pandas()\n"
    "print(frame.dtypes)\nprint(frame.to_string())\n",
    "datafusion": "import datafusion\n\nframe = datafusion.SessionContext().read_parquet({file!r})\n"
    "print(frame.schema())\nframe.show()\n",
}


def keep(folder: Path, group: Group, engines: list[dict[str, str]]) -> str | None:
    """Copy the file, write the script; answer the folder as the report names it, None if the file is gone."""
    at = group.smallest
    file = Path(at["file"])
    if not file.is_file():
        return None
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shown = str(file)
    if file.stat().st_size <= _LARGEST:
        shown = f"new.{at['format']}" if "other" in at else f"file.{at['format']}"
        shutil.copyfile(file, folder / shown)
        other = Path(at.get("other", ""))
        if other.is_file() and other != file:
            shutil.copyfile(other, folder / f"old.{at['format']}")
    (folder / SCRIPT).write_text(script(at, shown, engines), "utf-8", "backslashreplace")
    return f"{folder.parent.name}/{folder.name}"


def script(at: dict[str, Any], file: str, engines: list[dict[str, str]]) -> str:
    """Answer the text of the script for a line of differences."""
    name = engines[0]["name"] if engines else ""
    package = ENGINES[name].packages[0] if name in ENGINES else name
    doc = [f"{at['class']}: {_safe(at['path'])}" if at["path"] else at["class"]]
    versions = [one["version"] for one in engines]
    for version, told in zip(versions, (at["old"], at["new"]), strict=False):
        doc.append(f"  {package} {version}: {_safe(told)}")
    doc += [f"uv run --no-project --with {package}=={version} python {SCRIPT}" for version in versions]
    head = "\n".join(f"# {line}" for line in doc) + "\n\n"
    if "other" in at:
        return head + _inspects(at)
    if name == "spark":
        return head + _spark(at, file)
    query = f"# The query: {_safe(at['probe'])}\n" if at["probe"] else ""
    return head + query + _READS.get(name, "").replace("{file!r}", repr(file)).replace("{file}", file)


def _inspects(at: dict[str, Any]) -> str:
    """Answer a script that shows what two written files say of themselves."""
    if at["format"] == "orc":
        return (
            "import pyarrow.orc as orc  # any version\n\nfor name in ('old.orc', 'new.orc'):\n"
            "    file = orc.ORCFile(name)\n"
            "    print(name, file.compression, file.writer_version, file.schema)\n"
        )
    return (
        "import pyarrow.parquet as pq  # any version\n\nfor name in ('old.parquet', 'new.parquet'):\n"
        "    meta = pq.ParquetFile(name).metadata\n    print(name, meta, meta.schema)\n"
        "    for column in range(meta.num_columns):\n        print(meta.row_group(0).column(column))\n"
    )


def _spark(at: dict[str, Any], file: str) -> str:
    lines = [
        "import os",
        "",
        "from pyspark.sql import SparkSession",
        "",
        'os.environ["TZ"] = "UTC"',
        'builder = SparkSession.builder.master("local[1]").config("spark.sql.session.timeZone", "UTC")',
        'spark = builder.config("spark.driver.extraJavaOptions", "-Duser.timezone=UTC").getOrCreate()',
    ]
    lines += [f"spark.conf.set({name!r}, {value!r})" for name, value in _options(at)]
    lines += [
        f"path = os.path.abspath({file!r})",
        f'frame = spark.read.format("{at["format"]}").load("file:" + path)',
        "frame.printSchema()",
    ]
    query = Query.from_json(at["query"]) if at["query"] else None
    if query is not None:
        lines.append(f"# {_safe(at['probe'])}")
        lines += list(_asked(query))
    lines.append("frame.show(1000, truncate=False, vertical=True)")
    return "\n".join(lines) + "\n"


def _options(at: dict[str, Any]) -> Iterator[tuple[str, str]]:
    config = at["configs"][0] if at["configs"] else ""
    for part in filter(None, config.split(",")):
        switch, _, value = part.partition("=")
        option, _, text = spark_switches.option_of(at["format"], switch, value).partition("=")
        if option:
            yield option, text
        elif (at["format"], switch, value) in _SPARK_OPTIONS:
            yield _SPARK_OPTIONS[at["format"], switch, value]


def _asked(query: Query) -> Iterator[str]:
    if isinstance(query, Filter):
        yield f"frame = frame.where({_sql(query.predicate)!r})"
        if query.columns is not None:
            yield f"frame = frame.select({', '.join(repr(_column((name,))) for name in query.columns)})"
    elif isinstance(query, Project):
        yield f"frame = frame.select({', '.join(repr(_column((name,))) for name in query.columns)})"
    elif isinstance(query, Aggregate):
        column = _column(query.path)
        texts = ["count(1)", *(f"{word}({column})" for word in ("count", "min", "max"))]
        yield f"frame = frame.selectExpr({', '.join(map(repr, texts))})"


def _sql(predicate: Predicate) -> str:
    """Answer a predicate as Spark's SQL, its constants as casts of text."""
    if isinstance(predicate, Not):
        return f"NOT ({_sql(predicate.of)})"
    if isinstance(predicate, (And, Or)):
        return f" {type(predicate).__name__.upper()} ".join(f"({_sql(one)})" for one in predicate.of)
    column = _column(predicate.path)
    if isinstance(predicate, IsNull):
        return f"{column} IS NULL"
    if isinstance(predicate, StartsWith):
        return f"startswith({column}, {json.dumps(predicate.prefix)})"
    if isinstance(predicate, In):
        return f"{column} IN ({', '.join(_constant(predicate.type, value) for value in predicate.values)})"
    assert isinstance(predicate, Compare)
    return f"{column} {predicate.op} {_constant(predicate.type, predicate.value)}"


def _constant(type_: Type, value: Any) -> str:
    if type_.kind == "date":
        return f"date_from_unix_date({value})"
    if type_.kind == "timestamp":
        scale = {"s": 1_000_000, "ms": 1_000, "us": 1}.get(type_.unit or "", 0)
        return f"timestamp_micros({int(value) * scale if scale else int(value) // 1_000})"
    if type_.kind == "decimal":
        return f"{value} * 1E-{type_.scale}BD"
    if type_.kind in {"bytes", "uuid", "bson"}:
        return f"X'{value}'"
    if type_.kind == "float":
        import struct  # noqa: PLC0415 - one use

        form = {16: ">e", 32: ">f", 64: ">d"}[type_.bits or 64]
        return f"CAST('{struct.unpack(form, bytes.fromhex(value))[0]!r}' AS DOUBLE)"
    return json.dumps(value) if isinstance(value, str) and type_.kind != "int" else str(value)


def _column(path: tuple[str, ...]) -> str:
    return ".".join("`" + name.replace("`", "``") + "`" for name in path)


def _safe(text: str) -> str:
    return "".join(one if one.isprintable() else "?" for one in " ".join(text.split()))[:300]
