"""Lines of scripts that ask Spark and DuckDB for what Variants hold, by the functions they document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora.predicates import Compare, IsNull, StartsWith
from corpora.queries import EXTRACTED, Extract, SchemaOf
from corpora.tagged import STRING
from harness.engines import duckdb_query, spark_query
from harness.engines.terms import combine, where
from harness.findings.literals import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from corpora.queries import FilterHeld, ToJson
    from corpora.tagged import Type, Value

_IMPORT = "from pyspark.sql import functions as F"


def selected(query: Extract | ToJson) -> list[str]:
    """Return the lines that select the one column of the answer."""
    column = _column(query.path)
    if isinstance(query, Extract):
        made = f"F.variant_get({column}, {spark_query.path_of(query.steps)!a}, 'variant')"
    else:
        made = f"F.{'schema_of_variant' if isinstance(query, SchemaOf) else 'to_json'}({column})"
    return [_IMPORT, f"frame = frame.select({made}.alias({EXTRACTED!a}))"]


def filtered(query: FilterHeld, constant: Callable[[Type, Value, str], str]) -> list[str]:
    """Return the lines of a filter of what Variants hold, null where it is of another type."""
    target = spark_query.held_type(query.type)

    def leaf(test: Any, plain: bool) -> str:  # noqa: ARG001 - NULL is as FALSE to a filter
        if isinstance(test, IsNull):
            return "held.isNull()"
        if isinstance(test, StartsWith):
            return f"F.startswith(held, F.expr({constant(STRING, test.prefix, target)!a}))"
        if isinstance(test, Compare):
            op = "==" if test.op == "=" else test.op
            return f"(held {op} F.expr({constant(test.type, test.value, target)!a}))"
        values = [constant(test.type, value, target) for value in test.values]
        return f"held.isin({', '.join(f'F.expr({one!a})' for one in values)})"

    condition = combine(
        query.predicate,
        leaf,
        invert=lambda one: f"~{one}",
        both=lambda one, other: f"({one} & {other})",
        either=lambda one, other: f"({one} | {other})",
    )
    path = spark_query.path_of(query.steps)
    return [
        _IMPORT,
        f"held = F.try_variant_get({_column(query.path)}, {path!a}, {target!a})",
        f"frame = frame.where({condition})",
    ]


def duckdb_condition(query: FilterHeld, constant: Callable[[Type, Value, str], str]) -> str:
    """Return the line `condition = …` of that filter in DuckDB; `constant` answers text of an f-string."""
    target = duckdb_query.held_type(query.type)
    held = _braced(_dotted(query.path, '"'))
    for step in query.steps:
        at = f"{step + 1}::UINTEGER" if isinstance(step, int) else constant(STRING, step, "VARCHAR")
        held = f"variant_extract({held}, {at})"
    held = f"TRY_CAST({held} AS {target})"

    def leaf(test: Any) -> str:
        if isinstance(test, IsNull):
            return f"({held} IS NULL)"
        if isinstance(test, StartsWith):
            return f"starts_with({held}, {constant(STRING, test.prefix, target)})"
        if isinstance(test, Compare):
            return f"({held} {test.op} {constant(test.type, test.value, target)})"
        values = [constant(test.type, value, target) for value in test.values]
        return f"({held} IN ({', '.join(values)}))"

    return f"condition = f{where(query.predicate, leaf)!a}"


def duckdb_json(query: ToJson) -> str:
    """Return what DuckDB is to select: the JSON of each Variant."""
    return f'{_dotted(query.path, chr(34))}::JSON::VARCHAR AS "{EXTRACTED}"'


def _column(path: tuple[str, ...]) -> str:
    return ascii(_dotted(path, "`"))


def _dotted(path: tuple[str, ...], quote: str) -> str:
    return ".".join(quoted(one, quote) for one in path)


def _braced(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
