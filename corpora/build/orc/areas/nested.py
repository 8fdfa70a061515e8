"""Lists, maps, structs and unions: lengths, null and empty values, depths, roots other than structs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from corpora.build.orc import samples
from corpora.build.orc.schemas import (
    INT,
    LONG,
    STRING,
    Types,
    column_plan,
    column_recipe,
    list_of,
    map_of,
    nested,
    plan,
    recipe,
    struct_of,
    union_of,
)
from corpora.build.recipe import Recipe, slug
from corpora.build.silences import NOT_OPTIONAL
from reference_impl.orc.encodings.runs import Run, RunKind
from reference_impl.orc.plan import Column, Present
from reference_impl.orc.schema import TypeKind

_TREE = "ORCv1.md, Type Information"


def recipes() -> Iterator[Recipe]:
    """Yield the forms."""
    return chain(_lists(), _maps(), _structs(), _unions(), _nulls(), _roots())


def _lists() -> Iterator[Recipe]:
    spec = samples.clause(TypeKind.LIST)
    for length in (0, 1, 2, 7, 8, 9, 130, 512, 513):
        rows = [list(range(length)), [], [1], list(range(length % 100))]
        yield recipe(f"list/length/{length}", column_plan(list_of(INT), rows), spec)
    for depth in (1, 2, 3, 6, 12):
        type_, value = INT, 7
        values: list[Any] = [value, None]
        for _ in range(depth):
            type_ = list_of(type_)
            values = [values, [], None]
        yield recipe(f"list/depth/{depth}", column_plan(type_, values), spec)
    for version in (1, 2):
        yield column_recipe(
            f"list/v{version}", spec, list_of(LONG), [[1], [], None, [2, None]], Column(rle=version)
        )
    runs = (Run(RunKind.DIRECT, 2), Run(RunKind.DELTA, 3))
    rows = [[number] * (number % 5) for number in range(20)]
    yield recipe("list/runs", column_plan(list_of(INT), rows, Column(length_runs=runs)), spec)


def _maps() -> Iterator[Recipe]:
    spec = samples.clause(TypeKind.MAP)
    keys: dict[str, tuple[Types, list[Any]]] = {
        "string": (STRING, [b"a", b"", b"b"]),
        "int": (INT, [1, -1, 0]),
        "boolean": (samples.TYPES[TypeKind.BOOLEAN], [True, False]),
        "double": (samples.TYPES[TypeKind.DOUBLE], [0.5, -1.5]),
        "date": (samples.TYPES[TypeKind.DATE], [0, 18_000]),
        "timestamp": (samples.TYPES[TypeKind.TIMESTAMP], [(0, 0), (5, 5)]),
        "decimal": (samples.TYPES[TypeKind.DECIMAL], [0, 1500]),
        "struct": (struct_of(a=INT), [(1,), (None,)]),
        "list": (list_of(INT), [[1], []]),
    }
    for name, (type_, values) in keys.items():
        rows: list[Any] = [[(key, at) for at, key in enumerate(values)], [], None, [(values[0], None)]]
        yield recipe(f"map/key/{name}", column_plan(map_of(type_, INT), rows), spec)
    unsorted = [[(b"b", 1), (b"a", 2), (b"c", 3)], [(b"c", 1)]]
    yield recipe("map/keys-not-sorted", column_plan(map_of(STRING, INT), unsorted), spec)
    for version in (1, 2):
        rows = [[(1, b"a")], [], None]
        yield recipe(f"map/v{version}", column_plan(map_of(INT, STRING), rows, Column(rle=version)), spec)


def _structs() -> Iterator[Recipe]:
    spec = samples.clause(TypeKind.STRUCT)
    for depth in (1, 2, 4, 8, 16):
        type_ = INT
        values: list[Any] = [5, None, 6]
        for level in range(depth):
            type_ = struct_of(**{f"s{level}": type_})
            values = [*((value,) for value in values), None]
        yield recipe(f"struct/depth/{depth}", column_plan(type_, values), spec)
    for count in (1, 2, 7, 50):
        type_ = struct_of(**{f"f{number}": INT for number in range(count)})
        rows = [None, tuple(range(count)), (None,) * count]
        yield recipe(f"struct/fields/{count}", column_plan(type_, rows), spec)
    yield recipe("struct/no-fields", column_plan(struct_of(), [(), None, ()]), spec)
    kind = {"": "empty", "a.b": "dot", "日本": "not-ascii", "with space": "space", "`quoted`": "backquotes"}
    for name in ("a.b", "", "A", "日本", "with space", "`quoted`", "_col0"):
        plan_ = plan(struct_of(**{name: INT, "b": INT}), [(1, 2), (None, 3)])
        yield recipe(f"struct/name/{kind.get(name, name.lower())}", plan_, _TREE)
    plan_ = plan(struct_of(a=INT, A=INT), [(1, 2), (3, 4)])
    yield recipe("struct/name/differ-by-case", plan_, _TREE)
    twice = nested(TypeKind.STRUCT, INT, INT, STRING, field_names=("a", "a", "b"))
    pairs: list[tuple[Any, ...]] = [(1, None, b"x"), (2, 4, b"y"), (None, 5, b"z")]
    yield recipe("struct/name/twice", plan(twice, pairs), _TREE, notes="no clause asks for names that differ")


def _unions() -> Iterator[Recipe]:
    spec = samples.clause(TypeKind.UNION)
    contents: dict[str, tuple[Types, list[Any]]] = {
        "one-variant": (union_of(INT), [(0, 1), None, (0, None)]),
        "two-variants": (union_of(INT, STRING), [(0, 1), (1, b"a"), (1, b""), (0, None), None, (0, 2)]),
        "variant-not-used": (union_of(INT, STRING, LONG), [(0, 1), (2, 5), (2, None)]),
        "same-types": (union_of(INT, INT), [(0, 1), (1, 1), (1, 2), (0, 2)]),
        "all-null": (union_of(INT, STRING), [None, None]),
        "nested": (union_of(INT, list_of(STRING)), [(1, [b"a", None]), (0, 1), (1, []), (1, None)]),
        "of-union": (union_of(INT, union_of(STRING, LONG)), [(1, (0, b"a")), (1, (1, 7)), (0, 1), (1, None)]),
        "in-list": (list_of(union_of(INT, STRING)), [[(0, 1), (1, b"a")], [], None, [None]]),
        "in-map": (map_of(INT, union_of(INT, STRING)), [[(1, (0, 1)), (2, (1, b"a"))], []]),
        "of-struct": (union_of(struct_of(a=INT), struct_of(b=STRING)), [(0, (1,)), (1, (b"a",)), (1, None)]),
    }
    for name, (type_, values) in contents.items():
        yield recipe(f"union/{name}", column_plan(type_, values), spec)


def _nulls() -> Iterator[Recipe]:
    """Yield PRESENT at every level and at none, also without nulls."""
    spec = "ORCv1.md, Column Encodings"
    type_ = list_of(map_of(INT, struct_of(y=STRING)))
    full = [[[(1, (b"a",)), (2, (b"b",))], []], [], [[(3, (b"",))]]]
    for present in Present:
        yield column_recipe(f"present/nested/full/{present}", spec, type_, full, Column(present=present))
        nullable = samples.NESTINGS[-1].values([b"a", b"", b"abc", b"d"])
        yield column_recipe(f"present/nested/nulls/{present}", spec, type_, nullable, Column(present=present))
    rows = [(1,), None, (None,), None, (2,)]
    yield recipe("present/nested/root", plan(struct_of(x=INT), rows), spec, either=_NO_ROW)
    outer = struct_of(a=struct_of(b=struct_of(c=INT)))
    values = [None, (None,), ((None,),), (((None,),),), (((1,),),)]
    yield recipe("present/nested/structs", column_plan(outer, values), spec)
    padded = Column(padding=True)
    for count in (1, 7, 9):
        flags = [None if at % 3 == 2 else at % 3 == 0 for at in range(count)]
        yield column_recipe(
            f"present/padding/boolean/{count}", spec, samples.TYPES[TypeKind.BOOLEAN], flags, padded
        )
        numbers = [None if at % 3 == 2 else at for at in range(count)]
        yield column_recipe(f"present/padding/int/{count}", spec, INT, numbers, padded)
    always = Column(present=Present.ALWAYS, empty_streams=True)
    yield recipe("present/empty-streams/listed", column_plan(INT, [None, None], always), spec)
    for kind in (TypeKind.INT, TypeKind.STRING, TypeKind.TIMESTAMP, TypeKind.DECIMAL, TypeKind.BOOLEAN):
        plan_ = column_plan(samples.TYPES[kind], [None, None, None], Column(empty_streams=False))
        name = f"present/empty-streams/left-out-{kind.name.lower()}"
        yield recipe(name, plan_, spec, either=NOT_OPTIONAL)


_NO_ROW = "engines have no rows that are null"


def _roots() -> Iterator[Recipe]:
    """Yield files whose root is not a struct: "the type tree" may have any root."""
    roots: dict[str, tuple[Types, list[Any]]] = {
        slug(kind.name): (type_, [*samples.VALUES[kind][:3], None])
        for kind, type_ in (samples.TYPES | samples.NESTED).items()
        if kind in (*samples.NESTED, TypeKind.INT, TypeKind.STRING, TypeKind.TIMESTAMP)
        and kind is not TypeKind.STRUCT
    }
    for name, (type_, values) in roots.items():
        yield recipe(f"root/{name}", plan(type_, values), _TREE, either=_NO_STRUCT)
    yield recipe("root/no-fields", plan(struct_of(), [()] * 3), _TREE, either=_NO_FIELDS)


_NO_STRUCT = "the tables of engines have named columns; a root that is not a STRUCT has no field names"
_NO_FIELDS = "the tables of engines have at least one column"
