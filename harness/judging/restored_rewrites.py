"""Rewrites to types that a format lacks, and that writers leave beside the format's own schema."""

from __future__ import annotations

from corpora import tagged
from corpora.tagged import PER_SECOND, Type
from harness.judging.clock_rewrites import rescale
from harness.judging.rewrites import Apply, Equivalence, Rewrite, same, when

_RESTORED = {"bytes": ("uuid", "bson", "geometry", "geography"), "string": ("json",)}


# Bytes or text are the Arrow type that they were before they were written.
arrow_schema_restored = when(lambda expected, actual: actual.kind in _RESTORED.get(expected.kind, ()))


def spark_schema_restored(expected: Type, actual: Type) -> Rewrite | None:
    """Return the type that Spark keeps in the file: intervals, counted in microseconds or months."""
    if expected == tagged.integer(64) and actual == tagged.duration("us"):
        return Rewrite(actual, same)
    if expected == tagged.integer(32) and actual == tagged.INTERVAL:
        return Rewrite(actual, lambda months: [months, "0", "0"])
    return None


def spark_types_restored(expected: Type, actual: Type) -> Rewrite | None:
    """As `spark_schema_restored`; and wall clocks, counted in microseconds, which ORC has a type for."""
    if expected == tagged.integer(64) and actual == tagged.timestamp("us", utc=False):
        return Rewrite(actual, same)
    return spark_schema_restored(expected, actual)


def integer_as_duration(unit: str) -> Apply:
    """Return 64-bit integers as the durations of a unit that they are, in this unit or a finer one."""
    before = PER_SECOND[unit]

    def apply(expected: Type, actual: Type) -> Rewrite | None:
        after = PER_SECOND.get(actual.unit or "", 0)
        if expected != tagged.integer(64) or actual.kind != "duration" or after < before:
            return None
        return Rewrite(actual, rescale(before, after, toward_zero=False))

    return apply


EQUIVALENCES = (
    Equivalence(
        "arrow-schema-restored",
        "A writer of Arrow leaves its own schema in the key ARROW:schema; a reader of Arrow restores from"
        " it what Parquet has no annotation for (Arrow C++, Reading and writing Parquet, Roundtripping"
        " Arrow types).",
        arrow_schema_restored,
        feature="parquet/file/arrow-schema",
    ),
    *(
        Equivalence(
            f"arrow-duration-{unit}-restored",
            "A duration of Arrow is an int64 in Parquet, and its unit stands in ARROW:schema alone; an"
            " engine without this unit counts in a finer one (Arrow C++, Reading and writing Parquet,"
            " Roundtripping Arrow types).",
            integer_as_duration(unit),
            formats=("parquet",),
            feature=f"parquet/file/arrow-duration-{unit}",
        )
        for unit in PER_SECOND
    ),
    Equivalence(
        "spark-schema-restored",
        "Spark keeps the schema of what it writes in the key org.apache.spark.sql.parquet.row.metadata,"
        " and reads columns as these types: intervals, which are stored as integers (Spark,"
        " ParquetFileFormat.readSchema; SPARK-36825).",
        spark_schema_restored,
        formats=("parquet",),
        feature="parquet/file/spark-schema",
    ),
    Equivalence(
        "spark-types-restored",
        "Spark keeps types that ORC lacks in the attribute spark.sql.catalyst.type, and reads columns as"
        " these: intervals and TIMESTAMP_NTZ, which are stored as integers (Spark, OrcUtils; SPARK-36931,"
        " SPARK-36346).",
        spark_types_restored,
        formats=("orc",),
        feature="orc/file/spark-types",
    ),
)
