"""Types, rows and plans of ORC files for tests."""

from __future__ import annotations

from dataclasses import replace

from reference_impl.columns import to_python
from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import FilePlan
from reference_impl.orc.schema import Type, TypeKind
from reference_impl.orc.types import build
from reference_impl.orc.values import number

K = TypeKind
PRIMITIVES = {
    "boolean": (Type(kind=K.BOOLEAN), lambda i: i % 3 == 0),
    "byte": (Type(kind=K.BYTE), lambda i: i % 256 - 128),
    "short": (Type(kind=K.SHORT), lambda i: i * 7 % 65536 - 32768),
    "int": (Type(kind=K.INT), lambda i: i * 1000 - 70_000),
    "long": (Type(kind=K.LONG), lambda i: (i - 50) * 10**15),
    "float": (Type(kind=K.FLOAT), lambda i: i / 3),
    "double": (Type(kind=K.DOUBLE), lambda i: -i / 7),
    "string": (Type(kind=K.STRING), lambda i: f"wörd{i % 9}".encode()),
    "binary": (Type(kind=K.BINARY), lambda i: bytes([i % 256]) * (i % 4)),
    "timestamp": (Type(kind=K.TIMESTAMP), lambda i: (i * 86_413 - 5_000_000, i * 1_000_100 % 10**9)),
    "decimal": (Type(kind=K.DECIMAL, precision=30, scale=4), lambda i: (i - 30) * 10**20),
    "date": (Type(kind=K.DATE), lambda i: i * 31 - 2000),
    "varchar": (Type(kind=K.VARCHAR, maximum_length=9), lambda i: b"v%d" % (i * i)),
    "char": (Type(kind=K.CHAR, maximum_length=5), lambda i: b"c%-4d" % (i % 40)),
    "instant": (Type(kind=K.TIMESTAMP_INSTANT), lambda i: (i * 3600, 10**9 - 1 - i)),
}
NESTED = {
    "list": ((K.LIST, "int"), lambda i: [None if n == 1 else n * i for n in range(i % 4)]),
    "map": ((K.MAP, "string", "long"), lambda i: [(b"k%d" % n, i if n else None) for n in range(i % 3)]),
    "union": ((K.UNION, "int", "string"), lambda i: (i % 2, b"u" if i % 2 else None if i % 3 else i)),
    "struct": ((K.STRUCT, "double", "string"), lambda i: (float(i), None if i % 5 else b"s")),
}


def flat(*columns):
    """Return the flattened types of a struct of (name, Type) or (name, (kind, names of PRIMITIVES…))."""
    types, ids = [None], []
    for _, type_ in columns:
        ids.append(len(types))
        if isinstance(type_, Type):
            types.append(type_)
            continue
        kind, *children = type_
        below = tuple(range(len(types) + 1, len(types) + 1 + len(children)))
        names = tuple(children) if kind is K.STRUCT else ()
        types += [Type(kind=kind, subtypes=below, field_names=names)]
        types += [PRIMITIVES[child][0] for child in children]
    types[0] = Type(kind=K.STRUCT, subtypes=tuple(ids), field_names=tuple(name for name, _ in columns))
    return tuple(types)


def row(makers, i, *, nulls):
    """Return row `i`: about every seventh value of it is null, or none."""
    return tuple(None if nulls and (i * 5 + place) % 7 == 0 else make(i) for place, make in enumerate(makers))


def plan(count=200, names=(*PRIMITIVES, *NESTED), *, nulls=True, **choices):
    """Return a plan of all types, or of those named, with so many rows."""
    known = {**PRIMITIVES, **NESTED}
    makers = [known[name][1] for name in names]
    rows = tuple(row(makers, i, nulls=nulls) for i in range(count))
    return FilePlan(flat(*((name, known[name][0]) for name in names)), rows, **choices)


def of_values(type_, values, **choices):
    """Return a plan of one column `x` of these values."""
    return FilePlan(flat(("x", type_)), tuple((value,) for value in values), **choices)


def with_columns(found, *layouts):
    """Return the plan with these layouts, the last one for all columns that are left."""
    columns = layouts + layouts[-1:] * (len(found.types) - len(layouts))
    return replace(found, columns=columns)


def read_rows(data):
    """Return the rows that the reference reads, as `expected_rows` has them."""
    return list(zip(*(to_python(column) for column in OrcFile(data).read().columns), strict=True))


def expected_rows(found):
    """Return the rows of a plan as the reference reads them: structs are dicts, timestamps stay pairs."""
    root = build(found.types)
    return [tuple(map(_plain, root.children, each)) for each in found.rows]


def _plain(node, value):
    if value is None:
        return None
    children = node.children
    if node.kind is K.STRUCT:
        return {child.name: _plain(child, item) for child, item in zip(children, value, strict=True)}
    if node.kind is K.LIST:
        return [_plain(children[0], item) for item in value]
    if node.kind is K.MAP:
        return [(_plain(children[0], key), _plain(children[1], item)) for key, item in value]
    if node.kind is K.UNION:
        return value[0], _plain(children[value[0]], value[1])
    if node.kind in (K.FLOAT, K.DOUBLE):
        return number(node.kind, value)
    if node.kind is K.DECIMAL and isinstance(value, tuple):
        return value[0] * 10**node.scale // 10 ** value[1]
    return value
