"""A failure of an engine's own code is told apart from a refusal, by where and how it was raised."""

import importlib
import sys

import pytest

from corpora.cases import Expectation
from harness.children.outcomes import Outcome, OutcomeKind
from harness.engines.arrow.c_interface import StreamError
from harness.engines.base import Engine
from harness.engines.duckdb.adapter import Duckdb
from harness.engines.panics import is_panic
from harness.engines.spark.errors import _kind
from harness.judging.ballots import Ballot
from harness.judging.records import PROBLEMS
from harness.judging.verdicts import Verdict, judge
from harness.judging.vote import vote

PACKAGE = """
def index():
    return [][3]

def attribute():
    return None.name

def asserts():
    assert False

def key():
    return {}["a"]

def divides():
    return 1 // 0

def unbound():
    if False:
        value = 1
    return value

def meant():
    raise TypeError("no column of this type is supported")

def value():
    raise ValueError("not a Parquet file")

def outside():
    import json
    return json.loads(None)
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a package that stands for an engine's."""
    folder = tmp_path / "an_engine"
    folder.mkdir()
    (folder / "__init__.py").write_text("__version__ = '1'\n")
    (folder / "core.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("an_engine.core")
    sys.modules.pop("an_engine.core")
    sys.modules.pop("an_engine")


def raised(function, *arguments):
    """Return the exception that a call raises."""
    try:
        function(*arguments)
    except BaseException as error:  # noqa: BLE001 - a panic is no Exception
        return error
    raise AssertionError(function)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((name, True) for name in ("index", "attribute", "asserts", "key", "divides", "unbound")),
        ("meant", False),  # the engine says what it does not read
        ("value", False),
        ("outside", False),  # raised in another package
    ],
)
def test_mistakes_of_python(package, name, expected):
    """What Python raises for a mistake of the package is a panic; what the package raises itself is none."""
    error = raised(getattr(package, name))
    assert is_panic(error, "an_engine") == expected
    assert not is_panic(error, "another")
    adapter = Engine()
    adapter.library = package
    assert adapter.panicked(error) == expected


def test_mistakes_of_an_adapter_are_none_of_the_engine():
    """The innermost frame is ours: the engine is not to blame."""
    assert not is_panic(raised({}.__getitem__, "a"), "an_engine")


class PanicException(BaseException):
    """Stands for PyO3's."""


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (PanicException("called `Option::unwrap()` on a `None` value"), True),
        (PanicException("not yet implemented: x"), True),
        (Exception('Join Error\ncaused by\nExternal error: task 17 panicked with message "range"'), True),
        (ValueError("thread 'main' panicked at src/page.rs:3:5"), True),
        (IndexError("unordered_map::at"), True),  # of libstdc++, through pybind11
        (IndexError("_Map_base::at"), True),  # of an older libstdc++
        (IndexError("column 3 is not there"), False),
        (ValueError("vector::_M_range_check"), False),
        (ValueError("do not panic"), False),
        (TypeError("made by nobody"), False),  # without a traceback
    ],
)
def test_panics_of_native_code(error, expected):
    """A panic is known by its class, or by the words of Rust's runtime and of libstdc++."""
    assert is_panic(error, "an_engine") == expected


def test_errors_of_the_jvm():
    """An InternalError anywhere in the chain is a panic, whatever else its text says."""
    refused = [("org.apache.spark.SparkException", "x"), ("java.io.IOException", "no")]
    assert _kind(refused) == "refused"
    assert _kind([*refused, ("java.lang.InternalError", "a fault")]) == "panicked"


@pytest.mark.parametrize(
    ("name", "message", "kind"),
    [
        ("java.lang.UnsupportedOperationException", "Unsupported encoding: BYTE_STREAM_SPLIT", "unsupported"),
        ("java.lang.UnsupportedOperationException", "", "refused"),
        ("java.lang.UnsupportedOperationException", "a.b.PlainBinaryDictionary", "refused"),
        ("org.apache.spark.SparkUnsupportedOperationException", "[X] Unsupported", "unsupported"),
    ],
)
def test_operations_that_java_does_not_support(name, message, kind):
    """Only an exception of Spark, or a sentence, says that something is lacked, not one of Java."""
    assert _kind([("org.apache.spark.SparkException", "x"), (name, message)]) == kind


def test_a_codec_without_a_name_in_spark_is_one_that_it_lacks():
    """Spark 3.4 knows LZ4_RAW from the format, and has no name for it."""
    named = "No enum constant org.apache.parquet.hadoop.metadata.CompressionCodecName.LZ4_RAW"
    assert _kind([("java.lang.IllegalArgumentException", named)]) == "unsupported"
    assert _kind([("java.lang.IllegalArgumentException", "No enum constant a.b.Encoding.X")]) == "refused"


def test_digits_that_a_decimal_of_spark_does_not_have():
    """Parquet has decimals of more than 38 digits, which Spark has no type for; another condition refuses."""
    name = "org.apache.spark.SparkArithmeticException"
    assert _kind([(name, "[DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION] 76")]) == "unsupported"
    assert _kind([(name, "[NUMERIC_VALUE_OUT_OF_RANGE] 76")]) == "refused"


@pytest.mark.parametrize(
    "expectation",
    [
        Expectation.refuse(rule="PQ-FOOTER-001"),
        Expectation.either("x"),
        Expectation.by_vote(),
    ],
)
def test_a_panic_is_a_problem_whatever_is_expected(expectation):
    """It confirms no refusal that is right."""
    assert judge(expectation, Outcome(OutcomeKind.PANICKED)).verdict is Verdict.PANICKED
    assert Verdict.PANICKED in PROBLEMS


def test_a_panic_does_not_vote():
    """Two engines that panic do not outvote nobody: nothing was refused."""
    ballots = {name: Ballot(Outcome(OutcomeKind.PANICKED), (), name, name) for name in ("a", "b")}
    absent = Outcome(OutcomeKind.UNSUPPORTED)
    assert vote(ballots, absent).kind != "refuse"


def test_an_internal_error_of_duckdb_is_a_panic():
    """An assertion that fails inside of DuckDB is no refusal of a file, however it is told."""
    duckdb = pytest.importorskip("duckdb")
    adapter = Duckdb()
    text = "INTERNAL Error: Attempted to access index 3 within vector of size 2"
    assert adapter.panicked(duckdb.InternalException(text))
    assert adapter.panicked(StreamError(text))
    pending = "Attempting to execute an unsuccessful or closed pending query result"
    assert adapter.panicked(duckdb.InvalidInputException(f"Invalid Input Error: {pending}\nError: {text}"))
    assert not adapter.panicked(duckdb.IOException(f"IO Error: a column is called {text}"))
    assert not adapter.panicked(ValueError(text))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (
            "Not yet implemented: DecodeArrow of DictAccumulator for DeltaLengthByteArrayDecoder",
            "unsupported",
        ),
        ("Unexpected end of stream: a page is Not yet implemented", "refused"),
    ],
)
def test_what_arrow_has_not_implemented_yet(text, kind):
    """An error of Arrow that begins so says that it lacks something, whatever its class."""
    pyarrow = pytest.importorskip("harness.engines.pyarrow.adapter")
    assert pyarrow.PyarrowParquet().classify(OSError(text)) == kind


@pytest.mark.parametrize(
    ("text", "kind"), [("Type with name TIME_NS does not exist!", "unsupported"), ("x", "refused")]
)
def test_a_type_that_a_release_of_duckdb_lacks(text, kind):
    """A release that does not know a type of the given schema lacks it; it does not refuse the file."""
    duckdb = pytest.importorskip("duckdb")
    assert Duckdb().classify(duckdb.CatalogException(f"Catalog Error: {text}")) == kind
