"""Queries as Spark's SQL: constants are casts to the column's type, which Spark folds before pushdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from corpora.constants import BINARY, TEXT
from corpora.predicates import Compare, In, IsNull
from corpora.queries import (
    AGGREGATES,
    EXTRACTED,
    Aggregate,
    Batches,
    Extract,
    Filter,
    FilterHeld,
    Project,
    SchemaOf,
    ToJson,
)
from corpora.tagged import BOOL, BYTES, DATE, STRING, floating, integer, timestamp
from harness.engines.base import Unsupported
from harness.engines.spark_clocks import instant_of
from harness.engines.terms import (
    COMPARE,
    bytes_of,
    combine,
    decimal_text,
    float_of,
    integer_of,
    only,
    rescaled,
    text_of,
    where,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from corpora.queries import Query
    from corpora.tagged import Type, Value
    from corpora.variant_paths import Step

# Options of parquet-java (`ParquetInputFormat`), which Spark hands on; each may skip rows by one means.
_MEANS = {
    "statistics": "parquet.filter.stats.enabled",
    "index": "parquet.filter.columnindex.enabled",
    "dictionary": "parquet.filter.dictionary.enabled",
    "bloom": "parquet.filter.bloom.enabled",
}
_HELD = {
    BOOL: "boolean",
    BYTES: "binary",
    DATE: "date",
    STRING: "string",
    floating(32): "float",
    floating(64): "double",
    integer(8): "tinyint",
    integer(16): "smallint",
    integer(32): "int",
    integer(64): "bigint",
    timestamp("us", utc=True): "timestamp",
    timestamp("us", utc=False): "timestamp_ntz",
}
_CHAR = re.compile(r"(?<!var)char\((\d+)\)")  # of the metadata that a column of CHAR has
_FLOATS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def options(format: str, pushdown: str) -> dict[str, str]:  # noqa: A002 - the protocol's word
    """Return the options of the reader: one means alone, or none, for Spark's defaults.

    Raises Unsupported for a means that the format's reader has no option for.
    """
    if pushdown not in _MEANS:
        return {}
    if format != "parquet":
        raise Unsupported(f"Spark has no option for {pushdown} alone when it reads {format.upper()}")
    return {option: str(name == pushdown).lower() for name, option in _MEANS.items()}


def settings(format: str, pushdown: str, query: Query) -> dict[str, str]:  # noqa: A002 - the protocol's word
    """Return what a query sets in the session, away from Spark's defaults.

    Aggregates are answered from statistics by the newer interface of data sources only.
    """
    found = {}
    if pushdown == "off":
        found[f"spark.sql.{format}.filterPushdown"] = "false"
        if isinstance(query, (Extract, FilterHeld)):  # else the scan reads what is asked for alone
            found["spark.sql.variant.pushVariantIntoScan"] = "false"
    if pushdown == "aggregate":
        found[f"spark.sql.{format}.aggregatePushdown"] = "true"
        found["spark.sql.sources.useV1SourceList"] = ""
    if isinstance(query, Batches):
        found[f"spark.sql.{format}.columnarReaderBatchSize"] = str(query.rows)
    return found


def ask(frame: Any, query: Query) -> tuple[Any, list[Any]]:
    """Return the rows of a query that is no aggregate, and the columns to select of them."""
    from pyspark.sql import functions

    names = getattr(query, "columns", None)
    columns = ["*"] if names is None else [functions.col(_column(frame, (name,))[0]) for name in names]
    if isinstance(query, Filter):
        condition = where(query.predicate, lambda test: _leaf(frame, test))
        return frame.filter(functions.expr(condition)), columns
    if isinstance(query, FilterHeld):
        return frame.filter(_held_condition(frame, query)), columns
    if isinstance(query, (Extract, ToJson)):
        return frame, [_of_variants(frame, query).alias(EXTRACTED)]
    assert isinstance(query, (Project, Batches))
    return frame, columns


def _of_variants(frame: Any, query: Extract | ToJson) -> Any:
    from pyspark.sql import functions

    column = _variant(frame, query.path)
    if isinstance(query, Extract):
        return functions.variant_get(column, path_of(query.steps), "variant")
    return functions.schema_of_variant(column) if isinstance(query, SchemaOf) else functions.to_json(column)


def _variant(frame: Any, path: tuple[str, ...]) -> Any:
    """Return a column of Variants; raises Unsupported where it is read as something else."""
    from pyspark.sql import functions

    column, type_ = _column(frame, path)
    if type_.typeName() != "variant":
        raise Unsupported(f"Spark reads a {type_.simpleString()}, not a Variant")
    return functions.col(column)


def _held_condition(frame: Any, query: FilterHeld) -> Any:
    """Return the condition of a filter of what Variants hold, null where it is of another type."""
    from pyspark.sql import functions

    target = held_type(query.type)
    held = functions.try_variant_get(_variant(frame, query.path), path_of(query.steps), target)

    def test_of(test: Any, plain: bool) -> Any:  # noqa: ARG001 - NULL is as FALSE to a filter
        if isinstance(test, IsNull):
            return held.isNull()
        if isinstance(test, Compare):
            return COMPARE[test.op](held, functions.expr(_constant(frame, test.type, test.value, target)))
        if isinstance(test, In):
            values = [_constant(frame, test.type, value, target) for value in test.values]
            return held.isin(*map(functions.expr, values))
        return functions.startswith(held, functions.expr(_text(test.prefix)))

    return combine(query.predicate, test_of)


def held_type(type_: Type) -> str:
    """Return Spark's name of a type that Variants are cast to; raises Unsupported."""
    if type_.kind == "decimal":
        return f"decimal({type_.precision},{type_.scale})"
    if type_ not in _HELD:
        raise Unsupported(f"Spark is asked for no Variant as {type_}")
    return _HELD[type_]


def path_of(steps: Iterable[Step]) -> str:
    """Return a path of `variant_get`; raises Unsupported for a name that its grammar has no place for.

    Names stand between quotes of either kind, without that kind and without `?`; what the grammar takes for
    white space between its tokens begins none.
    """
    texts = []
    for step in steps:
        quote = next((one for one in "'\"" if one not in str(step)), "")
        if isinstance(step, str) and (not step or not quote or "?" in step or step[0] <= " "):
            raise Unsupported(f"variant_get has no path for {step!r:.80}")
        texts.append(f"[{step}]" if isinstance(step, int) else f"[{quote}{step}{quote}]")
    return "$" + "".join(texts)


def aggregate(frame: Any, query: Aggregate) -> Any:
    """Return the frame of one row that is the answer to an aggregate."""
    from pyspark.sql import functions

    column, _ = _column(frame, query.path)
    parts = ("count(1)", f"count({column})", f"min({column})", f"max({column})")
    return frame.agg(*[functions.expr(part).alias(name) for part, name in zip(parts, AGGREGATES)])


def _column(frame: Any, path: tuple[str, ...]) -> tuple[str, Any]:
    """Return the text and the type of a column, or of a field of structs."""
    type_, texts = frame.schema, []
    for name in path:
        if type_.typeName() != "struct":
            raise Unsupported(f"{name!r:.80} is in a {type_.simpleString()}, not in a struct")
        type_ = type_[only(name, type_.names, fold=True)].dataType
        texts.append("`" + name.replace("`", "``") + "`")
    return ".".join(texts), type_


def _leaf(frame: Any, test: Any) -> str:
    column, type_ = _column(frame, test.path)
    if isinstance(test, IsNull):
        return f"({column} IS NULL)"
    target = type_.simpleString()
    if isinstance(test, (Compare, In)):
        _check_char(frame, test)
    if isinstance(test, Compare):
        return f"({column} {test.op} {_constant(frame, test.type, test.value, target)})"
    if isinstance(test, In):
        constants = [_constant(frame, test.type, value, target) for value in test.values]
        return f"({column} IN ({', '.join(constants)}))"
    return f"startswith({column}, {_text(test.prefix)})"


def _check_char(frame: Any, test: Compare | In) -> None:
    """Raise Unsupported for a constant that is longer than a CHAR.

    Spark pads a CHAR to the length of what it is compared with, and that may put it behind the constant:
    https://spark.apache.org/docs/latest/sql-ref-datatypes.html, CHAR(n).
    """
    column = frame.schema[only(test.path[0], frame.schema.names, fold=True)]
    lengths = [int(length) for length in _CHAR.findall(str(column.metadata))]
    values = test.values if isinstance(test, In) else (test.value,)
    if lengths and test.type.kind in TEXT and max(len(text_of(one)) for one in values) > min(lengths):
        raise Unsupported("Spark pads a CHAR to the length of a longer constant")


def _constant(frame: Any, type_: Type, value: Value, target: str) -> str:
    """Return an expression of Spark's type `target` without a column; wall clocks are the session's."""
    kind = type_.kind
    if kind == "int" and (target in ("tinyint", "smallint", "int", "bigint") or target.startswith("decimal")):
        return f"CAST('{integer_of(type_, value)}' AS {target})"
    if kind == "float" and target in ("float", "double"):
        text = repr(float_of(type_, value))
        return f"CAST('{_FLOATS.get(text, text)}' AS {target})"
    if kind == "decimal" and target.startswith("decimal"):
        return f"CAST('{decimal_text(type_, value)}' AS {target})"
    if kind == "date" and target == "date":
        return f"date_from_unix_date({integer_of(type_, value)})"
    if kind in ("timestamp", "int96") and target in ("timestamp", "timestamp_ntz"):
        count = rescaled(type_, value, "us")
        if type_.utc is False and target == "timestamp":
            count = instant_of(frame, count)
        micros = f"timestamp_micros(CAST('{count}' AS BIGINT))"
        return micros if target == "timestamp" else f"CAST({micros} AS TIMESTAMP_NTZ)"
    if kind == "bool" and target == "boolean":
        return str(value is True)
    if kind in TEXT and target == "string":
        return _text(value)
    if kind in (*TEXT, *BINARY) and target == "binary":
        return f"X'{bytes_of(type_, value).hex()}'"
    raise Unsupported(f"a constant of type {type_} for a column of Spark's type {target}")


def _text(value: Value) -> str:
    return f"CAST(X'{text_of(value).encode('utf-8').hex()}' AS STRING)"
