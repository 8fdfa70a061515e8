"""Mutation of trees of fields, of any wire format: in place, by named operations.

    >>> group, size = thrift_tree.parse(raw, FileMetaData)
    >>> done = fields.mutate(group, THRIFT, random)      # ["swap enum"]
    >>> raw = THRIFT.build(group)

A `Dialect` holds the specifics of a wire format.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from properties.strategies.mutations import scalars
from properties.strategies.mutations.tree import Dialect, Tree
from reference_impl.wire.table import ListOf, Union, table_of
from reference_impl.wire.trees import Field, Group, Item, Items, Leaf, Raw, copy, groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from reference_impl.wire.table import Row, Wire

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


def _has_fields(group: Group) -> bool:
    return bool(group.fields)


def _is_number(item: Item) -> bool:
    return isinstance(item, Leaf) and isinstance(item.value, int) and not isinstance(item.value, bool)


def _leaves(each: Field) -> list[Leaf]:
    items = each.item.items if isinstance(each.item, Items) else [each.item]
    return [item for item in items if isinstance(item, Leaf)]


def _enum(wire: Wire | None) -> type[IntEnum] | None:
    wire = wire.element if isinstance(wire, ListOf) else wire
    return wire if isinstance(wire, type) and issubclass(wire, IntEnum) else None


def change_number(tree: Tree, random: Random) -> bool:
    """Replace a number by a near, extreme, negative or huge one."""
    each = tree.field(random, lambda candidate: any(map(_is_number, _leaves(candidate))))
    if each is None:
        return False
    leaf = random.choice([leaf for leaf in _leaves(each) if _is_number(leaf)])
    number = scalars.number(random, int(leaf.value))
    leaf.value = tree.dialect.fit(leaf.code, each.wire, number) if random.randrange(10) else number
    return True


def change_value(tree: Tree, random: Random) -> bool:
    """Replace bytes, a boolean or a floating point number."""
    each = tree.field(random, lambda candidate: any(not _is_number(leaf) for leaf in _leaves(candidate)))
    if each is None:
        return False
    leaf = random.choice([leaf for leaf in _leaves(each) if not _is_number(leaf)])
    if isinstance(leaf.value, bytes):
        leaf.value = scalars.some_bytes(random, leaf.value)
    else:
        leaf.value = not leaf.value if isinstance(leaf.value, bool) else scalars.double(random)
    return True


def swap_enum(tree: Tree, random: Random) -> bool:
    """Replace a value of an enum by another member, or by a number that is no member."""
    each = tree.field(
        random, lambda candidate: _enum(candidate.wire) is not None and bool(_leaves(candidate))
    )
    cls = None if each is None else _enum(each.wire)
    if each is None or cls is None:
        return False
    numbers = [int(member) for member in cls]
    numbers.append(max(numbers) + random.choice(_ENUM_ABOVE) if random.randrange(4) else -1)
    random.choice(_leaves(each)).value = random.choice(numbers)
    return True


def drop_field(tree: Tree, random: Random) -> bool:
    """Remove a field."""
    group = tree.group(random, _has_fields)
    if group is not None:
        del group.fields[random.randrange(len(group.fields))]
    return group is not None


def double_field(tree: Tree, random: Random) -> bool:
    """Add a copy of a field."""
    group = tree.group(random, _has_fields)
    if group is not None:
        each = random.choice(group.fields)
        twin = Field(each.id, copy(each.item), each.name, each.wire, each.code)
        group.fields.insert(random.randrange(len(group.fields) + 1), twin)
    return group is not None


def reorder_fields(tree: Tree, random: Random) -> bool:
    """Shuffle the fields of a group."""
    group = tree.group(random, lambda candidate: len(candidate.fields) > 1)
    if group is not None:
        random.shuffle(group.fields)
    return group is not None


def renumber_field(tree: Tree, random: Random) -> bool:
    """Give a field the id of another field, or an id that no table knows."""
    group = tree.group(random, _has_fields)
    if group is None:
        return False
    each = random.choice(group.fields)
    known = [row.id for row in table_of(group.cls).rows] if group.cls else []
    each.id = random.choice((*known, each.id + 1, each.id - 1, 0, -1, tree.dialect.ids, tree.dialect.ids - 1))
    return True


def retype_field(tree: Tree, random: Random) -> bool:
    """Give a field a value of another type, or only the type code of another type."""
    each = tree.field(random, lambda _: True)
    if each is None:
        return False
    if random.randrange(3):
        each.item = tree.dialect.foreign(random)
    else:
        each.code = random.choice(tree.dialect.codes)
    return True


def add_known_field(tree: Tree, random: Random) -> bool:
    """Add a field of the table that the group has not got."""
    group = tree.group(random, lambda candidate: bool(_absent(candidate)))
    if group is None:
        return False
    row = random.choice(_absent(group))
    field = Field(row.id, tree.dialect.known(row.wire, random), row.name, row.wire)
    place = sum(each.id < row.id for each in group.fields)
    group.fields.insert(place, field)
    return True


def _absent(group: Group) -> list[Row]:
    there = {each.id for each in group.fields}
    return [row for row in table_of(group.cls).rows if row.id not in there] if group.cls else []


def add_unknown_field(tree: Tree, random: Random) -> bool:
    """Add a field that no table knows."""
    group = tree.group(random, lambda _: True)
    if group is not None:
        field_id = random.choice((100, 1000, tree.dialect.ids - 1, *range(10, 30)))
        group.fields.append(Field(field_id, tree.dialect.foreign(random)))
    return group is not None


def unset_union(tree: Tree, random: Random) -> bool:
    """Clear a union, or add a second field to it."""
    group = tree.group(
        random, lambda candidate: candidate.cls is not None and issubclass(candidate.cls, Union)
    )
    if group is None:
        return False
    absent = _absent(group)
    if group.fields and (not absent or random.randrange(2)):
        group.fields.clear()
    elif absent:
        row = random.choice(absent)
        group.fields.append(Field(row.id, tree.dialect.known(row.wire, random), row.name, row.wire))
    return True


def change_list(tree: Tree, random: Random) -> bool:
    """Remove, repeat or reorder elements of a list."""
    each = tree.field(
        random, lambda candidate: isinstance(candidate.item, Items) and bool(candidate.item.items)
    )
    if each is None or not isinstance(each.item, Items):
        return False
    items = each.item.items
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
    return True


def lie_about_size(tree: Tree, random: Random) -> bool:
    """Give a list, byte string or message a false size."""
    each = tree.field(random, lambda candidate: bool(list(_sized(candidate.item))))
    if each is None:
        return False
    item = random.choice(list(_sized(each.item)))
    true = len(item.items) if isinstance(item, Items) else 0
    true = len(item.value) if isinstance(item, Leaf) and isinstance(item.value, bytes) else true
    item.size = scalars.number(random, true)
    return True


def _sized(item: Item) -> Iterator[Leaf | Items | Group]:
    if isinstance(item, Items):
        yield item
    for each in item.items if isinstance(item, Items) else [item]:
        if isinstance(each, Group) or (isinstance(each, Leaf) and isinstance(each.value, bytes)):
            yield each


def lie_about_elements(tree: Tree, random: Random) -> bool:
    """Give a list a false type of its elements."""
    each = tree.field(random, lambda candidate: isinstance(candidate.item, Items))
    if each is None or not isinstance(each.item, Items):
        return False
    each.item.code = random.choice(tree.dialect.codes)
    return True


def nest_deep(tree: Tree, random: Random) -> bool:
    """Give a known or unknown field a deeply nested value."""
    group = tree.group(random, lambda _: True)
    if group is None:
        return False
    item = tree.dialect.nested(random.choice((10, 60, 63, 64, 65, 100, 101, 1000, 20_000)))
    if group.fields and random.randrange(2):
        random.choice(group.fields).item = item
    else:
        group.fields.append(Field(random.choice((50, 500)), item))
    return True


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


def raw_value(tree: Tree, random: Random) -> bool:
    """Replace a value by meaningless bytes."""
    each = tree.field(random, lambda candidate: not isinstance(candidate.item, Raw))
    if each is not None:
        code = each.code if each.code is not None else random.choice(tree.dialect.codes)
        each.item = Raw(code, random.randbytes(random.choice((0, 1, 2, 8))))
    return each is not None


# Operations with their weights: most harsh changes are refused by the parser of the wire format.
OPERATIONS: dict[str, tuple[int, Callable[[Tree, Random], bool]]] = {
    "change number": (8, change_number),
    "change value": (6, change_value),
    "swap enum": (6, swap_enum),
    "drop field": (3, drop_field),
    "double field": (1, double_field),
    "reorder fields": (2, reorder_fields),
    "renumber field": (1, renumber_field),
    "retype field": (2, retype_field),
    "add known field": (5, add_known_field),
    "add unknown field": (2, add_unknown_field),
    "unset union": (1, unset_union),
    "change list": (4, change_list),
    "lie about size": (1, lie_about_size),
    "lie about elements": (1, lie_about_elements),
    "nest deep": (1, nest_deep),
    "splice": (4, splice),
    "raw value": (1, raw_value),
}
_NAMES = list(OPERATIONS)
_WEIGHTS = [weight for weight, _ in OPERATIONS.values()]
