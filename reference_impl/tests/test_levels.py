"""Assembly of nested columns, against a Dremel that handles one value at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.columns import to_python
from reference_impl.errors import Malformed
from reference_impl.parquet.levels import LeafData, assemble, check
from reference_impl.parquet.shape import shape_of
from reference_impl.tests.dremel import (
    OPTIONAL,
    REPEATED,
    REQUIRED,
    group,
    leaf,
    leaf_data,
    root,
    shred,
)


@st.composite
def fields(draw, depth=3):
    """Schema elements of a field, unannotated: structs, lists of anything, optional anything."""
    repetition = draw(st.sampled_from([REQUIRED, OPTIONAL, REPEATED]))
    name = draw(st.sampled_from("abcde"))
    if depth == 0 or draw(st.booleans()):
        return leaf(name, repetition)
    children = [draw(fields(depth=depth - 1)) for _ in range(draw(st.integers(1, 3)))]
    for number, child in enumerate(children):
        child[0].name += str(number)
    return group(name, repetition, *children)


def values(node):
    """Values of a node, as dremel.shred takes them."""
    if node.physical is not None:
        one = st.integers(-5, 5)
    else:
        one = st.fixed_dictionaries({child.name: values(child) for child in node.children})
    if node.repetition == REPEATED:
        return st.lists(one, max_size=3)
    return st.none() | one if node.repetition == OPTIONAL else one


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_assembly_inverts_shredding(data):
    """Any nested rows, shredded into levels value by value, assemble to the same rows."""
    node = root(data.draw(fields())).children[0]
    rows = data.draw(st.lists(values(node), max_size=6))
    entries = shred(node, rows)
    leaves = {below.index: leaf_data(below, entries[below.index]) for below in node.leaves()}
    for one in leaves.values():
        check(one, _ancestors(node, one.node))
    assert to_python(assemble(shape_of(node), leaves, len(rows))) == rows


def _ancestors(top, below):
    out = []
    node = top
    while True:
        out.append(node)
        if node is below:
            return tuple(out)
        node = next(child for child in node.children if below in list(child.leaves()))


def _list_leaf(repetition, definition):
    tree = root(group("l", OPTIONAL, group("list", REPEATED, leaf("element", OPTIONAL))))
    node = tree.children[0]
    below = next(node.leaves())
    entries = list(zip(repetition, definition, [7] * len(repetition), strict=True))
    return leaf_data(below, entries), _ancestors(node, below)


@pytest.mark.parametrize(
    ("repetition", "definition", "rule"),
    [
        ([0, 1], [3, 4], "PQ-LEVELS-001"),
        ([0, 2], [3, 3], "PQ-LEVELS-002"),
        ([1, 0], [3, 3], "PQ-LEVELS-003"),
        ([0, 1], [3, 1], "PQ-LEVELS-004"),  # an element that is not there
        ([0, 1], [1, 3], "PQ-LEVELS-004"),  # a second element of an empty list
        ([0, 1], [0, 3], "PQ-LEVELS-004"),  # a second element of a null list
    ],
)
def test_levels_that_describe_no_value(repetition, definition, rule):
    """Levels that no nested value has are Malformed."""
    data, ancestors = _list_leaf(repetition, definition)
    with pytest.raises(Malformed) as caught:
        check(data, ancestors)
    assert caught.value.rule == rule


def test_levels_that_describe_a_value():
    """The neighbours of the broken levels are fine."""
    for repetition, definition in (([0, 1], [3, 2]), ([0, 0], [1, 3]), ([0, 1, 0], [3, 3, 0]), ([], [])):
        check(*_list_leaf(repetition, definition))


def test_leaves_of_one_group_must_agree():
    """Two columns of a struct with different lists or nulls are Malformed."""
    tree = root(group("s", OPTIONAL, leaf("a"), leaf("b")))
    one, two = tree.leaves()
    data = {
        0: LeafData(one, 2, np.array([1, 0], np.uint8), None, np.array([1], np.int32)),
        1: LeafData(two, 2, np.array([1, 1], np.uint8), None, np.array([1, 2], np.int32)),
    }
    with pytest.raises(Malformed) as caught:
        assemble(shape_of(tree.children[0]), data, 2)
    assert caught.value.rule == "PQ-LEVELS-005"
    assert caught.value.path == ("s",)
