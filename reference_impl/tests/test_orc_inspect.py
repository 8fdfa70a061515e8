"""Inspection of ORC shows every part of a file where it is, and what can be shown of one that is broken."""

from __future__ import annotations

import json
import random
from itertools import pairwise

import pytest

from reference_impl.errors import UsageError
from reference_impl.limits import Limits
from reference_impl.orc.inspect import Selection, inspect
from reference_impl.orc.plan import Bloom, Column, Dictionary
from reference_impl.orc.schema import CompressionKind, StreamKind, StripeFooter
from reference_impl.orc.tamper import Place
from reference_impl.orc.writer import write
from reference_impl.tests.orc_plans import plan, with_columns
from reference_impl.tests.test_orc_validate import tamper
from reference_impl.wire import protobuf

NAMES = ("string", "timestamp", "boolean", "list", "date")
LAYOUTS = (Column(), Column(dictionary=Dictionary(), bloom=Bloom(words=2)), Column())
MADE = with_columns(
    plan(40, NAMES, row_index_stride=15, stripes=(10, 30), metadata=(("a", b"\xff"),)), *LAYOUTS
)
DATA = write(MADE)


def test_ranges_are_where_the_parts_are():
    """Stripes follow the header, streams fill their areas, and a footer stands where it is said to be."""
    told = inspect(DATA)
    assert told["errors"] == []
    assert told["postscript"]["range"][1] == len(DATA) - 1
    assert told["metadata"]["range"][1] == told["footer"]["range"][0]
    assert told["footer"]["range"][1] == told["postscript"]["range"][0]
    assert told["stripes"][0]["range"][0] == 3
    for stripe in told["stripes"]:
        ranges = [one["range"] for one in stripe["streams"]]
        assert ranges[0][0] == stripe["index_range"][0]
        assert ranges[-1][1] == stripe["footer_range"][0]
        assert all(one[1] == other[0] for one, other in pairwise(ranges))
        start, stop = stripe["footer_range"]
        assert len(protobuf.decode(StripeFooter, DATA[start:stop]).streams) == len(ranges)
    for field in told["footer"]["fields"].values():
        assert told["footer"]["range"][0] <= field["range"][0] < field["range"][1]


def test_columns_are_told_with_all_that_belongs_to_them():
    """Types, encodings, positions by stream, statistics with dates, Bloom filters."""
    told = inspect(DATA)
    assert [one["kind"] for one in told["types"]][:3] == ["STRUCT", "STRING", "TIMESTAMP"]
    assert told["footer"]["fields"]["metadata"]["value"] == [{"name": "a", "value": "ff"}]
    _, text, moment, truth, *_ = told["stripes"][1]["columns"]
    assert (text["path"], text["encoding"]["kind"]) == (["string"], "DICTIONARY_V2")
    entry = text["row_index"][1]
    assert {name: len(numbers) for name, numbers in entry["positions"].items()} == {"PRESENT": 3, "DATA": 2}
    assert [one["bits"] for one in text["bloom_filter_utf8"]] == [128, 128]
    assert text["bloom_filter_utf8"][0]["set"] > 0
    assert "(1969-11-14T" in moment["statistics"]["timestamp_statistics"]["minimum_utc"]
    assert {name: len(one) for name, one in moment["row_index"][0]["positions"].items()} == {
        "PRESENT": 3,
        "DATA": 2,
        "SECONDARY": 2,
    }
    assert len(truth["row_index"][0]["positions"]["DATA"]) == 3
    assert told["statistics"][5]["column"] == 5


def test_chunks_of_compressed_streams():
    """What a compressed stream expands to, and its chunks, are told; fields of the footer have no ranges."""
    told = inspect(write(plan(40, NAMES, compression=CompressionKind.ZLIB, block_size=10)))
    streams = [one for column in told["stripes"][0]["columns"] for one in column["streams"]]
    assert any(len(one["chunks"]) > 1 for one in streams)
    for one in streams:
        assert sum(3 + chunk["length"] for chunk in one["chunks"]) == one["range"][1] - one["range"][0]
    assert {field["range"] for field in told["footer"]["fields"].values()} == {None}


def test_a_selection():
    """One stripe and one column, without row groups; what is not there is refused."""
    told = inspect(DATA, Selection(1, "list.element", row_groups=False))
    (stripe,) = told["stripes"]
    (column,) = stripe["columns"]
    assert (stripe["stripe"], column["path"]) == (1, ["list", "element"])
    assert "row_index" not in column
    for wrong in (Selection(stripe=2), Selection(column="none")):
        with pytest.raises(UsageError):
            inspect(DATA, wrong)


def test_what_cannot_be_read_is_told_and_the_rest_shown():
    """A stream that is damaged is an error with its place; the other columns are there."""
    made = plan(20, NAMES, compression=CompressionKind.ZLIB)
    data = write(
        made, tamper(stored=lambda place, data: b"\x01" if place == Place(0, 1, StreamKind.DATA) else data)
    )
    told = inspect(data)
    assert len(told["stripes"][0]["columns"]) == len(made.types)
    (error,) = told["errors"]
    assert (error["rule"], error["path"]) == ("ORC-COMP-001", "stripes[0].column 1.DATA")
    assert inspect(b"ORC")["errors"][0]["rule"] == "ORC-FILE-002"
    few = inspect(DATA, limits=Limits(footer_bytes=3))
    assert few["errors"][0]["kind"] == "limit"


def test_damage_raises_nothing():
    """Whatever is flipped or cut, there is a description that JSON can hold."""
    chance = random.Random(7)
    for _ in range(150):
        damaged = bytearray(DATA)
        damaged[chance.randrange(len(DATA))] ^= 1 << chance.randrange(8)
        json.dumps(inspect(bytes(damaged)))
        json.dumps(inspect(DATA[: chance.randrange(len(DATA))]))
