"""Anonymized files contain no original value, and keep every property that a reader may stumble over."""

import hashlib
import struct
from dataclasses import replace
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.answers import answer
from corpora.cases import Case, Expectation, Probe, load
from corpora.own_cases import CHECKED_IN as CORPORA
from corpora.predicates import And, Compare, In, Not, NullSafe, StartsWith
from corpora.queries import (
    AggregateWhere,
    AntiJoin,
    CountRows,
    Fields,
    Filter,
    Groups,
    SemiJoin,
    Slice,
    Top,
    TopRows,
    TopWhere,
)
from corpora.tagged import STRING, floating, integer
from harness.engines.reference.adapter import Reference
from harness.investigate.anonymize import maps
from harness.investigate.anonymize.cases import anonymized
from harness.investigate.anonymize.parquet import anonymize
from properties.strategies.faults import FAULTS
from reference_impl.errors import ReferenceError_, Unsupported
from reference_impl.parquet.anatomy import assemble, dissect, nodes, sections, with_sections
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.orders import Order, key
from reference_impl.parquet.schema import PageType
from reference_impl.parquet.validate import examine

INTEGERS = st.sets(st.integers(-(2**63), 2**63 - 1) | st.integers(-300, 300))
LAYOUTS = {
    "plain": {"use_dictionary": False},
    "dictionary": {"use_dictionary": True},
    "v2": {"data_page_version": "2.0", "use_dictionary": False, "compression": "zstd"},
    "delta": {
        "use_dictionary": False,
        "column_encoding": {"Number": "DELTA_BINARY_PACKED", "text": "DELTA_BYTE_ARRAY"},
    },
    "lengths": {
        "use_dictionary": False,
        "column_encoding": {"text": "DELTA_LENGTH_BYTE_ARRAY", "real": "BYTE_STREAM_SPLIT"},
    },
    "indexed": {
        "write_page_index": True,
        "write_page_checksum": True,
        "max_rows_per_page": 3,
        "write_batch_size": 3,
    },
    "bloom": {"bloom_filter_options": {"text": {"ndv": 9}, "Number": {"ndv": 9}}},
}


def written(tmp_path, layout, numbers, reals, texts):
    """Return the bytes of a file of three columns, one of them nested, with nulls."""
    made = pa.table(
        {
            "Number": pa.array([*numbers, None], pa.int64()),
            "real": pa.array([*reals, None], pa.float64()),
            "text": pa.array([*texts, None], pa.string()),
            "Customers": pa.array([[one] for one in texts] + [[]], pa.list_(pa.string())),
        }
    ).replace_schema_metadata({"secret": "private value"})
    options = {**LAYOUTS[layout]}
    if "column_encoding" in options:
        options["column_encoding"] = {
            "real": "PLAIN",
            "Number": "PLAIN",
            "text": "PLAIN",
            **options["column_encoding"],
        }
        options["column_encoding"]["Customers.list.element"] = "PLAIN"
    pq.write_table(made, tmp_path / "a.parquet", row_group_size=7, **options)
    return (tmp_path / "a.parquet").read_bytes()


@given(INTEGERS)
@settings(max_examples=100)
def test_integers_keep_their_order_and_class(values):
    """Other integers are in the same order, and have sign and number of bits."""
    new = maps.integers(values, 64, Random(1), ())
    assert [new[one] for one in sorted(values)] == sorted(set(new.values()))
    assert len(set(new.values())) == len(values)
    assert all(a.bit_length() == b.bit_length() and (a < 0) == (b < 0) for a, b in new.items())
    assert all(
        new[one] != one for one in values if one.bit_length() > 20 and abs(one) not in (2**63, 2**63 - 1)
    )


@given(st.sets(st.floats(width=32)), st.sampled_from([32, 64]))
@settings(max_examples=100)
def test_floats_keep_their_order_and_specials(values, bits):
    """Other floats are in the same order; zeros, infinities and NaN are what they were."""
    code = {32: "f", 64: "d"}[bits]
    raws = {struct.pack(f"<{code}", one) for one in values}
    new = maps.floats((int.from_bytes(one, "little") for one in raws), bits, Random(2))
    pairs = [(one, new[int.from_bytes(one, "little")].to_bytes(bits // 8, "little")) for one in raws]
    finite = [
        (key(Order.FLOAT, a), key(Order.FLOAT, b))
        for a, b in pairs
        if key(Order.FLOAT, a) == key(Order.FLOAT, a)
    ]
    assert [b for _, b in sorted(finite)] == sorted(b for _, b in finite)
    for old, made in finite:
        assert (old == 0 or abs(old) == float("inf")) == (old == made)
    assert all(a[-1] & 0x80 == b[-1] & 0x80 for a, b in pairs)


@given(st.sets(st.text(max_size=8).map(lambda one: one.encode("utf-8", "replace"))))
@settings(max_examples=100)
def test_texts_keep_order_prefixes_and_lengths(values):
    """Other texts are in the same order, of the same lengths, and what was a prefix still is."""
    new = maps.texts(values, Random(3))
    assert [new[one] for one in sorted(values)] == sorted(set(new.values()))
    for a in values:
        assert len(new[a]) == len(a)
        assert len(new[a].decode()) == len(a.decode())
        assert {b for b in values if b.startswith(a)} == {b for b in values if new[b].startswith(new[a])}


@given(st.sets(st.binary(max_size=6)))
@settings(max_examples=100)
def test_bytes_keep_order_and_lengths(values):
    """Other byte strings are in the same order, also where bytes are signed."""
    new = maps.binaries(values, Random(4))
    assert [new[one] for one in sorted(values)] == sorted(set(new.values()))

    def signed(raw):
        return [byte - 256 if byte > 127 else byte for byte in raw]

    assert [new[one] for one in sorted(values, key=signed)] == sorted(new.values(), key=signed)


def test_names_differ_in_case_alone_as_before():
    """Names become others of the same form; those of the specification stay."""
    new = maps.names(["Customer", "customer", "list", "a.b", "ID2"], ["list"], Random(5))
    assert new["Customer"].lower() == new["customer"].lower() != "customer"
    assert new["Customer"] != new["customer"]
    assert new["list"] == "list"
    assert new["a.b"][1] == "."
    assert len(set(new.values())) == len(new)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("layout", LAYOUTS)
@given(
    st.lists(st.integers(2**40, 2**62), min_size=1, max_size=20),
    st.lists(st.text("bcdfghjklmnp", min_size=6, max_size=12), min_size=1, max_size=20),
)
@settings(max_examples=4, deadline=None)
def test_nothing_of_what_was_there_is_left(tmp_path_factory, layout, numbers, texts):
    """The new bytes contain no old number, text, name or metadata value; rules, nulls and order stay."""
    size = min(len(numbers), len(texts))
    numbers, texts = numbers[:size], texts[:size]
    reals = [one * 0.37 for one in numbers]
    data = written(tmp_path_factory.mktemp("a"), layout, numbers, reals, texts)
    new, names = anonymize(data, Random(6), {})
    for gone in [*(one.to_bytes(8, "little") for one in numbers), *(struct.pack("<d", one) for one in reals)]:
        assert gone not in new
    for gone in [
        *(one.encode() for one in texts),
        b"Number",
        b"real",
        b"Customers",
        b"secret",
        b"private value",
    ]:
        assert gone not in new
    assert {one.rule for one in examine(new).violations} == {one.rule for one in examine(data).violations}
    folder = tmp_path_factory.mktemp("b")
    (folder / "old").write_bytes(data)
    (folder / "new").write_bytes(new)
    old, made = (Reference().read(str(folder / name), "parquet", {}) for name in ("old", "new"))
    for at, column in enumerate(old.columns):
        before, after = old.column(at), made.column(at)
        assert made.columns[at].name == names.names[column.name]
        assert [one is None for one in before] == [one is None for one in after]
        if column.type.kind != "list":
            equal = [[a == b for b in before] for a in before]
            assert equal == [[a == b for b in after] for a in after]
    order = sorted(range(size), key=lambda at: int(old.column(0)[at]))
    assert order == sorted(range(size), key=lambda at: int(made.column(0)[at]))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_stays(tmp_path, layout):
    """Pages have the headers they had, but for sizes, checksums and bounds; indices of dictionaries stay."""
    data = written(
        tmp_path,
        layout,
        [2**40 + 7 * one for one in range(20)],
        [1.5] * 20,
        [f"name{one}" for one in range(20)],
    )
    new, _ = anonymize(data, Random(7), {})
    old, made = dissect(data), dissect(new)
    assert made.metadata.created_by == old.metadata.created_by
    for a, b in zip(old.chunks(), made.chunks(), strict=True):
        assert [one.header.type for one in a.pages] == [one.header.type for one in b.pages]
        assert a.chunk.meta_data.encodings == b.chunk.meta_data.encodings
        for one, other in zip(a.pages, b.pages, strict=True):
            assert (
                one.header.uncompressed_page_size == other.header.uncompressed_page_size or layout == "delta"
            )
            if a.pages[0].header.type == PageType.DICTIONARY_PAGE and one.is_data:
                assert one.stored == other.stored


def test_the_same_rules_are_broken():
    """Files that break a rule break the same one, or are refused in a line."""
    files = sorted((CORPORA / "parquet/fault").glob("*/*.parquet"))
    done, refused = 0, []
    for file in Random(8).sample(files, 60):
        data = file.read_bytes()
        try:
            new, _ = anonymize(data, Random(9), {})
        except ReferenceError_ as error:
            refused.append(str(error))
            continue
        before, after = ({one.rule for one in examine(one).violations} for one in (data, new))
        # Padding of delta encodings is not kept; JSON is other JSON no more.
        assert before ^ after <= {"PQ-DBP-010", "PQ-DBP-011", "PQ-VALUE-004"}, file.name
        done += 1
    assert done > 40
    assert not any("\n" in one for one in refused)


def with_unused(file, unused, part="values"):
    """Return a file with more bytes behind a section of each data page of the first column."""
    own = dissect(file)
    chunk, node = own.groups[0].chunks[0], next(iter(nodes(own)))
    codec = chunk.chunk.meta_data.codec

    def longer(page):
        held = sections(page, node, codec)
        return with_sections(page, replace(held, **{part: bytes(getattr(held, part)) + unused}), codec)

    chunk.pages = [longer(page) if page.is_data else page for page in chunk.pages]
    return assemble(own)


@pytest.mark.parametrize(
    ("version", "part", "values"),
    [
        ("1.0", "values", [None] * 5),
        ("2.0", "values", [None] * 5),
        ("2.0", "definition", [None] * 5),
        ("2.0", "definition", [1, None, 2]),
    ],
)
def test_unused_bytes_that_a_page_would_keep_are_refused(tmp_path, version, part, values):
    """What a page keeps as it is must have a meaning, or the copy may have private bytes."""
    column = pa.array(values, pa.int32())
    options = {"compression": "none", "use_dictionary": False, "data_page_version": version}
    pq.write_table(pa.table({"x": column}), tmp_path / "x.parquet", **options)
    data = with_unused((tmp_path / "x.parquet").read_bytes(), b"SECRET-NAME", part)
    assert b"SECRET-NAME" in data
    with pytest.raises(Unsupported, match="11 unused bytes follow"):
        anonymize(data, Random(1), {})


def test_bytes_behind_the_values_do_not_stop_it():
    """A page with unused bytes behind its values, as of fastparquet, is anonymized without them."""
    file = FAULTS["PQ-PAGE-013"].build()
    assert "PQ-PAGE-013" in {violation.rule for violation in examine(file).violations}
    copy, _ = anonymize(file, Random(1), {})
    assert "PQ-PAGE-013" not in {violation.rule for violation in examine(copy).violations}
    unused = b"SECRET-NAME"
    copy, _ = anonymize(with_unused(file, unused), Random(1), {})
    assert unused not in copy
    assert ParquetFile(copy).metadata.num_rows == ParquetFile(file).metadata.num_rows


def test_queries_ask_for_the_same_rows(tmp_path):
    """Constants are mapped with the values: each query answers the rows it answered before."""
    data = written(
        tmp_path,
        "bloom",
        [2**40 + one for one in range(9)],
        [0.1 * one for one in range(9)],
        [f"name{one}" for one in range(9)],
    )
    file = tmp_path / "a.parquet"
    predicates = [
        Compare(("Number",), ">=", integer(64), str(2**40 + 4)),
        Compare(("Number",), "<", integer(64), str(2**41)),
        In(("text",), STRING, ("name3", "nothing")),
        Not(NullSafe(("Number",), integer(64), str(2**40 + 4))),
        Not(StartsWith(("text",), "name")),
        And(
            (
                Compare(("real",), ">", floating(64), struct.pack(">d", 0.35).hex()),
                StartsWith(("text",), "name7"),
            )
        ),
    ]
    table = Reference().read(str(file), "parquet", {})
    queries = [*map(Filter, predicates), Top(("real",), 3), Groups(("text",))]
    queries.append(CountRows(Compare(("Number",), ">", integer(64), str(2**40 + 1))))
    queries.append(SemiJoin(("Number",), integer(64), (str(2**40 + 1), str(2**41), None)))
    queries.append(AntiJoin(("Number",), integer(64), (str(2**40 + 1),), not_in=True))
    queries.append(Slice(1, 2, Compare(("Number",), "<", integer(64), str(2**40 + 4)), ("text",)))
    queries.append(AggregateWhere(("real",), Compare(("Number",), "<", integer(64), str(2**40 + 4))))
    queries.append(TopRows(("real",), 2, True, columns=("text",)))
    where = Compare(("Number",), "<", integer(64), str(2**40 + 4))
    queries.append(TopWhere(("real",), 2, columns=("text",), predicate=where, offset=1))
    queries.append(Fields((("text",), ("real",)), Compare(("Number",), "<", integer(64), str(2**40 + 4))))
    probes = tuple(map(Probe, queries))
    expectation = Expectation.accept(table, "generator")
    case = Case("files/a", "parquet", file, hashlib.sha256(data).hexdigest(), expectation, probes=probes)
    (new,) = anonymized([case], tmp_path / "b.parquet", Random(10))
    assert new.sha256 != case.sha256
    for before, after in zip(case.probes, new.probes, strict=True):
        assert str(before.query) != str(after.query)
        rows = answer(before.query, table, "ieee").num_rows
        assert answer(after.query, new.expectation.table, "ieee").num_rows == rows


@pytest.mark.parametrize(
    ("name", "why"),
    [("orc/bloom/both-streams", "Bloom"), ("parquet/logical/geometry/logical/optional", "GEOMETRY")],
)
def test_what_is_not_anonymized_is_said(tmp_path, name, why):
    """ORC Bloom filters, and types whose bytes have a structure, are refused in one line."""
    case = load(CORPORA / f"{name}.json")
    with pytest.raises(Unsupported, match=why):
        anonymized([case], tmp_path / "x", Random(11))
