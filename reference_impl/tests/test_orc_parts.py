"""Parts of an ORC file: some columns, some rows of a stripe, row groups that positions lead to."""

import pytest

from reference_impl.columns import to_python
from reference_impl.errors import UsageError
from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import Bloom, Chunks, Column, FilePlan, Original
from reference_impl.orc.pushdown import Test, candidates
from reference_impl.orc.schema import CompressionKind, Type, TypeKind
from reference_impl.orc.writer import write
from reference_impl.tests.orc_plans import NESTED, PRIMITIVES, flat

ROWS = 23
TYPES = flat(*((name, type_) for name, (type_, _) in {**PRIMITIVES, **NESTED}.items()))
MAKERS = [make for _, make in (*PRIMITIVES.values(), *NESTED.values())]
PLAN = FilePlan(
    TYPES,
    tuple(
        tuple(None if (i + at) % 7 == 0 else make(i) for at, make in enumerate(MAKERS)) for i in range(ROWS)
    ),
    stripes=(10, 0, 13),
    row_index_stride=5,
    compression=CompressionKind.ZLIB,
)
FILE = OrcFile(write(PLAN))


def columns(table):
    """Return the columns of a table by name, as Python values."""
    return {column.name: to_python(column) for column in table.columns}


WHOLE = columns(FILE.read())


@pytest.mark.parametrize("name", [*PRIMITIVES, *NESTED])
def test_one_column(name):
    """A column that is read alone is that of the whole, and so are its row groups."""
    assert columns(FILE.read([name])) == {name: WHOLE[name]}
    for start, stop in ((0, 13), (5, 10), (6, 7), (11, 13), (13, 13)):
        found = columns(FILE.read_rows([name], 2, start, stop))
        assert found == {name: WHOLE[name][10 + start : 10 + stop]}


def test_children():
    """Of a struct and a map only what was asked for is read, with the keys; a union is read whole."""
    struct = [None if one is None else {"string": one["string"]} for one in WHOLE["struct"]]
    assert columns(FILE.read(["struct.string"])) == {"struct": struct}
    assert columns(FILE.read(["union.0"])) == {"union": WHOLE["union"]}
    keys = [None if one is None else [(key, None) for key, _ in one] for one in WHOLE["map"]]
    assert columns(FILE.read(["map.key"])) == {"map": keys}


def test_stripes():
    """Stripes are read in the order in which they are asked for; one without rows adds none."""
    found = columns(FILE.read(["int"], stripes=[2, 1, 0]))
    assert found == {"int": WHOLE["int"][10:] + WHOLE["int"][:10]}


def test_a_stripe_without_rows():
    """There is nothing to be read of it, whatever is asked."""
    node = next(one for one in FILE.root.children if one.name == "int")
    assert candidates(FILE, 1, node.id, Test(node, "=", [1], "ieee")) == []


def test_constants_without_a_place():
    """A constant that is NaN is in no order, and rules nothing out."""
    node = next(one for one in FILE.root.children if one.name == "double")
    nan = Test(node, "<", [float("nan")], "nan-greatest")
    assert candidates(FILE, 0, node.id, nan) == [(0, 10)]


@pytest.mark.parametrize(
    "more",
    [
        {"row_index_stride": -1},
        {"gap": -1},
        {"row_index_stride": 0, "columns": (Column(), Column(bloom=Bloom()))},
    ],
    ids=["stride", "gap", "filters without row groups"],
)
def test_plans_of_no_file(more):
    """What no legal file can have is not written."""
    types = (Type(kind=TypeKind.STRUCT, subtypes=(1,), field_names=("a",)), Type(kind=TypeKind.INT))
    with pytest.raises(UsageError):
        write(FilePlan(types, ((1,),), **more))


def test_originals_only():
    """Chunks that are all stored as they are hold the same rows."""
    chunks = Chunks(original=Original.ALWAYS)
    file = OrcFile(write(FilePlan(PLAN.types, PLAN.rows, compression=CompressionKind.SNAPPY, chunks=chunks)))
    assert columns(file.read()) == WHOLE
