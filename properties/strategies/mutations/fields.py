"""Mutation of trees of fields, of any wire format: in place, by named operations.

    >>> group, size = thrift_tree.parse(raw, FileMetaData)
    >>> done = fields.mutate(group, THRIFT, random)      # ["swap enum"]
    >>> raw = THRIFT.build(group)

A `Dialect` holds the specifics of a wire format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum
from functools import wraps
from random import Random
from typing import TypeVar

from properties.strategies.mutations import scalars
from properties.strategies.mutations.tree import Dialect, Tree
from reference_impl.wire.table import ListOf, Row, Union, Wire, table_of
from reference_impl.wire.trees import Field, Group, Item, Items, Leaf, Raw, copy, groups

Operation = Callable[[Tree, Random], bool]

T = TypeVar("T")
OPERATIONS: dict[str, tuple[int, Operation]] = {}  # with their weights
_COPIES = (1, 1, 1, 2, 15, 200)
_ENUM_ABOVE = (1, 2, 1000)
_TRIES = 10
_MOST_COPIED = 4000  # fields


def mutate(
    root: Group, dialect: Dialect, random: Random, *, others: tuple[Group, ...] = (), times: int | None = None
) -> list[str]:
    """Change a tree in place, and return the names of the operations that changed it.

    `times`: the number of operations, by default mostly one; `others`: trees of other files, to splice from.
    """
    tree = Tree(root, dialect, others)
    done: list[str] = []
    for _ in range(times or random.choice((1, 1, 1, 2, 3))):
        for _try in range(_TRIES):
            (name,) = random.choices(_NAMES, _WEIGHTS)
            if OPERATIONS[name][1](tree, random):
                done.append(name)
                break
    return done


def _is_number(item: Item) -> bool:
    return isinstance(item, Leaf) and isinstance(item.value, int) and not isinstance(item.value, bool)


def _leaves(each: Field) -> list[Leaf]:
    items = each.item.items if isinstance(each.item, Items) else [each.item]
    return [item for item in items if isinstance(item, Leaf)]


def _enum(wire: Wire | None) -> type[IntEnum] | None:
    wire = wire.element if isinstance(wire, ListOf) else wire
    return wire if isinstance(wire, type) and issubclass(wire, IntEnum) else None


def _operation(weight: int) -> Callable[[Operation], Operation]:
    """Return a decorator that lists an operation; harsh changes, which parsers mostly refuse, are rare."""

    def decorate(operation: Operation) -> Operation:
        OPERATIONS[operation.__name__.replace("_", " ")] = (weight, operation)
        return operation

    return decorate


def _on(
    weight: int, choose: Callable[[Tree, Random], T | None]
) -> Callable[[Callable[[T, Tree, Random], None]], Operation]:
    """Return a decorator for an operation on a part that `choose` chooses, None if there is none."""

    def decorate(change: Callable[[T, Tree, Random], None]) -> Operation:
        @wraps(change)
        def operation(tree: Tree, random: Random) -> bool:
            part = choose(tree, random)
            if part is not None:
                change(part, tree, random)
            return part is not None

        return _operation(weight)(operation)

    return decorate


def _on_field(
    weight: int, wanted: Callable[[Field], bool]
) -> Callable[[Callable[[Field, Tree, Random], None]], Operation]:
    return _on(weight, lambda tree, random: tree.field(random, wanted))


def _on_group(
    weight: int, wanted: Callable[[Group], bool]
) -> Callable[[Callable[[Group, Tree, Random], None]], Operation]:
    return _on(weight, lambda tree, random: tree.group(random, wanted))


def _any(_: Field | Group) -> bool:
    return True


def _absent(group: Group) -> list[Row]:
    there = {each.id for each in group.fields}
    return [row for row in table_of(group.cls).rows if row.id not in there] if group.cls else []


def _sized(item: Item) -> Iterator[Leaf | Items | Group]:
    if isinstance(item, Items):
        yield item
    for each in item.items if isinstance(item, Items) else [item]:
        if isinstance(each, Group) or (isinstance(each, Leaf) and isinstance(each.value, bytes)):
            yield each


@_on_field(8, lambda field: any(map(_is_number, _leaves(field))))
def change_number(field: Field, tree: Tree, random: Random) -> None:
    """Replace a number by a near, extreme, negative or huge one."""
    leaf = random.choice([leaf for leaf in _leaves(field) if _is_number(leaf)])
    number = scalars.number(random, int(leaf.value))
    leaf.value = tree.dialect.fit(leaf.code, field.wire, number) if random.randrange(10) else number


@_on_field(6, lambda field: any(not _is_number(leaf) for leaf in _leaves(field)))
def change_value(field: Field, _: Tree, random: Random) -> None:
    """Replace bytes, a boolean or a floating point number."""
    leaf = random.choice([leaf for leaf in _leaves(field) if not _is_number(leaf)])
    if isinstance(leaf.value, bytes):
        leaf.value = scalars.some_bytes(random, leaf.value)
    else:
        leaf.value = not leaf.value if isinstance(leaf.value, bool) else scalars.double(random)


@_on_field(6, lambda field: _enum(field.wire) is not None and bool(_leaves(field)))
def swap_enum(field: Field, _: Tree, random: Random) -> None:
    """Replace a value of an enum by another member, or by a number that is no member."""
    numbers = [int(member) for member in _enum(field.wire) or ()]
    numbers.append(max(numbers) + random.choice(_ENUM_ABOVE) if random.randrange(4) else -1)
    random.choice(_leaves(field)).value = random.choice(numbers)


@_on_group(3, lambda group: bool(group.fields))
def drop_field(group: Group, _: Tree, random: Random) -> None:
    """Remove a field."""
    del group.fields[random.randrange(len(group.fields))]


@_on_group(1, lambda group: bool(group.fields))
def double_field(group: Group, _: Tree, random: Random) -> None:
    """Add a copy of a field."""
    each = random.choice(group.fields)
    twin = Field(each.id, copy(each.item), each.name, each.wire, each.code)
    group.fields.insert(random.randrange(len(group.fields) + 1), twin)


@_on_group(2, lambda group: len(group.fields) > 1)
def reorder_fields(group: Group, _: Tree, random: Random) -> None:
    """Shuffle the fields of a group."""
    random.shuffle(group.fields)


@_on_group(1, lambda group: bool(group.fields))
def renumber_field(group: Group, tree: Tree, random: Random) -> None:
    """Give a field the id of another field, or an id that no table knows."""
    each = random.choice(group.fields)
    known = [row.id for row in table_of(group.cls).rows] if group.cls else []
    each.id = random.choice((*known, each.id + 1, each.id - 1, 0, -1, tree.dialect.ids, tree.dialect.ids - 1))


@_on_field(2, _any)
def retype_field(field: Field, tree: Tree, random: Random) -> None:
    """Give a field a value of another type, or only the type code of another type."""
    if random.randrange(3):
        field.item = tree.dialect.foreign(random)
    else:
        field.code = random.choice(tree.dialect.codes)


@_on_group(5, lambda group: bool(_absent(group)))
def add_known_field(group: Group, tree: Tree, random: Random) -> None:
    """Add a field of the table that the group has not got."""
    row = random.choice(_absent(group))
    field = Field(row.id, tree.dialect.known(row.wire, random), row.name, row.wire)
    group.fields.insert(sum(each.id < row.id for each in group.fields), field)


@_on_group(2, _any)
def add_unknown_field(group: Group, tree: Tree, random: Random) -> None:
    """Add a field that no table knows."""
    field_id = random.choice((100, 1000, tree.dialect.ids - 1, *range(10, 30)))
    group.fields.append(Field(field_id, tree.dialect.foreign(random)))


@_on_group(1, lambda group: group.cls is not None and issubclass(group.cls, Union))
def unset_union(group: Group, tree: Tree, random: Random) -> None:
    """Clear a union, or add a second field to it."""
    absent = _absent(group)
    if group.fields and (not absent or random.randrange(2)):
        group.fields.clear()
    elif absent:
        row = random.choice(absent)
        group.fields.append(Field(row.id, tree.dialect.known(row.wire, random), row.name, row.wire))


@_on_field(4, lambda field: isinstance(field.item, Items) and bool(field.item.items))
def change_list(field: Field, _: Tree, random: Random) -> None:
    """Remove, repeat or reorder elements of a list."""
    assert isinstance(field.item, Items)
    items = field.item.items
    at = random.randrange(len(items))
    kind = random.randrange(4)
    if kind == 0:
        del items[at]
    elif kind == 1:
        size = max(len(items), sum(len(group.fields) + 1 for group in groups(items[at])))
        copies = min(random.choice(_COPIES), _MOST_COPIED // size)
        items[at:at] = [copy(items[at]) for _ in range(copies)]
    elif kind == 2:
        random.shuffle(items)
    else:
        items.clear()


@_on_field(1, lambda field: bool(list(_sized(field.item))))
def lie_about_size(field: Field, _: Tree, random: Random) -> None:
    """Give a list, byte string or message a false size."""
    item = random.choice(list(_sized(field.item)))
    true = len(item.items) if isinstance(item, Items) else 0
    true = len(item.value) if isinstance(item, Leaf) and isinstance(item.value, bytes) else true
    item.size = scalars.number(random, true)


@_on_field(1, lambda field: isinstance(field.item, Items))
def lie_about_elements(field: Field, tree: Tree, random: Random) -> None:
    """Give a list a false type of its elements."""
    assert isinstance(field.item, Items)
    field.item.code = random.choice(tree.dialect.codes)


@_on_group(1, _any)
def nest_deep(group: Group, tree: Tree, random: Random) -> None:
    """Give a known or unknown field a deeply nested value."""
    item = tree.dialect.nested(random.choice((10, 60, 63, 64, 65, 100, 101, 1000, 20_000)))
    if group.fields and random.randrange(2):
        random.choice(group.fields).item = item
    else:
        group.fields.append(Field(random.choice((50, 500)), item))


@_operation(4)
def splice(tree: Tree, random: Random) -> bool:
    """Copy one field or all fields from another group of the same struct, of this tree or another."""
    kinds = tree.kinds(of=(tree.root, *tree.others))
    group = tree.group(
        random, lambda candidate: len(kinds[candidate.cls.__name__ if candidate.cls else ""]) > 1
    )
    if group is None or group is tree.root:
        return False
    donor = random.choice(
        [candidate for candidate in kinds[group.cls.__name__ if group.cls else ""] if candidate is not group]
    )
    twin = copy(donor)
    if not isinstance(twin, Group):
        return False
    if random.randrange(2) or not donor.fields:
        group.fields = twin.fields
    else:
        each = random.choice(twin.fields)
        group.fields = [candidate for candidate in group.fields if candidate.id != each.id]
        group.fields.insert(sum(candidate.id < each.id for candidate in group.fields), each)
    return True


@_on_field(1, lambda field: not isinstance(field.item, Raw))
def raw_value(field: Field, tree: Tree, random: Random) -> None:
    """Replace a value by meaningless bytes."""
    code = field.code if field.code is not None else random.choice(tree.dialect.codes)
    field.item = Raw(code, random.randbytes(random.choice((0, 1, 2, 8))))


_NAMES = list(OPERATIONS)
_WEIGHTS = [weight for weight, _ in OPERATIONS.values()]
