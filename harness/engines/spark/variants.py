"""Queries of Variants, as expressions of `F`, Spark's functions."""

from __future__ import annotations

from collections.abc import Iterable

from corpora.predicates import Compare, Computed, In, IsNull, NullSafe, StartsWith, Test, unhandled
from corpora.queries import EXTRACTED, Extract, FilterHeld, SchemaOf, ToJson
from corpora.tagged import BOOL, BYTES, DATE, STRING, Type, Value, floating, integer, timestamp
from corpora.variant_paths import Step
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import dotted, joined, operator
from harness.engines.spark.builder import Builder, text_literal

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


def column_source(path: tuple[str, ...]) -> str:
    """Return the expression of a column or field."""
    return f"F.col({dotted(path, '`')!a})"


def held_source(query: FilterHeld) -> str:
    """Return the expression of what Variants hold, null where it is of another type."""
    return (
        f"F.try_variant_get({column_source(query.path)}, {path_of(query.steps)!a}, {held_type(query.type)!a})"
    )


def held_condition(query: FilterHeld) -> str:
    """Return the condition of a filter of what Variants hold, which is `held`, as an expression."""
    target = held_type(query.type)

    def sql(builder: Builder, text: str) -> str:
        values = ", ".join(f"{name}={source}" for name, source in builder.values.items())
        return f"F.expr({text!a}.format({values}))"

    def constant(type_: Type, value: Value) -> str:
        builder = Builder()
        return sql(builder, builder.constant(type_, value, target))

    def computed(test: Computed) -> str:
        builder = Builder()
        column = dotted(query.path, "`")
        held = f"try_variant_get({column}, {text_literal(path_of(query.steps))}, {text_literal(target)})"
        return sql(builder, builder.computed(test, held.replace("{", "{{").replace("}", "}}"), target))

    null = f"F.lit(None).cast({target!a})"

    def leaf(test: Test, _: bool) -> str:  # NULL is as FALSE to a filter
        if isinstance(test, IsNull):
            return "held.isNull()"
        if isinstance(test, Computed):
            return computed(test)
        if isinstance(test, NullSafe):
            return f"held.eqNullSafe({null if test.value is None else constant(test.type, test.value)})"
        if isinstance(test, StartsWith):
            return f"F.startswith(held, F.expr({text_literal(test.prefix)!a}))"
        if isinstance(test, Compare):
            return f"held {operator(test.op)} {constant(test.type, test.value)}"
        if isinstance(test, In):
            constants = (null if value is None else constant(test.type, value) for value in test.values)
            return f"held.isin({', '.join(constants)})"
        raise unhandled(test)

    return joined(query.predicate, leaf, untrue="(~F.coalesce({}, F.lit(False)))")


def of_variants(query: Extract | ToJson) -> str:
    """Return the expression of the one column of a query of Variants."""
    column = column_source(query.path)
    if isinstance(query, Extract):
        value = f"F.variant_get({column}, {path_of(query.steps)!a}, 'variant')"
    else:
        value = f"F.{'schema_of_variant' if isinstance(query, SchemaOf) else 'to_json'}({column})"
    return f"{value}.alias({EXTRACTED!a})"


def held_type(type_: Type) -> str:
    """Return Spark's name of a type that Variants are cast to; raises Unsupported."""
    if type_.kind == "decimal":
        return f"decimal({type_.precision},{type_.scale})"
    if type_ not in _HELD:
        raise Unsupported(f"colconf does not ask Spark for a Variant as {type_}")
    return _HELD[type_]


def path_of(steps: Iterable[Step]) -> str:
    """Return a path of `variant_get`; raises Unsupported for a name that its grammar has no place for.

    Names stand between quotes of either kind, without that kind and without `?`; what the grammar takes for
    white space between its tokens begins none.
    """
    texts = []
    for step in steps:
        quote = next((item for item in "'\"" if item not in str(step)), "")
        if isinstance(step, str) and (not step or not quote or "?" in step or step[0] <= " "):
            raise Unsupported(f"variant_get has no path for {step!r:.80}")
        texts.append(f"[{step}]" if isinstance(step, int) else f"[{quote}{step}{quote}]")
    return "$" + "".join(texts)
