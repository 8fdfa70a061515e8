"""The steps from the values of a file to those of a read, and the text that defines each.

Neither format says how files of one schema are read with another one. Steps of `universal` are those that
every reader of tables documents; a reader may refuse the others, but not return something else.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"


class Conversion(NamedTuple):
    """A step from the values of a file to those of a read; `authority` is the text that defines it."""

    meaning: str
    authority: str
    universal: bool = False


_ICEBERG_PROJECTION = "Iceberg, Table Spec, Column Projection"
# Iceberg selects by field id; what it says of a field holds here for one that is found by name, too.
_PROJECTION = f"{_ICEBERG_PROJECTION} (by id); Spark SQL, Parquet Files, Schema Merging (by name)"
_ICEBERG_PROMOTION = "Iceberg, Table Spec, Schema Evolution, type promotion"
_SPARK_PARTITIONS = "Spark SQL, Parquet Files, Partition Discovery"
_HIVE_NULL = "Hive, Configuration Properties, hive.exec.default.partition.name"
_SPARK_MERGING = "Spark SQL, Parquet Files, Schema Merging"
_SPARK_OPTIONS = "Spark SQL, Generic File Source Options"
_SPARK_TYPES = "Spark SQL, Data Types"
_ORC_EVOLUTION = "ORC Java, ConvertTreeReaderFactory, HIVE-13178 (ORC)"
_SMALL_INTEGERS = f"LogicalTypes.md, INT: stored in 32 bits (Parquet); {_ORC_EVOLUTION}"
_SPARK_WIDENING = f"SPARK-40876 (Parquet); {_ORC_EVOLUTION}"

CONVERSIONS: dict[str, Conversion] = {
    "reordered": Conversion("columns are found by name, in any order", _SPARK_MERGING, universal=True),
    "left-out": Conversion("a field that is not in the schema is not read", _PROJECTION, universal=True),
    "left-out-inside": Conversion("a field that a struct of the schema lacks is not read", _PROJECTION),
    "reordered-inside": Conversion("fields of a struct are found by name, in any order", _PROJECTION),
    "missing": Conversion("a field that a file lacks is null", _PROJECTION, universal=True),
    "missing-inside": Conversion("a field that a struct of a file lacks is null", _PROJECTION),
    "all-missing-inside": Conversion(
        "a struct whose fields in the schema are all missing is null where the file's struct is",
        _PROJECTION,
    ),
    "partition": Conversion(
        "the name of a folder, decoded, is the value of all rows in it", _SPARK_PARTITIONS, universal=True
    ),
    "null-partition": Conversion(f"the name {NULL_PARTITION} is null", _HIVE_NULL),
    "held-twice": Conversion(
        "the name of a folder counts, also where the file has a column of that name",
        "Spark SQL, Migration Guide, Upgrading from Spark SQL 2.1 to 2.2",
    ),
    "caseless": Conversion("names are matched without regard to case", "Spark SQL, spark.sql.caseSensitive"),
    "id": Conversion("fields are found by their field id", _ICEBERG_PROJECTION),
    "position": Conversion(
        "columns are found by their position", "ORC Java, OrcConf, orc.force.positional.evolution"
    ),
    "metadata": Conversion(
        "each row has the name and size of its file, and its number in it",
        "SPARK-37273; DuckDB, read_parquet, filename and file_row_number; Polars, include_file_paths",
    ),
    "int-widened": Conversion("int to long", _ICEBERG_PROMOTION),
    "small-int-widened": Conversion("8, 16 and 32 bits to more", _SMALL_INTEGERS),
    "float-widened": Conversion("float to double", _ICEBERG_PROMOTION),
    "int-to-double": Conversion("integers of at most 32 bits to double, which holds them", _SPARK_WIDENING),
    "decimal-widened": Conversion("more digits, the same scale", _ICEBERG_PROMOTION),
    "decimal-rescaled": Conversion("more digits behind the point and as many before it", _SPARK_WIDENING),
    "unknown-to-any": Conversion(
        "a column of nulls alone, of an unknown type, is nulls of any type", f"{_ICEBERG_PROMOTION} (v3)"
    ),
    "date-to-timestamp": Conversion("a date is its midnight, without a zone", _SPARK_WIDENING),
    "default": Conversion(
        "a column that a file lacks has its default value",
        f"{_ICEBERG_PROJECTION}, initial-default; Spark SQL, ALTER TABLE ADD COLUMNS, DEFAULT (SPARK-38334)",
    ),
    "char": Conversion(
        "text is padded with spaces to the length of its column", f"{_SPARK_TYPES}, CharType(length)"
    ),
    "varchar": Conversion("text is read as it is", f"{_SPARK_TYPES}, VarcharType(length)"),
    "corrupt": Conversion(
        "files that cannot be opened have no rows",
        f"{_SPARK_OPTIONS}, Ignore Corrupt Files; PyArrow, FileSystemDatasetFactory, exclude_invalid_files",
    ),
    "removed": Conversion(
        "files that are removed after they were listed have no rows",
        f"{_SPARK_OPTIONS}, Ignore Missing Files",
    ),
    "unified": Conversion(
        "the schema has the columns of all files; partition columns have the type that their texts show",
        f"{_SPARK_MERGING} (mergeSchema; ORC: SPARK-11412) and Partition Discovery; PyArrow, unify_schemas; "
        "DuckDB, read_parquet, union_by_name; DataFusion, ListingOptions, infer_schema",
    ),
    "recursive": Conversion(
        "the files of all folders are read, whose names mean nothing",
        f"{_SPARK_OPTIONS}, Recursive File Lookup; PyArrow, pyarrow.dataset.dataset, source",
    ),
    "name-pattern": Conversion(
        "files of which the name does not match are left out", f"{_SPARK_OPTIONS}, Path Glob Filter"
    ),
    "keyless": Conversion(
        "the name of a folder is the value of the partition column at its depth",
        "PyArrow, pyarrow.dataset.DirectoryPartitioning",
    ),
    "int-to-decimal": Conversion("integers to decimals that hold all of them", _SPARK_WIDENING),
}


def why_refused(used: Collection[str]) -> str:
    """Return why a reader may refuse a read that needs these conversions, "" if every reader has them."""
    optional = sorted(name for name in used if not CONVERSIONS[name].universal)
    return f"not every reader supports: {', '.join(optional)}" if optional else ""
