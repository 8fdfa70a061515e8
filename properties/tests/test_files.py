"""The strategies of files: each file is what its table says, and values are plain Python."""

import math
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings

from corpora import python_values
from corpora.build.formats import FORMATS
from corpora.build.tagged_columns import tagged_table
from corpora.queries import Filter, RowGroup
from corpora.tagged import BOOL, BYTES, DATE, INTERVAL, STRING, Field, Table, Type, floating, integer
from properties.files import FEATURES, orc_files, parquet_files

QUIET = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
FOUND = settings(QUIET, max_examples=100, database=None, phases=[Phase.generate])
ONE = Type("list", children=(Field("element", integer(8)),))
PAIR = Type("map", children=(Field("key", STRING), Field("value", BOOL)))


def of_reference(file):
    """Return the table that the reference reads."""
    return tagged_table(FORMATS[file.format].file(file.data, None).read())


@QUIET
@given(parquet_files())
def test_a_parquet_file_holds_its_rows(file):
    """The reference reads from the bytes the rows that the file claims to hold."""
    assert file.has_rows(python_values.rows(of_reference(file)))
    assert file.data.startswith(b"PAR1")


@QUIET
@given(orc_files())
def test_an_orc_file_holds_its_rows(file):
    """The reference reads from the bytes the rows that the file claims to hold."""
    assert file.has_rows(python_values.rows(of_reference(file)))
    assert file.data.startswith(b"ORC")


@QUIET
@given(parquet_files())
def test_answers(file):
    """Each query has a right answer with rows of the file; row groups beyond the last are not asked."""
    for query in file.queries:
        answer = file.answer(query)
        if isinstance(query, (Filter, RowGroup)):
            assert answer.num_rows <= file.table.num_rows


@pytest.mark.heavy
def test_a_wrong_reader_is_found():
    """A reader that loses nulls is shown by one of the first files."""

    def loses(file):
        return any(None in file.column(field.name) for field in file.table.columns)

    file = find(parquet_files(), loses, settings=FOUND)
    assert None in [value for row in file.rows() for value in row]
    assert len(repr(file)) < 500
    assert file.plan.startswith("FilePlan(")


def test_a_feature_can_be_asked_for():
    """Every file of a strategy of a feature has it."""
    for feature in FEATURES:
        assert feature in find(parquet_files(feature), lambda _: True, settings=FOUND).features
    with pytest.raises(ValueError, match="parquet/logical/variant"):
        parquet_files("parquet/logical/none")


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        (integer(64), "-9223372036854775808", -(2**63)),
        (floating(16), "3c00", 1.0),
        (floating(32), "80000000", -0.0),
        (floating(64), "7ff0000000000000", math.inf),
        (Type("decimal", precision=38, scale=3), "-" + "9" * 38, Decimal("-" + "9" * 35 + ".999")),
        (DATE, "-719529", -719529),
        (Type("timestamp", unit="ns", utc=True), "1", 1),
        (INTERVAL, ["1", "2", "3"], (1, 2, 3)),
        (STRING, "\udcff", "\udcff"),
        (BYTES, "00ff", b"\x00\xff"),
        (BYTES, {"sha256": "0" * 64, "bytes": 2_000_000}, {"sha256": "0" * 64, "bytes": 2_000_000}),
        (Type("variant"), ["01", "00"], (b"\x01", b"\x00")),
        (ONE, ["1", None], [1, None]),
        (PAIR, [["a", True], ["a", None]], [("a", True), ("a", None)]),
        (Type("struct", children=(Field("x", DATE), Field("x", ONE))), ["7", None], [7, None]),
        (Type("union", children=(Field("0", BOOL), Field("1", DATE))), ["1", "3"], (1, 3)),
    ],
    ids=str,
)
def test_python_values(type_, value, expected):
    """Each kind has its Python value, and null is None."""
    table = Table.of([("x", type_)], [[value, None]])
    assert repr(python_values.column(table, "x")) == repr([expected, None])
    assert python_values.rows(table) == [(python_values.column(table, "x")[0],), (None,)]


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        (math.nan, -math.nan, True),
        (0.0, -0.0, False),
        ([1, (math.nan, None)], (1, [math.nan, None]), True),
        ([1], [1, 2], False),
        (1, 1.0, False),
        (True, 1, False),
        ("a", b"a", False),
    ],
)
def test_same(first, second, equal):
    """NaN is the same as NaN, zeros differ by their sign, a number by its type; tuples are as lists."""
    assert python_values.same(first, second) is equal


def test_no_columns():
    """A table without columns has as many empty rows, and no column of any name."""
    table = Table.of([], [], 3)
    assert python_values.rows(table) == [(), (), ()]
    with pytest.raises(KeyError):
        python_values.column(table, "x")
