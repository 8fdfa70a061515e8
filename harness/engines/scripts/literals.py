"""Constants of queries as source text: of Python, of pyarrow, of SQL; and predicates made of tests as text.

A constant is exactly the value that the query names, as in the adapters (`harness/engines/terms.py`).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable
from typing import Any

from corpora.constants import TEXT
from corpora.predicates import And, Not, NotTrue, Or, Predicate, Test
from corpora.queries import Fields
from corpora.tagged import Field, Type, Value
from harness.engines.errors import Unsupported
from harness.engines.origins import QUERY_TEXT
from harness.engines.terms import arrow_type as arrow_type_at
from harness.engines.terms import bytes_of, decimal_text, float_of, integer_of, rescaled, text_of

_COUNTS = ("int", "date", "time", "timestamp", "duration", "int96")
# Source of what scripts call for the type that a constant is cast to.
TYPE_OF = '''
def type_of(schema, path):
    """The Arrow type at a path of a schema."""
    found = schema.field(path[0]).type
    for name in path[1:]:
        found = found[name].type
    return found.value_type if pa.types.is_dictionary(found) else found
'''

_MOST_DIGITS, _MOST_DIGITS_256 = 38, 76  # of Arrow's decimal128 and decimal256
_ARROW = {"bool": "pa.bool_()", "date": "pa.date32()", "int96": 'pa.timestamp("ns")', "null": "pa.null()"}


def python(type_: Type, value: Value) -> str:
    """Return a constant as an expression of Python: counts as integers, decimals as text of digits."""
    kind = type_.kind
    if kind in _COUNTS:
        return str(integer_of(type_, value))
    if kind == "float":
        return number(type_, value)
    if kind == "bool":
        return ascii(value)
    if kind == "decimal":
        return ascii(decimal_text(type_, value))
    if kind in TEXT:
        return ascii(text_of(value))
    return ascii(bytes_of(type_, value))


def evaluate(expression: str, names: dict[str, Any]) -> Any:
    """Return the value of an expression that scripts print; `names` are those that stand in it.

    All that comes from elsewhere is a literal in it (`ascii`): names of columns, constants.
    """
    return eval(compile(expression, QUERY_TEXT, "eval"), dict(names))  # noqa: S307 - see above


def execute(lines: Iterable[str], names: dict[str, Any]) -> dict[str, Any]:
    """Execute statements that scripts print; return the values of all names behind them.

    `names` are those that stand in the statements, as for `evaluate`.
    """
    known = dict(names)
    exec(compile("\n".join(lines), QUERY_TEXT, "exec"), known)  # noqa: S102 - see above
    return known


def evaluate_arrow(expression: str, pa: Any, schema: Any, names: dict[str, Any]) -> Any:
    """Return the value of an expression; raises Unsupported where a constant is of no type of its column."""
    import decimal

    def type_of(_: Any, path: tuple[str, ...]) -> Any:
        type_ = arrow_type_at(pa, schema, path)
        return type_.value_type if pa.types.is_dictionary(type_) else type_

    try:
        given = {"pa": pa, "decimal": decimal, "schema": schema, "type_of": type_of}
        return evaluate(expression, {**given, **names})
    except (pa.ArrowException, OverflowError) as error:
        raise Unsupported(f"a constant does not fit the type of its column: {error}") from error


def number(type_: Type, value: Value) -> str:
    """Return a float as an expression of Python, which has the bits of a NaN."""
    held = float_of(type_, value)
    if math.isnan(held):
        bits = struct.pack("<d", held)
        plain = {struct.pack("<d", math.nan): "float('nan')", struct.pack("<d", -math.nan): "-float('nan')"}
        return plain.get(bits, f"memoryview(bytes.fromhex({bits.hex()!a})).cast('d')[0]")
    text = ascii(held)
    return text if text.strip("-")[0].isdigit() else f"float({text!a})"


def nanos(type_: Type, value: Value) -> int:
    """Return a count of time in nanoseconds, days in nanoseconds of days."""
    return rescaled(type_, value, "ns")


def arrow(type_: Type, values: Iterable[Value], target: str) -> str:
    """Return constants, or nulls, as an array of pyarrow, cast to the type that `target` names.

    Floats are given by their bits: a NaN has 2^52 of them, and some engines order by those.
    """
    if type_.kind == "float":
        cells = ", ".join("None" if value is None else hex(int(str(value), 16)) for value in values)
        return f"pa.array([{cells}], pa.uint{type_.bits}()).view(pa.float{type_.bits}()).cast({target})"
    cells = ", ".join(_cell(type_, value) for value in values)
    return f"pa.array([{cells}], {arrow_type(type_)}).cast({target})"


def _cell(type_: Type, value: Value) -> str:
    if value is None:
        return "None"
    if type_.kind == "int96":
        return str(nanos(type_, value))
    return f"decimal.Decimal({python(type_, value)})" if type_.kind == "decimal" else python(type_, value)


def arrow_type(type_: Type) -> str:
    """Return the type of a constant as an expression of pyarrow."""
    kind = type_.kind
    if kind in _ARROW:
        return _ARROW[kind]
    if kind == "int":
        return f"pa.{'' if type_.signed else 'u'}int{type_.bits}()"
    if kind == "float":
        return f"pa.float{type_.bits}()"
    if kind == "decimal":
        digits = type_.precision or 0
        if digits > _MOST_DIGITS_256:
            raise Unsupported(f"Arrow has no type for {type_}")
        width = 128 if digits <= _MOST_DIGITS else 256
        return f"pa.decimal{width}({type_.precision}, {type_.scale})"
    if kind == "time":
        return f'pa.time{32 if type_.unit in {"s", "ms"} else 64}("{type_.unit}")'
    if kind == "timestamp":
        return f'pa.timestamp("{type_.unit}", {ascii("UTC") if type_.utc else None})'
    if kind == "duration":
        return f'pa.duration("{type_.unit}")'
    return "pa.string()" if kind in TEXT else "pa.binary()"


def arrow_schema(fields: Iterable[Field]) -> str:
    """Return a schema as an expression of pyarrow; raises Unsupported for a type that Arrow lacks."""
    return f"pa.schema([{', '.join(_arrow_field(field) for field in fields)}])"


def _arrow_field(field: Field) -> str:
    return f"pa.field({field.name!a}, {_nested_arrow_type(field.type)})"


def _nested_arrow_type(type_: Type) -> str:
    if type_.kind == "struct":
        return f"pa.struct([{', '.join(map(_arrow_field, type_.children))}])"
    if type_.kind == "list":
        return f"pa.list_({_nested_arrow_type(type_.children[0].type)})"
    if type_.kind == "map":
        key, value = (_nested_arrow_type(child.type) for child in type_.children)
        return f"pa.map_({key}, {value})"
    return arrow_type(type_)


def joined(
    predicate: Predicate, leaf: Callable[[Test, bool], str], *, untrue: str | None, plain: bool = True
) -> str:
    """Return the text of a predicate, of an engine with `~`, `&` and `|`.

    `leaf` gets whether an even number of NOT is between its test and the nearest IS NOT TRUE above, or the
    filter: there FALSE and UNKNOWN are the same. `untrue` is the engine's IS NOT TRUE, with {} for the part;
    raises Unsupported for an engine without one (None).
    """
    if isinstance(predicate, Not):
        return f"(~{joined(predicate.of, leaf, untrue=untrue, plain=not plain)})"
    if isinstance(predicate, NotTrue):
        if untrue is None:
            raise Unsupported(f"the engine has no operator for {predicate}")
        return untrue.replace("{}", joined(predicate.of, leaf, untrue=untrue))
    if isinstance(predicate, (And, Or)):
        parts = [joined(part, leaf, untrue=untrue, plain=plain) for part in predicate.of]
        return f"({(' & ' if isinstance(predicate, And) else ' | ').join(parts)})"
    return f"({leaf(predicate, plain)})"


def pushed(predicate: Predicate, leaf: Callable[[Test, bool], str], *, negated: bool = False) -> str:
    """Return the text of a predicate in Python, NOT moved down to the tests: `leaf` is told of it.

    By three-valued logic the rows are the same, as long as a test of a null is false either way.
    """
    if isinstance(predicate, Not):
        return pushed(predicate.of, leaf, negated=not negated)
    if isinstance(predicate, NotTrue):  # a test of a null is false
        part = pushed(predicate.of, leaf)
        return part if negated else f"(not {part})"
    if isinstance(predicate, (And, Or)):
        word = " and " if isinstance(predicate, And) is not negated else " or "
        return f"({word.join(pushed(part, leaf, negated=negated) for part in predicate.of)})"
    return f"({leaf(predicate, negated)})"


def fields_list(query: Fields, column: Callable[[tuple[str, ...]], str]) -> str:
    """Return the expressions of fields under the names of the result, joined by commas."""
    return ", ".join(f"{column(path)}.alias({name!a})" for name, path in query.named.items())


def dotted(path: tuple[str, ...], quote: str) -> str:
    """Return the path of a column in the quotes of an SQL."""
    return ".".join(quoted(name, quote) for name in path)


def quoted(name: str, quote: str) -> str:
    """Return a name in the quotes of an SQL."""
    return quote + name.replace(quote, quote * 2) + quote


def operator(op: str) -> str:
    """Return a comparison of queries as Python writes it."""
    return "==" if op == "=" else op


def asks_types(body: list[str]) -> bool:
    """Return whether lines of source ask for types (`TYPE_OF`)."""
    return any("type_of(" in line for line in body)
