"""Tagged values and types as source text, however deep: of Python, and types of pyarrow.

What Python cannot say exactly (the payload of a NaN, text that is not UTF-8) is Unsupported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from corpora.constants import TEXT
from corpora.tagged import Type, Value
from harness.engines.errors import Unsupported
from harness.engines.scripts import literals
from harness.engines.terms import decimal_text

if TYPE_CHECKING:
    Leaf = Callable[[Type, Value], str]

_NAN = ("7ff8000000000000", "7fc00000", "7e00")  # the NaNs that float("nan") is
_HALF = 16
_KINDS = (
    *("bool", "int", "float", "decimal", "date", "time", "timestamp", "duration"),
    *("null", "string", "bytes"),
)


def arrow_type(type_: Type) -> str:
    """Return a type as an expression of pyarrow, fields named as the adapters name them."""
    inner = [arrow_type(child.type) for child in type_.children]
    if type_.kind == "list":
        return f'pa.list_(pa.field("element", {inner[0]}))'
    if type_.kind == "map":
        return f"pa.map_({inner[0]}, {inner[1]})"
    if type_.kind == "struct":
        fields = (f"pa.field({child.name!a}, {source})" for child, source in zip(type_.children, inner))
        return f"pa.struct([{', '.join(fields)}])"
    if type_.kind not in _KINDS:
        raise Unsupported(f"no script has values of type {type_}")
    return literals.arrow_type(type_)


def python(type_: Type, value: Value, leaf: Leaf | None = None) -> str:
    """Return a value as Python: counts of time as integers, structs as tuples, maps as lists of pairs.

    `leaf` makes the text of what has no children, if not this module.
    """
    if value is None:
        return "None"
    if isinstance(value, dict):
        raise Unsupported("a value is known by its digest alone")
    if not type_.children:
        return (leaf or leaf_of)(type_, value)
    assert isinstance(value, list)
    types = [child.type for child in type_.children]
    if type_.kind == "list":
        return f"[{', '.join(python(types[0], element, leaf) for element in value)}]"
    if type_.kind == "map":
        return f"[{', '.join(_tuple(types, entry, leaf) for entry in value)}]"
    return _tuple(types, value, leaf)


def _tuple(types: list[Type], values: Value, leaf: Leaf | None) -> str:
    assert isinstance(values, list)
    cells = [python(child, value, leaf) for child, value in zip(types, values)]
    return f"({', '.join(cells)}{',' * (len(cells) == 1)})"


def leaf_of(type_: Type, value: Value) -> str:
    """Return a value of a type without children as an expression of Python."""
    if type_.kind == "decimal":
        return f"decimal.Decimal({decimal_text(type_, value)!a})"
    if type_.kind == "float":
        text = literals.number(type_, value)
        if "nan" in text and value not in _NAN:
            raise Unsupported("no script has NaNs of other bits")
        return f"np.float16({text})" if type_.bits == _HALF else text
    if type_.kind in TEXT and any("\ud800" <= character <= "\udfff" for character in str(value)):
        raise Unsupported("no script has text that is not UTF-8")
    return literals.python(type_, value)


def types_of(type_: Type) -> Iterator[Type]:
    """Yield a type and those below it."""
    yield type_
    for child in type_.children:
        yield from types_of(child.type)
