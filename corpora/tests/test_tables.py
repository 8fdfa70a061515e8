import struct
from itertools import product

import pytest

from corpora.tables import LAYOUTS, WRITER_TABLES
from corpora.tagged import BLOCK_ROWS, Table

BY_NAME = {table.name: table.table for table in WRITER_TABLES}


def _column(table, name):
    names = [column.name for column in BY_NAME[table].columns]
    return BY_NAME[table].column(names.index(name))


def _fits(type_, value):
    """Return whether a tagged value is of its type, to any depth: the table of `corpora.tagged`, as code."""
    if value is None:
        return True
    match type_.kind:
        case "int":
            low = -(1 << type_.bits - 1) if type_.signed else 0
            return low <= int(value) < low + (1 << type_.bits)
        case "float":
            return len(bytes.fromhex(value)) * 8 == type_.bits
        case "decimal":
            return abs(int(value)) < 10**type_.precision
        case "date":
            return -(1 << 31) <= int(value) < 1 << 31
        case "time":
            return 0 <= int(value) < 86_400 * {"ms": 10**3, "us": 10**6, "ns": 10**9}[type_.unit]
        case "timestamp":
            return -(1 << 63) <= int(value) < 1 << 63
        case "bool":
            return isinstance(value, bool)
        case "string":
            return bool(value.encode()) or value == ""
        case "bytes":
            return isinstance(bytes.fromhex(value), bytes)
        case "list":
            return all(_fits(type_.children[0].type, element) for element in value)
        case "struct":
            return len(value) == len(type_.children) and all(
                _fits(child.type, field) for child, field in zip(type_.children, value, strict=True)
            )
        case "map":
            key, item = (child.type for child in type_.children)
            return all(k is not None and _fits(key, k) and _fits(item, v) for k, v in value)
    return False


@pytest.mark.parametrize("name", BY_NAME)
def test_values_are_of_their_type(name):
    """Every value is one that its column's type can hold, no map key is null, and JSON changes nothing."""
    table = BY_NAME[name]
    for index, column in enumerate(table.columns):
        assert all(_fits(column.type, value) for value in table.column(index))
    assert Table.from_json(table.to_json()) == table


def test_names_are_unique_slugs():
    """A table or layout can be named in a case id."""
    for items in (WRITER_TABLES, LAYOUTS):
        names = [item.name for item in items]
        assert len(set(names)) == len(names)
        assert all(name == name.lower() and " " not in name for name in names)


def test_floats_have_both_signs_of_everything():
    """Zero, infinity, subnormals and two NaNs are there with both signs, and 1.0 is the bits of 1.0."""
    for bits, code in ((16, "e"), (32, "f"), (64, "d")):
        table = "float16" if bits == 16 else "floats"
        values = [value for value in _column(table, f"float{bits}") if value is not None]
        numbers = [struct.unpack(f">{code}", bytes.fromhex(value))[0] for value in values]
        assert sum(number != number for number in numbers) == 4  # noqa: PLR0124 - only NaN differs from itself
        assert {struct.pack(f">{code}", x).hex() for x in (0.0, -0.0, 1.0, -1.0)} <= set(values)
        assert {float("inf"), float("-inf")} <= set(numbers)
        assert len(set(values)) == len(values)


def test_integers_have_their_bounds():
    """The smallest and largest value of every width are there."""
    assert {"-128", "127"} <= set(_column("signed", "int8"))
    assert {str(-(1 << 63)), str((1 << 63) - 1)} <= set(_column("signed", "int64"))
    assert {"0", "4294967295", "2147483648"} <= set(_column("unsigned", "uint32"))
    assert str((1 << 64) - 1) in _column("unsigned", "uint64")


def test_nested_columns_have_every_kind_of_nothing():
    """Null, empty, and nothing but null are told apart at each level."""
    ints = _column("lists", "ints")
    assert all(nothing in ints for nothing in (None, [], [None]))
    items = _column("deep", "items")
    assert all(nothing in items for nothing in (None, [], [None]))
    assert [None, None, [None]] not in _column("structs", "s")
    assert all(
        nothing in _column("structs", "s") for nothing in (None, [None, None, None], ["1", None, [None]])
    )


def test_sizes():
    """There is a table without rows, one of one row, and one of more rows than a block or row group."""
    rows = {name: table.num_rows for name, table in BY_NAME.items()}
    assert (rows["zero-rows"], rows["one-row"], rows["runs"]) == (0, 1, 1_000)
    assert rows["many"] > max(BLOCK_ROWS, 2 * min(layout.row_group_rows for layout in LAYOUTS))
    assert len(set(_column("many", "text"))) == rows["many"]


def test_layouts_are_pairwise():
    """Every codec is there, and every pair of page version, dictionary, and compressed or not."""
    assert {layout.codec for layout in LAYOUTS} == {
        "UNCOMPRESSED",
        "SNAPPY",
        "GZIP",
        "ZSTD",
        "BROTLI",
        "LZ4_RAW",
    }
    factors = [(x.page_version, x.dictionary, x.codec != "UNCOMPRESSED") for x in LAYOUTS]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        values = product({f[one] for f in factors}, {f[other] for f in factors})
        assert {(f[one], f[other]) for f in factors} == set(values)
    assert LAYOUTS[0].options() == {
        "codec": "UNCOMPRESSED",
        "page_version": 1,
        "dictionary": True,
        "row_group_rows": 1_000_000,
        "indexed": False,
    }
    assert sum(layout.indexed for layout in LAYOUTS) == 2
