"""What a read of a folder must return: each conversion, and what no text defines."""

from contextlib import nullcontext
from dataclasses import replace

import pytest

from corpora.conversions import CONVERSIONS, NULL_PARTITION
from corpora.evolution import read_as
from corpora.table_files import TableFile, Undefined, partition_values
from corpora.table_reads import BY_ID, BY_POSITION, CASELESS, TableRead
from corpora.tagged import (
    BYTES,
    DATE,
    NULL,
    STRING,
    Field,
    Table,
    decimal,
    floating,
    integer,
    list_of,
    map_of,
    struct_of,
    timestamp,
)

INT = integer(32)


def file(path="a.parquet", ids=(), /, **columns):
    """Return a file of columns, each a type and values."""
    fields = [(name, type_) for name, (type_, _) in columns.items()]
    return TableFile(path, Table.of(fields, [values for _, values in columns.values()]), dict(ids))


def columns_of(evolved):
    """Return the values of each column."""
    return [evolved.table.column(at) for at in range(len(evolved.table.columns))]


def read(*fields, **more):
    """Return a read of columns, pairs of name and type."""
    return TableRead(tuple(Field(*each) for each in fields), **more)


def test_files_are_joined_by_name():
    """Columns are found by name in any order, one that a file lacks is null, and others are left out."""
    files = [file(a=(INT, ["1"]), b=(STRING, ["x"])), file(b=(STRING, ["y"]), c=(INT, ["9"]))]
    evolved = read_as(files, read(("b", STRING), ("a", INT)))
    assert columns_of(evolved) == [["x", "y"], ["1", None]]
    assert evolved.conversions == {"reordered", "missing", "left-out"}


def test_no_columns_count_rows():
    """A read of no columns has as many rows as the files together."""
    assert read_as([file(a=(INT, ["1", "2"])), file(a=(INT, ["3"]))], read()).table.num_rows == 3


@pytest.mark.parametrize("after", [STRING, list_of(INT), integer(64)], ids=str)
def test_nulls_of_an_unknown_type_are_nulls_of_any(after):
    """A column of which a file has nulls alone, without a type, becomes nulls of the schema's type."""
    evolved = read_as([file(a=(NULL, [None, None]))], read(("a", after)))
    assert columns_of(evolved) == [[None, None]]
    assert evolved.conversions == {"unknown-to-any"}


@pytest.mark.parametrize(
    ("before", "value", "after", "expected", "name"),
    [
        (integer(8), "-128", integer(16), "-128", "small-int-widened"),
        (INT, "-2147483648", integer(64), "-2147483648", "int-widened"),
        (integer(32, signed=False), "4294967295", integer(64), "4294967295", "small-int-widened"),
        (floating(32), "7f800000", floating(64), "7ff0000000000000", "float-widened"),
        (floating(32), "80000000", floating(64), "8000000000000000", "float-widened"),
        (floating(32), "3dcccccd", floating(64), "3fb99999a0000000", "float-widened"),
        (INT, "-1", floating(64), "bff0000000000000", "int-to-double"),
        (decimal(5, 2), "-99999", decimal(9, 2), "-99999", "decimal-widened"),
        (decimal(5, 2), "-99999", decimal(8, 4), "-9999900", "decimal-rescaled"),
        (INT, "-7", decimal(12, 2), "-700", "int-to-decimal"),
        (DATE, "-1", timestamp("us", utc=False), "-86400000000", "date-to-timestamp"),
        (list_of(INT), ["1", None], list_of(integer(64)), ["1", None], "int-widened"),
        (map_of(STRING, INT), [["k", "1"]], map_of(STRING, integer(64)), [["k", "1"]], "int-widened"),
    ],
)
def test_promotions(before, value, after, expected, name):
    """A value goes into a wider type without a loss, at any depth; null stays null."""
    evolved = read_as([file(a=(before, [value, None]))], read(("a", after)))
    assert columns_of(evolved) == [[None, expected]]
    assert evolved.conversions == {name}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (integer(64), INT),
        (INT, integer(64, signed=False)),
        (integer(32, signed=False), INT),
        (integer(64), floating(64)),
        (floating(64), floating(32)),
        (decimal(5, 2), decimal(5, 3)),
        (decimal(5, 2), decimal(4, 2)),
        (INT, decimal(11, 2)),
        (DATE, timestamp("us", utc=True)),
        (STRING, BYTES),
        (INT, STRING),
        (struct_of([("a", INT)]), INT),
    ],
)
def test_what_no_text_defines(before, after):
    """A conversion that would lose something, or that no text defines, has no right answer."""
    with pytest.raises(Undefined):
        read_as([file(a=(before, []))], read(("a", after)))


@pytest.mark.parametrize(
    ("days", "is_defined"), [(106_751_991, True), (106_751_992, False), (-(1 << 31), False)]
)
def test_dates_that_a_timestamp_does_not_reach(days, is_defined):
    """A date beyond 64 bits of microseconds has no timestamp: no text says what a reader returns."""
    dates = [file(a=(DATE, [None, str(days)]))]
    with nullcontext() if is_defined else pytest.raises(Undefined):
        read_as(dates, read(("a", timestamp("us", utc=False))))


def test_structs_by_name():
    """Fields of structs are found by name, at any depth; a struct that is null stays null."""
    inner = struct_of([("x", INT), ("y", STRING)])
    given = file(s=(inner, [["1", "a"], None]), l=(list_of(inner), [[["2", "b"], None], []]))
    wanted = struct_of([("y", STRING), ("z", INT)])
    evolved = read_as([given], read(("s", wanted), ("l", list_of(wanted))))
    assert sorted(map(str, zip(*columns_of(evolved), strict=True))) == sorted(
        map(str, [(["a", None], [["b", None], None]), (None, [])])
    )
    assert evolved.conversions == {"missing-inside", "left-out-inside"}


def test_a_struct_without_its_fields():
    """A struct of fields that a file lacks is null where the file's struct is, and not elsewhere."""
    evolved = read_as(
        [file(s=(struct_of([("x", INT)]), [["1"], None]))], read(("s", struct_of([("z", INT)])))
    )
    assert columns_of(evolved) == [[None, [None]]]
    assert evolved.conversions == {"all-missing-inside", "left-out-inside"}


def test_names_without_case():
    """Without regard to case a name is found; two that differ in case alone have no right answer."""
    assert columns_of(read_as([file(A=(INT, ["1"]))], read(("a", INT), matching=CASELESS))) == [["1"]]
    assert columns_of(read_as([file(A=(INT, ["1"]))], read(("a", INT)))) == [[None]]
    with pytest.raises(Undefined):
        read_as([file(a=(INT, []), A=(INT, []))], read(("a", INT), matching=CASELESS))


def test_field_ids():
    """By id, a field keeps its values under another name, and a new field of an old name has none of them."""
    struct = struct_of([("x", INT)])
    given = file("f", {("a",): 1, ("s",): 2, ("s", "x"): 3}.items(), a=(INT, ["1"]), s=(struct, [["5"]]))
    ids = ((("b",), 1), (("a",), 7), (("s",), 2), (("s", "y"), 3))
    wanted = read(("b", INT), ("a", INT), ("s", struct_of([("y", INT)])), matching=BY_ID, ids=ids)
    assert columns_of(read_as([given], wanted)) == [["1"], [None], [["5"]]]
    with pytest.raises(Undefined):
        read_as([given], read(("b", INT), matching=BY_ID))


def test_partitions():
    """The values of partition columns are those of the folders' names, decoded and typed."""
    path = "year=-1/city=a%3Db/day=2024-02-29/x=__HIVE_DEFAULT_PARTITION__/f.parquet"
    assert partition_values(path) == {"year": "-1", "city": "a=b", "day": "2024-02-29", "x": None}
    fields = (Field("day", DATE), Field("year", INT), Field("city", STRING), Field("x", INT))
    evolved = read_as([file(path, a=(INT, ["5", "6"]))], read(("a", INT), partitions=fields))
    assert columns_of(evolved) == [["5", "6"], ["19782"] * 2, ["-1"] * 2, ["a=b"] * 2, [None] * 2]


@pytest.mark.parametrize(
    ("path", "type_"), [("f", INT), ("p=x/f", INT), ("p=1/f", floating(64)), ("p=1/f", DATE)]
)
def test_partitions_without_a_value(path, type_):
    """A file outside of the folders, or a name that is no value of the type, has no right answer."""
    with pytest.raises(Undefined):
        read_as([file(path, a=(INT, []))], read(partitions=(Field("p", type_),)))


def test_each_conversion_names_its_authority():
    """Each conversion says what it means and which text defines it."""
    assert all(each.meaning and each.authority for each in CONVERSIONS.values())


def test_positions():
    """By position, names of columns mean nothing, those behind the last are missing; fields go by name."""
    inner = struct_of([("x", INT), ("y", INT)])
    given = file(a=(INT, ["1"]), s=(inner, [["2", "3"]]))
    wanted = read(("s", INT), ("a", struct_of([("y", INT)])), ("b", INT), matching=BY_POSITION)
    evolved = read_as([given], wanted)
    assert columns_of(evolved) == [["1"], [["3"]], [None]]
    assert evolved.conversions == {"position", "left-out-inside", "missing"}


def test_where_rows_come_from():
    """Each row has the name and bytes of its file and its number in it; parts of a file are the engine's."""
    tables = [Table.of([("a", INT)], [values]) for values in (["7", "8"], ["9"])]
    files = [TableFile(f"p=1/f{at}", table, size=at + 10) for at, table in enumerate(tables)]
    names = ("row_index", "file_name", "file_size", "block_start", "block_length")
    wanted = TableRead((Field("a", INT),), metadata=names)
    evolved = read_as(files, wanted)
    assert [column.name for column in evolved.table.columns][1:] == [f"_{name}" for name in names]
    assert columns_of(evolved) == [
        ["7", "8", "9"],
        ["0", "1", "0"],
        ["f0", "f0", "f1"],
        ["10", "10", "11"],
        ["0", "0", "0"],
        ["10", "10", "11"],
    ]
    with pytest.raises(Undefined):
        read_as(files, replace(wanted, split_bytes=5))


def test_defaults():
    """Rows of a file without the column have its default; null stays null where a file has the column."""
    files = [file("a", a=(INT, ["1"])), file("b", a=(INT, ["2"]), b=(INT, [None]))]
    evolved = read_as(files, replace(read(("a", INT), ("b", INT)), defaults=(("b", "7"),)))
    assert columns_of(evolved) == [["1", "2"], ["7", None]]
    assert "default" in evolved.conversions
    assert "missing" not in evolved.conversions


def test_lengths():
    """CHAR is padded in characters, VARCHAR is not; for longer text nothing is defined."""
    wanted = read(("a", STRING), ("b", STRING))
    given = file(a=(STRING, ["\u00e9", None]), b=(STRING, ["x", None]))
    evolved = read_as([given], replace(wanted, lengths=(("a", "char", 3), ("b", "varchar", 3))))
    assert columns_of(evolved) == [[None, "\u00e9  "], [None, "x"]]
    for word in ("char", "varchar"):
        with pytest.raises(Undefined):
            read_as([file(a=(STRING, ["abcd"]))], replace(wanted, lengths=(("a", word, 3),)))


def test_removed_files():
    """A file that is removed has no rows, and the others have theirs."""
    files = [file("p", a=(INT, ["1"])), file("q", a=(INT, ["2"]))]
    assert columns_of(read_as(files, replace(read(("a", INT)), removed=("p",)))) == [["2"]]


YEAR = Field("year", INT)
_PLACES = ("2020/a%3Db/part-0", "2020/part-10", "part-1")


def test_folders_without_keys():
    """Names of folders are the partition columns in their order, decoded; a file in too few has no answer."""
    partitions = (YEAR, Field("city", STRING))
    files = [file(_PLACES[0], a=(INT, ["1"]))]
    evolved = read_as(files, read(("a", INT), partitions=partitions, keyless=True))
    assert columns_of(evolved) == [["1"], ["2020"], ["a=b"]]
    assert "keyless" in evolved.conversions
    with pytest.raises(Undefined, match="no folder of the partition column city"):
        read_as([file(_PLACES[1], a=(INT, ["1"]))], read(partitions=partitions, keyless=True))


def test_files_by_name():
    """A pattern matches the whole name of a file, and nothing of its folders."""
    files = [file(path, a=(INT, [str(number)])) for number, path in enumerate(_PLACES)]

    def rows(pattern):
        return read_as(files, read(("a", INT), recursive=True, name_pattern=pattern)).table.column(0)

    assert rows("part-?") == ["0", "2"]
    assert rows("part-*") == ["0", "1", "2"]
    assert rows("art-*") == rows("2020*") == []
    with pytest.raises(Undefined, match="names of folders have no meaning"):
        read_as(files, read(partitions=(YEAR,), recursive=True))


STRUCTS = [struct_of([("x", INT)]), struct_of([("x", INT), ("y", STRING)]), struct_of([("y", STRING)])]


def test_the_schema_of_all_files():
    """Columns of all files are there, and structs with the fields of the longest; types do not change."""
    files = [
        file("year=2020/p", a=(INT, ["1"]), s=(list_of(STRUCTS[0]), [[["5"]]])),
        file("year=-1/q", b=(STRING, ["x"]), s=(list_of(STRUCTS[1]), [[["6", "z"]]])),
    ]
    columns = (("a", INT), ("s", list_of(STRUCTS[1])), ("b", STRING))
    evolved = read_as(files, read(*columns, partitions=(YEAR,), unified=True))
    expected = [[None, "1"], [[["6", "z"]], [["5", None]]], ["x", None], ["-1", "2020"]]
    assert columns_of(evolved) == expected
    assert "unified" in evolved.conversions
    texts = read_as(files, read(("a", INT), partitions=(Field("year", STRING),), unified=True))
    assert columns_of(texts)[1] == ["-1", "2020"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (INT, integer(64)),
        (STRUCTS[2], STRUCTS[1]),  # which file comes first decides about the order of fields
        (STRUCTS[1], STRUCTS[0]),
        (map_of(STRING, INT), map_of(STRING, integer(64))),
    ],
)
def test_schemas_that_no_text_unites(before, after):
    """A read is of the types that some file has, and that others have apart from last fields."""
    files = [file(a=(before, [None])), file(a=(after, [None]))]
    with pytest.raises(Undefined, match="no specification says what type a has"):
        read_as(files, read(("a", after), unified=True))
    with pytest.raises(Undefined, match="no file has the column b"):
        read_as(files, read(("b", INT), unified=True))


@pytest.mark.parametrize(
    ("texts", "type_"),
    [(["1", "2"], integer(64)), (["1", "x"], INT), (["1e5"], STRING), ([NULL_PARTITION], INT)],
)
def test_types_that_are_not_found_out(texts, type_):
    """Partition columns are integers of 32 bits, dates, or text that is nothing else."""
    files = [file(f"year=1/p={text}/a", a=(INT, ["1"])) for text in texts]
    with pytest.raises(Undefined):
        read_as(files, read(partitions=(YEAR, Field("p", type_)), unified=True))
