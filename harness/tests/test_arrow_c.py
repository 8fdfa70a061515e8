from __future__ import annotations

import ctypes
import gc
import struct
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora import tagged
from corpora.tagged import BIG, BLOCK_ROWS, Type
from harness.engines.arrow import c_interface
from harness.engines.arrow import values as arrow_values
from harness.engines.arrow.buffers import ArrowError, CArray
from harness.engines.arrow.types import node
from harness.engines.errors import Unsupported

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")


def read_column(array):
    """Return type and values of one array, read as a column of a table."""
    table = c_interface.read(pa.table({"c": array}))
    (field,) = table.columns
    return field.type, table.column(0)


def bits(value, code):
    """Return the bits of a float as hex."""
    return struct.pack(f">{code}", value).hex()


def raw_of(target, numbers, code):
    """Build an array from the integers in its buffer."""
    data = pa.py_buffer(struct.pack(f"<{len(numbers)}{code}", *numbers))
    return pa.Array.from_buffers(target, len(numbers), [None, data])


LIST_VIEW = pa.ListViewArray.from_arrays([3, 0, 1], [2, 0, 3], pa.array([1, 2, None, 4, 5], pa.int16()))
RUNS = pa.RunEndEncodedArray.from_arrays(pa.array([2, 5, 6], pa.int32()), pa.array(["a", None, "b"]))
UUID = bytes(range(16))
MONTHS = pa.array([pa.MonthDayNano([-1, -1, 5])])

CASES = {
    "null": (pa.nulls(2), tagged.NULL, [None, None]),
    "bool": (pa.array([True, None, False]), tagged.BOOL, [True, None, False]),
    "int8": (pa.array([-128, None, 127], pa.int8()), tagged.integer(8), ["-128", None, "127"]),
    "uint16": (pa.array([65535], pa.uint16()), tagged.integer(16, signed=False), ["65535"]),
    "int32": (pa.array([-(2**31)], pa.int32()), tagged.integer(32), ["-2147483648"]),
    "uint32": (pa.array([2**32 - 1], pa.uint32()), tagged.integer(32, signed=False), ["4294967295"]),
    "int64": (pa.array([-(2**63)], pa.int64()), tagged.integer(64), ["-9223372036854775808"]),
    "uint64": (pa.array([2**64 - 1], pa.uint64()), tagged.integer(64, signed=False), [str(2**64 - 1)]),
    "half": (raw_of(pa.float16(), [0x8000, 0x7E01], "H"), tagged.floating(16), ["8000", "7e01"]),
    "float": (raw_of(pa.float32(), [0x7FC0_0001], "I"), tagged.floating(32), ["7fc00001"]),
    "double": (
        pa.array([-0.0, None, 1.5]),
        tagged.floating(64),
        ["8000000000000000", None, bits(1.5, "d")],
    ),
    "decimal32": (pa.array([Decimal("-1.23")], pa.decimal32(5, 2)), tagged.decimal(5, 2), ["-123"]),
    "decimal64": (pa.array([Decimal("1.5")], pa.decimal64(18, 1)), tagged.decimal(18, 1), ["15"]),
    "decimal128": (
        pa.array([Decimal(-(10**37)), None, Decimal(7)], pa.decimal128(38, 0)),
        tagged.decimal(38, 0),
        [str(-(10**37)), None, "7"],
    ),
    "decimal256": (
        pa.array([Decimal(-(10**70))], pa.decimal256(76, 0)),
        tagged.decimal(76, 0),
        [str(-(10**70))],
    ),
    "date32": (pa.array([-719163], pa.int32()).view(pa.date32()), tagged.DATE, ["-719163"]),
    "date64": (pa.array([-86_400_000], pa.int64()).view(pa.date64()), tagged.DATE, ["-1"]),
    "time32": (pa.array([5], pa.int32()).view(pa.time32("ms")), tagged.time("ms", utc=False), ["5"]),
    "time64": (pa.array([5], pa.int64()).view(pa.time64("ns")), tagged.time("ns", utc=False), ["5"]),
    "wall clock": (
        pa.array([2**62], pa.int64()).view(pa.timestamp("us")),
        tagged.timestamp("us", utc=False),
        [str(2**62)],
    ),
    "instant": (
        pa.array([-1], pa.int64()).view(pa.timestamp("s", "+02:00")),
        tagged.timestamp("s", utc=True),
        ["-1"],
    ),
    "duration": (pa.array([-1], pa.duration("ms")), tagged.duration("ms"), ["-1"]),
    "months, days, nanoseconds": (MONTHS, tagged.INTERVAL, [["-1", "-1", "5"]]),
    "string": (pa.array(["", "é", None, "漢"]), tagged.STRING, ["", "é", None, "漢"]),
    "large string": (pa.array(["ab", "c"], pa.large_utf8()), tagged.STRING, ["ab", "c"]),
    "string view": (
        pa.array(["x" * 12, None, "y" * 13], pa.string_view()),
        tagged.STRING,
        ["x" * 12, None, "y" * 13],
    ),
    "no UTF-8": (pa.array([b"\xff"]).view(pa.utf8()), tagged.STRING, ["\udcff"]),
    "binary": (pa.array([b"", b"\x00\xff", None]), tagged.BYTES, ["", "00ff", None]),
    "large binary": (pa.array([b"ab"], pa.large_binary()), tagged.BYTES, ["6162"]),
    "binary view": (pa.array([b"a" * 20], pa.binary_view()), tagged.BYTES, ["61" * 20]),
    "fixed binary": (pa.array([b"ab", None], pa.binary(2)), tagged.BYTES, ["6162", None]),
    "list": (
        pa.array([[1], None, [], [None, 2]], pa.list_(pa.int64())),
        tagged.list_of(tagged.integer(64)),
        [["1"], None, [], [None, "2"]],
    ),
    "large list": (
        pa.array([["a"]], pa.large_list(pa.utf8())),
        tagged.list_of(tagged.STRING),
        [["a"]],
    ),
    "fixed list": (
        pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int8(), 2)),
        tagged.list_of(tagged.integer(8)),
        [["1", "2"], None, ["3", "4"]],
    ),
    "list view": (LIST_VIEW, tagged.list_of(tagged.integer(16)), [["4", "5"], [], ["2", None, "4"]]),
    "struct": (
        pa.array([{"a": 1, "b": None}, None], pa.struct([("a", pa.int32()), ("b", pa.bool_())])),
        tagged.struct_of([("a", tagged.integer(32)), ("b", tagged.BOOL)]),
        [["1", None], None],
    ),
    "struct of nothing": (pa.array([{}, None], pa.struct([])), tagged.struct_of([]), [[], None]),
    "map": (
        pa.array([[("k", 1), ("k", None)], None, []], pa.map_(pa.utf8(), pa.int32())),
        tagged.map_of(tagged.STRING, tagged.integer(32)),
        [[["k", "1"], ["k", None]], None, []],
    ),
    "sparse union": (
        pa.UnionArray.from_sparse(
            pa.array([0, 1, 1, 0], pa.int8()), [pa.array([5, 6, 7, None]), pa.array(["a", "b", None, "d"])]
        ),
        tagged.union_of([tagged.integer(64), tagged.STRING]),
        [["0", "5"], ["1", "b"], ["1", None], ["0", None]],
    ),
    "dense union": (
        pa.UnionArray.from_dense(
            pa.array([7, 3, 3, 7], pa.int8()),
            pa.array([0, 1, 0, 1], pa.int32()),
            [pa.array([True, None]), pa.array([b"a", b"b"])],
            type_codes=[7, 3],
        ),
        tagged.union_of([tagged.BOOL, tagged.BYTES]),
        [["0", True], ["1", "62"], ["1", "61"], ["0", None]],
    ),
    "dictionary": (
        pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), pa.array(["x", None])),
        tagged.STRING,
        [None, None, "x"],
    ),
    "run ends": (RUNS, tagged.STRING, ["a", "a", None, None, None, "b"]),
    "uuid": (
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([UUID, None], pa.binary(16))),
        Type("uuid"),
        [UUID.hex(), None],
    ),
    "json": (
        pa.ExtensionArray.from_storage(pa.json_(pa.utf8()), pa.array(['{"a": 1}'])),
        Type("json"),
        ['{"a": 1}'],
    ),
    "bool8": (
        pa.ExtensionArray.from_storage(pa.bool8(), pa.array([0, 2, None], pa.int8())),
        tagged.BOOL,
        [False, True, None],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_each_type(name):
    """Each Arrow type becomes its tagged type, each value its tagged value."""
    array, type_, values = CASES[name]
    assert read_column(array) == (type_, values)


@pytest.mark.parametrize("name", CASES)
def test_slices_of_each_type(name):
    """A slice starts where its offset says, at every level, and nulls count from there too."""
    array, _, values = CASES[name]
    if name == "run ends":
        repeated, wanted = array, values
    else:
        repeated, wanted = pa.concat_arrays([array] * 5), values * 5
    for start in range(len(wanted) + 1):
        assert read_column(repeated.slice(start))[1] == wanted[start:]
        assert read_column(repeated.slice(start, 2))[1] == wanted[start : start + 2]


@pytest.mark.parametrize("name", CASES)
def test_types_inside_lists_and_structs(name):
    """A type reads the same inside a sliced list of structs, beside a null struct."""
    array, _, values = CASES[name]
    mask = pa.array([at == 1 for at in range(len(array))])
    structs = pa.StructArray.from_arrays([array], ["x"], mask=mask)
    lists = pa.ListArray.from_arrays(pa.array([0, 0, len(array)], pa.int32()), structs)
    wanted = [None if at == 1 else [value] for at, value in enumerate(values)]
    assert read_column(lists)[1] == [[], wanted]
    assert read_column(lists.slice(1))[1] == [wanted]


def field_with(metadata, type_, name="c"):
    """Return a schema of one field."""
    return pa.schema([pa.field(name, type_, metadata=metadata)])


@pytest.mark.parametrize(
    ("name", "extra", "kind"),
    [
        ("geoarrow.wkb", b"{}", "geometry"),
        ("geoarrow.wkb", b'{"edges": "spherical"}', "geography"),
        ("geoarrow.wkb", b"no JSON", "geometry"),
        ("somebody.else", b"", "bytes"),
    ],
)
def test_extension_names(name, extra, kind):
    """Extension types are known by their names; an unknown one is its storage."""
    metadata = {"ARROW:extension:name": name, "ARROW:extension:metadata": extra}
    table = pa.table([pa.array([b"\x01"])], schema=field_with(metadata, pa.binary()))
    assert c_interface.read(table).columns[0].type == Type(kind)


@pytest.mark.parametrize("order", [["metadata", "value"], ["value", "metadata"]])
def test_variants(order):
    """A variant is its two binaries, metadata first, whichever order they are stored in."""
    parts = {"metadata": pa.array([b"\x01\x00\x00"]), "value": pa.array([b"\x0c\x01"])}
    array = pa.StructArray.from_arrays([parts[name] for name in order], order)
    metadata = {"ARROW:extension:name": "arrow.parquet.variant"}
    table = c_interface.read(pa.table([array], schema=field_with(metadata, array.type)))
    assert (table.columns[0].type, table.column(0)) == (Type("variant"), [["010000", "0c01"]])


def test_spark_marks():
    """Spark's marks on struct fields make variants and geometries of the structs."""
    binary = pa.field("metadata", pa.binary(), metadata={"variant": "true"})
    variant = pa.StructArray.from_arrays(
        [pa.array([b"\x01"]), pa.array([b"\x02"])], fields=[pa.field("value", pa.binary()), binary]
    )
    wkb = pa.field("wkb", pa.binary(), metadata={"geography": "true"})
    place = pa.StructArray.from_arrays(
        [pa.array([4326]), pa.array([b"\x03"])], fields=[pa.field("srid", pa.int64()), wkb]
    )
    assert read_column(variant) == (Type("variant"), [["02", "01"]])
    assert read_column(place) == (Type("geography"), ["03"])


def test_blocks_are_cut_anew():
    """Batches of any size become blocks of BLOCK_ROWS rows, converted when asked for, any number of times."""
    sizes = [1, BLOCK_ROWS, 0, 7, 3 * BLOCK_ROWS]
    batches = [pa.record_batch({"n": pa.array(range(size), pa.int32())}) for size in sizes]
    table = c_interface.read(pa.Table.from_batches(batches))
    wanted = [str(number) for size in sizes for number in range(size)]
    assert table.num_rows == sum(sizes)
    assert [len(block[0]) for block in table.blocks()] == [BLOCK_ROWS] * 4 + [8]
    assert table.column(0) == table.column(0) == wanted
    tagged.check_blocks(list(table.blocks()), 1, table.num_rows)


def test_single_array_and_release():
    """An object with __arrow_c_array__ is read too; what was read lives on after its owner, then is freed."""
    before = pa.total_allocated_bytes()
    table = c_interface.read(pa.record_batch({"n": pa.array(range(10_000))}))
    gc.collect()
    assert table.column(0)[-1] == "9999"
    assert pa.total_allocated_bytes() > before
    del table
    gc.collect()
    assert pa.total_allocated_bytes() == before


def test_no_columns():
    """A table without columns keeps the number of its rows."""
    table = c_interface.read(pa.table({"x": [1, 2, 3]}).select([]))
    assert (table.columns, table.num_rows, list(table.blocks())) == ((), 3, [])


def test_huge_values_become_digests():
    """Text and bytes longer than BIG are told by digest, their neighbours in full."""
    big = b"x" * (BIG + 1)
    wanted = ["a", tagged.big(big), "b" * 3]
    for type_ in (pa.utf8(), pa.large_utf8(), pa.string_view()):
        assert read_column(pa.array(["a", big.decode(), "b" * 3], type_))[1] == wanted
    assert read_column(pa.array([big], pa.binary(BIG + 1)))[1] == [tagged.big(big)]
    assert read_column(pa.array([big, b"y"]))[1] == [tagged.big(big), "79"]


def test_nothing_is_followed_below_a_null():
    """What stands below a null struct or list is not looked at: it may be an index into nothing."""
    for type_ in (pa.dictionary(pa.int8(), pa.utf8()), pa.string_view()):
        structs = pa.array([None, None], pa.struct([("x", type_)]))
        lists = pa.array([None], pa.list_(pa.struct([("x", type_)]), 2))
        assert read_column(structs)[1] == [None, None]
        assert read_column(lists)[1] == [None]


def test_own_nulls_below_nulls():
    """A child's own nulls count beside those of its parent."""
    words = pa.DictionaryArray.from_arrays(pa.array([9, None, 0, 0], pa.int8()), pa.array(["x"]), safe=False)
    mask = pa.array([True, False, False, True])
    structs = pa.StructArray.from_arrays([words], ["x"], mask=mask)
    assert read_column(structs)[1] == [None, [None], ["x"], None]


def test_run_ends_that_are_a_slice():
    """The ends of runs may be a slice of a larger array themselves."""
    ends = pa.array([7, 2, 5], pa.int32()).slice(1)
    runs = pa.RunEndEncodedArray.from_arrays(ends, pa.array(["?", "a", "b"]).slice(1))
    assert read_column(runs)[1] == ["a", "a", "b", "b", "b"]
    assert read_column(runs.slice(1, 2))[1] == ["a", "b"]


@pytest.mark.parametrize(
    ("code", "packed", "values"),
    [
        ("tiM", struct.pack("=3i", 7, -1, 5), [["-1", "0", "0"], ["5", "0", "0"]]),
        ("tiD", struct.pack("=6i", 7, 7, -1, 2, 0, -3), [["0", "-1", "2000000"], ["0", "0", "-3000000"]]),
    ],
)
def test_intervals_that_pyarrow_lacks(code, packed, values):
    """Intervals of months, and of days and milliseconds, become months, days and nanoseconds."""
    buffer = ctypes.create_string_buffer(packed)
    buffers = (ctypes.c_void_p * 2)(None, ctypes.addressof(buffer))
    source = CArray(length=2, offset=1, n_buffers=2, buffers=buffers)
    assert arrow_values.read(node("c", code, [], None, {}), source, 0, 2, {}) == values


def test_broken_arrow_is_an_error():
    """Data that breaks Arrow's rules is an ArrowError where it can be told, not a wrong value."""
    index = pa.DictionaryArray.from_arrays(pa.array([-1], pa.int8()), pa.array(["x"]), safe=False)
    offsets = pa.py_buffer(struct.pack("<3i", 0, 2, 1))
    falling = pa.Array.from_buffers(pa.utf8(), 2, [None, offsets, pa.py_buffer(b"ab")])
    partial_day = pa.array([1], pa.int64()).view(pa.date64())
    for array in (index, falling, partial_day):
        with pytest.raises(ArrowError):
            read_column(array)


def test_unknown_types_are_unsupported():
    """A type that is not known is Unsupported, by its format string."""
    with pytest.raises(Unsupported, match=r"\+x"):
        node("c", "+x", [], None, {})


def test_a_union_of_no_such_type():
    """A type that a union does not declare is an error, not a value of another variant."""
    union = pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])])
    types = pa.py_buffer(b"\x05")
    broken = pa.Array.from_buffers(union.type, 1, [None, types], children=[pa.array([1])])
    with pytest.raises(ArrowError, match="type code 5"):
        read_column(broken)


def test_an_error_of_the_stream():
    """What the producer says when a batch fails is the message of a StreamError."""

    def batches():
        yield pa.record_batch({"n": [1]})
        raise ValueError("page 2 is broken")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("n", pa.int64())]), batches())
    with pytest.raises(c_interface.StreamError, match="page 2 is broken"):
        c_interface.read(reader)


LEAVES = {
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.utf8(): st.text(st.characters(codec="utf-8"), max_size=20),
    pa.string_view(): st.text(st.characters(codec="utf-8"), max_size=20),
    pa.dictionary(pa.int8(), pa.utf8()): st.sampled_from(["a", "b", ""]),
    pa.bool_(): st.booleans(),
}


@st.composite
def typed_values(draw, depth=3):
    """Draw a type and a strategy of its values."""
    kind = draw(st.sampled_from(["leaf", "list", "view", "struct", "map"][: 5 if depth else 1]))
    if kind == "leaf":
        type_ = draw(st.sampled_from(list(LEAVES)))
        return type_, st.none() | LEAVES[type_]
    inner, values = draw(typed_values(depth=depth - 1))
    if kind == "struct":
        return pa.struct([("a", inner), ("b", pa.int32())]), st.none() | st.fixed_dictionaries(
            {"a": values, "b": st.integers(0, 9)}
        )
    if kind == "map":
        pairs = st.lists(st.tuples(st.sampled_from("xyz"), values), max_size=3)
        return pa.map_(pa.utf8(), inner), st.none() | pairs
    make = pa.list_ if kind == "list" else pa.list_view
    return make(inner), st.none() | st.lists(values, max_size=3)


def tag(value):
    """Write a Python value as a tagged one."""
    if isinstance(value, dict):
        return [tag(value["a"]), tag(value["b"])]
    if isinstance(value, (list, tuple)):
        return [tag(one) for one in value]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_nested_values_and_slices(data):
    """Any nesting of any types reads back as it was built, also sliced."""
    type_, values = data.draw(typed_values())
    rows = data.draw(st.lists(values, max_size=8))
    start = data.draw(st.integers(0, len(rows)))
    array = pa.array(rows, type_)
    assert read_column(array)[1] == tag(rows)
    assert read_column(array.slice(start))[1] == tag(rows[start:])
