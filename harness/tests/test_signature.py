"""Signatures: the text that stands in results and known failures, and how it is read back."""

import re
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpora.tagged import Table, floating
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging.compare import compare
from harness.judging.details import RecordedExpectation, RowDetail
from harness.judging.results import Row
from harness.judging.root_cause import panic_in
from harness.judging.settle import settle
from harness.judging.signature import Signature, Stored, judged_of, normalised
from harness.judging.subjects import cell_of
from harness.judging.verdicts import TIME, Cost

TEXTS = [
    "duckdb | different | value in int(32, signed)",
    "pyarrow:pushdown=on | different | rows lost: row groups in int < and NaN",
    "spark:vectorized=off,ansi=on | crashed | signal 11",
    "spark | refused_valid | java.io.IOException: a | b in page | caused by: c",
    "reference | accepted_invalid | PQ-FILE-001",
    "polars | hung | ",
    "pyarrow | stale_known_failure | files/a (x) (different): expired on 2026-01-01",
    "pyarrow writes parquet | layout | file.row_groups[0] | 1 as 2",
]
NAMES = st.from_regex(re.compile(r"[a-z_]{1,8}", re.ASCII), fullmatch=True)
CONFIGS = st.lists(st.builds("{}={}".format, NAMES, NAMES), max_size=3).map(",".join)
CAUSES = st.lists(st.sampled_from([" | ", " in ", ":", "|", "x", "é", "\n", " "]) | st.text(max_size=5)).map(
    "".join
)


@given(st.builds(Signature, NAMES, CONFIGS, NAMES, CAUSES))
@example(Signature("a", "", "b", ""))
def test_a_signature_is_read_back_from_its_text(signature):
    """All fields come back, whatever the cause contains."""
    assert Signature.of_text(str(signature)) == signature


@given(st.builds(Signature, NAMES, CONFIGS, NAMES, CAUSES, st.none() | CAUSES))
def test_the_subject_is_read_back_as_a_part_of_the_cause(signature):
    """A message may contain " in " itself, so no text is split there."""
    read = Signature.of_text(str(signature))
    whole = f"{signature.cause} in {signature.about}" if signature.about is not None else signature.cause
    assert read == replace(signature, cause=whole, about=None)


@given(st.lists(CAUSES, min_size=3, max_size=5).map(" | ".join))
@example("engine: | verdict | cause")
@example(":config | verdict | cause")
@example(" |  |  | ")
def test_every_text_is_kept(text):
    """Known failures compare texts: a text that is read and written again is the same."""
    assert str(Signature.of_text(text)) == text


@pytest.mark.parametrize("text", TEXTS)
def test_texts_of_runs(text):
    """Each shape that a run or an upgrade stores is kept."""
    assert str(Signature.of_text(text)) == text


@pytest.mark.parametrize("text", ["", "duckdb", "duckdb | different", "duckdb|different|value"])
def test_other_texts_are_refused(text):
    """A text with fewer than three parts is no signature."""
    with pytest.raises(ValueError, match="not the text of a signature"):
        Signature.of_text(text)


PANIC = "thread 'a' (7) panicked at src/x.rs:56:5:\nArray too large, expected less than {size}\nstack"


def test_the_panic_of_an_abort():
    """The first panic has the reason; the one that Rust's runtime adds has none, nor has another end."""
    added = PANIC.format(size=16).replace("Array too large", "panic in a function that cannot unwind")
    added = added.replace(", expected less than 16", "")
    assert panic_in(added + PANIC.format(size=8)) == "Array too large, expected less than 8"
    assert (panic_in(added), panic_in("Fatal Python error: Aborted")) == ("", "")


def test_a_failed_check_of_arrow_is_the_cause():
    """Of a check that Arrow C++ ends its process for, the status is the cause, or what was checked."""
    text = "/arrow/cpp/src/x.cc:14:  Check failed: _s.ok() Operation failed: Write(a, b)\n"
    assert panic_in(f"before\n{text}Bad status: Invalid: lost 17\n") == "Check failed: Invalid: lost 17"
    assert panic_in(text) == "Check failed: _s.ok() Operation failed: Write(a, b)"


def stored(verdict="refused_valid", *, cell="", scope=None, **detail):
    """Return a failing row."""
    expectation = RecordedExpectation(rule="PQ-FILE-001", clause="c")
    detail = RowDetail(**{"expectation": expectation, "error_class": "E", "message": "m" * 200, **detail})
    row = Row("files/a", "parquet", "", "spark", "4.1", "a=b", "refused", verdict, detail, 0.0, 0)
    return Stored(row, {}, 1, cell, scope)


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (stored(), f"spark:a=b | refused_valid | E: {'m' * 157}"),
        (stored(scope="", probe="q", cell="int <"), f"spark | refused_valid | E: {'m' * 157} in int <"),
        (stored(probe="q", cell="s", message="", error_class=""), "spark:a=b | refused_valid |  in s"),
        (stored(probe="q", message=""), "spark:a=b | refused_valid | E in "),
        (stored("accepted_invalid", cell="int"), "spark:a=b | accepted_invalid | PQ-FILE-001"),
        (stored("crashed", signal=11, message="", error_class=""), "spark:a=b | crashed | signal 11"),
        (
            stored("crashed", signal=6, message="", error_class="", stderr=PANIC.format(size=16)),
            "spark:a=b | crashed | signal 6: Array too large, expected less than <n>",
        ),
        (stored("crashed", signal=6), f"spark:a=b | crashed | E: {'m' * 157}"),  # a sanitizer's report
        (
            stored("different", difference={"kind": "value", "path": "a"}, cell="c" * 200),
            f"spark:a=b | different | value in {'c' * 151}",
        ),
        (
            stored("different", difference={"kind": "value", "path": "a"}, probe="q"),
            "spark:a=b | different | value",
        ),
    ],
)
def test_text_of_a_row(row, text):
    """The text is that of every earlier version: results of two versions are compared by it."""
    assert str(Signature.of(row)) == text


REFUSED = "called `Result::unwrap()` on an `Err` value: "


def panic(text, number=757):
    """Return a panic as Polars raises it."""
    return f'{REFUSED}JoinError::Panic(Id({number}), "{text}", ...)'


def of_hyper(*lines, file="/tmp/a b.parquet", context="0xfa6b0e2f"):
    """Return what Hyper says of a file that it does not read."""
    chain = "".join(f"\n\t{line}" for line in lines)
    hint = "Hint: The file is probably corrupt."
    return f"error while reading Parquet file: Error in {file}{chain}\n{hint}\nContext: {context}"


CLICKHOUSE = (
    "Code: 636. DB::Exception: The table structure cannot be extracted from a Parquet format file. Error:\n"
)


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        # Polars 2.1 on files of corpora/parquet
        (panic(REFUSED + r"OutOfSpec(\"Thrift out of range\")"), 'OutOfSpec("Thrift out of range")'),
        (panic("assertion failed: values.len() >= 4"), "assertion failed: values.len() >= <n>"),
        (panic(r"assertion `left == right` failed\n  left: 64"), "assertion `left == right` failed"),
        (panic("range end index 4 out of range for slice"), "range end index <n> out of range for slice"),
        (f'{REFUSED}ComputeError(ErrString("not `x`. Hint: none"))', "not `x`. Hint: none"),
        # DataFusion
        (
            'External error: Join Error\ncaused by\nExternal error: task 17 panicked with message "mid > 5"',
            "mid > <n>",
        ),
        ("thread 'tokio' panicked at crates/polars-parquet/src/x.rs:65:14:\nmid > len", "mid > len"),
        # Spark: as its adapter joins a chain, and as Java prints one
        ("[FAILED_READ_FILE] x | caused by: Job aborted | caused by: Seek at 12", "Seek at <n>"),
        ("Job\nCaused by: a.B: x\n\tat y\nCaused by: java.lang.Error: z 4", "java.lang.Error: z <n>"),
        # DuckDB 1.0, of a result that is fetched
        (
            "Attempting to get x from an unsuccessful query result\n: Error Invalid Error: not PLAIN",
            "Invalid Error: not PLAIN",
        ),
        (
            "Attempting to execute an unsuccessful or closed pending query result\nError: INTERNAL Error: 12",
            "INTERNAL Error: <n>",
        ),
        # Hyper
        (
            of_hyper("Failed to thrift-deserialize file meta data:", "Invalid enum value: 10"),
            "Failed to thrift-deserialize file meta data: Invalid enum value: <n>",
        ),
        (
            of_hyper(
                "Error while decoding row group 0 column chunk for column 'a b' of type 'BOOLEAN'",
                "Error while decoding dictionary page at file offset 4",
                "Reached end of memory while decoding",
            ),
            "Error while decoding dictionary page at file offset <n>: Reached end of memory while decoding",
        ),
        (
            of_hyper(
                "Error while decoding row group 0 column chunk for column 'x' of type 'BYTE_ARRAY'",
                "Decompressing compressed page of type 'DATA_PAGE' at offset 4 with codec 'GZIP' failed",
                "(compressed region offset: 27, compressed size: 20, expected uncompressed size: 0)",
                "Failed to decompress GZip: inflate(): Z_STREAM_ERROR",
            ),
            "Failed to decompress GZip: inflate(): Z_STREAM_ERROR",
        ),
        # ClickHouse
        (
            f"{CLICKHOUSE}Code: 117. DB::Exception: Unexpected type: SchemaElement(type=INT64, name=x)",
            "DB::Exception: Unexpected type",
        ),
        (
            f"{CLICKHOUSE}std::exception. Code: 1, type: orc::ParseError, e.what() = Unknown (version 26.9)",
            "DB::Exception: std::exception. Code: <n>, type: orc::ParseError, e.what() = Unknown",
        ),
        (
            "Code: 117. DB::Exception: Unexpected end: read stage: ColumnData: column: a.b: (in file /tmp/x)",
            "DB::Exception: Unexpected end",
        ),
        ("Code: 1001. DB::Exception: no key. (STD_EXCEPTION)", "DB::Exception: no key."),
        (
            "Code: 53. DB::Exception: a (DATE) is no (INT) b: (in file /x)",
            "DB::Exception: a (DATE) is no (INT) b",
        ),
        # nothing is wrapped
        ("called `Option::unwrap()` on a `None` value",) * 2,
        ("a message that says JoinError",) * 2,
        (REFUSED,) * 2,
        ("", ""),
    ],
)
def test_the_innermost_cause_counts(message, cause):
    """What is wrapped around a panic or an exception is the same for every cause."""
    assert normalised(message) == cause.strip()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("no such file: '/a b/c.parquet' there", "no such file: '/tmp/x.parquet' there"),
        ('cannot open "/a b/c"', 'cannot open "/x"'),
        ("cannot open C:\\\\data\\\\x.parquet: y", "cannot open D:\\\\x: y"),
        ("at file:/a/b: no", "at /c: no"),
        ("value -5 of 3", "value 5 of 12"),
        ("value 1.5 of 2", "value 3 of 7"),
        ("value 1e10", "value -2.5E-3"),
        ("start 18446744073709551570 <= 3", "start 4 <= 3"),
        ("<object at 0x7f00ab>", "<object at 0x1>"),
        ("key 123e4567-e89b-12d3-a456-426614174000", "key 00000000-0000-0000-0000-000000000000"),
        (
            panic("mid > len", 1),
            panic("mid > len", 77),
        ),
        (
            of_hyper('The memory layout for column "a b" in rowgroup 0 is incompatible with the schema'),
            of_hyper(
                'The memory layout for column "y" in rowgroup 2 is incompatible with the schema',
                file="/c",
                context="0x0b1",
            ),
        ),
        (
            of_hyper("Inconsistent schema: Primitive column a has converted type DECIMAL"),
            of_hyper("Inconsistent schema: Primitive column b c has converted type DECIMAL"),
        ),
    ],
)
def test_paths_numbers_and_addresses_are_no_causes(first, second):
    """Two messages that differ in these alone have one signature."""
    assert normalised(first) == normalised(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            panic("mid > len", 1),
            panic("x", 1),
        ),
        (of_hyper("Seek failed"), of_hyper("Read failed")),
        (of_hyper("Error while decoding a page", "x"), of_hyper("Error while decoding a dictionary", "x")),
        ("Job aborted | caused by: a", "Job aborted | caused by: b"),
        ("PARQUET-12 in int32", "PARQUET_12 in int32"),
        ("int(32)", "uint(32)"),
    ],
)
def test_causes_are_told_apart(first, second):
    """Two causes in the same wrapping are two signatures."""
    assert normalised(first) != normalised(second)


def test_names_of_issues_keep_their_dash():
    """Known failures are matched by such texts."""
    assert normalised("see PARQUET-2417, LZ4 and TIME(6)") == "see PARQUET-<n>, LZ<n> and TIME(<n>)"


def test_a_zero_of_the_other_sign_is_a_cause_of_its_own():
    """What differs is the type of a column, but of zeros their sign."""
    table = Table.of([("x", floating(64))], [["0" * 16]])
    cells = [
        cell_of(table, compare(table, Table.of([("x", floating(64))], [[value]]), ()).difference)
        for value in ("8" + "0" * 15, "3ff0000000000000")
    ]
    assert cells == ["the sign of zero", "float(64)"]


def test_known_failures_see_the_options_of_a_writer():
    """The options that a file was written with are part of what an entry is matched with."""
    assert judged_of(stored("wrote_invalid", options={"stride": 0})).options == {"stride": 0}
    assert judged_of(stored("wrote_invalid")).options == {}


@pytest.mark.parametrize(
    ("verdict", "seconds", "left"),
    [("agree", 1.0, "agree"), ("agree", 99.0, "amplified"), ("", 1.0, "amplified")],
)
def test_a_cost_must_show_again(verdict, seconds, left):
    """It does in a second answer, or the first is judged by its values; older runs have no such verdict."""
    cost = Cost(TIME, 20.0, 10.0, 8, 1, verdict)
    row = stored("amplified", cost=cost, error_class="", message="")
    first, second = (
        Outcome(OutcomeKind.TABLE, Table.of([], []), cpu_seconds=each) for each in (20.0, seconds)
    )
    after = settle(row, first, second, (), lambda _: ()).row
    assert after.verdict == left
    assert (after.detail.cost is None) == (left == "agree")


def test_a_second_look_is_about_the_column_that_differs():
    """What differs between two answers may be another column than that which was wrong in the first."""
    row = stored("different", column_features=("parquet/value/nan",), error_class="", message="")
    first, second = (
        Outcome(OutcomeKind.TABLE, Table.of([("x", floating(32))], [[bits]]))
        for bits in ("00000000", "3f800000")
    )
    columns = {"column 'x'": ("parquet/type/float",)}
    after = settle(row, first, second, (), lambda difference: columns[difference.path.label]).row
    assert (after.verdict, after.detail.column_features) == ("unstable", ("parquet/type/float",))
    unchanged = settle(row, first, first, (), lambda _: ()).row
    assert unchanged.detail.column_features == ("parquet/value/nan",)


def test_known_failures_see_the_features_of_the_columns():
    """A row is matched by the features of the columns that it is about."""
    row = stored("different", column_features=("parquet/value/nan",))
    assert judged_of(row).column_features == ("parquet/value/nan",)
