"""The corpus of ORC: short schemas, runs told by their headers, what is the same file, what is covered."""

from dataclasses import replace

import pytest

from corpora.build import make
from corpora.build.formats import FORMATS, ORC
from corpora.build.orc import additions, areas, coverage
from corpora.build.orc.additions import delta, direct
from corpora.build.orc.chars import probed
from corpora.build.orc.runs import Run, runs
from corpora.build.orc.schemas import (
    INT,
    STRING,
    column_plan,
    list_of,
    map_of,
    recipe,
    struct_of,
    union_of,
    versions,
)
from corpora.predicates import Compare, StartsWith
from corpora.queries import Filter
from reference_impl.cursor import Cursor
from reference_impl.orc.encodings import rle_v2
from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import Chunks, Column, Dictionary, Statistics
from reference_impl.orc.schema import CompressionKind, EncodingKind, Type, TypeKind
from reference_impl.orc.types import build
from reference_impl.orc.writer import write

PLAN = column_plan(INT, (3, None, 1, 2), row_index_stride=2)


def test_types_are_numbered_in_preorder():
    """Types of nested schemas name their children by id, and can be nested again."""
    types = struct_of(a=INT, b=list_of(map_of(STRING, struct_of(y=INT))), c=union_of(INT, STRING))
    assert [node.path for node in build(types).walk()][3:6] == [
        ("b", "element"),
        ("b", "element", "key"),
        ("b", "element", "value"),
    ]
    assert types[0].subtypes == (1, 2, 7)
    assert types[7].subtypes == (8, 9)


def test_both_versions_in_a_file():
    """Of two columns with the same values one has integers in version 1."""
    file = OrcFile(write(versions(STRING, [b"a", None, b"a"], Column(dictionary=Dictionary()))))
    kinds = [kind for kind, _ in file.stripe(0).encodings]
    assert kinds == [EncodingKind.DIRECT, EncodingKind.DICTIONARY_V2, EncodingKind.DICTIONARY]


def test_a_recipe_becomes_a_case():
    """A case has the rows of its plan, what the file shows, and some of the queries of its column."""
    case = make.make(recipe("a/one", PLAN, "ORCv1.md", probed=("x",))).case
    assert (case.id, case.format, case.file.name) == ("orc/a/one", "orc", "one.orc")
    assert case.expectation.table.column(0) == ["3", None, "1", "2"]
    assert {"orc/stream/present", "orc/run/direct", "orc/type/int"} <= set(case.features)
    every = make.make(recipe("a/one", PLAN, "ORCv1.md", probed=("x",), every=1)).case.probes
    assert case.probes == every[::4]


@pytest.mark.parametrize(
    ("data", "sort", "found"),
    [
        ("6100", "bytes", [Run("byte-run", 100)]),
        ("fe4445", "bytes", [Run("byte-literals", 2)]),
        ("61ff64", "v1", [Run("v1-run", 100)]),
        ("fb020306070b", "v1", [Run("v1-literals", 5)]),
        ("0a2710", "v2", [Run("short-repeat", 5, "2")]),
        ("5e035ca1ab1edeadbeef", "v2", [Run("direct", 4, "16")]),
        ("c609020222424246", "v2", [Run("delta", 10, "4")]),
        (
            "8e132b2107d01e00147028323c46505a646e78828c96a0aab4befce80a2710",
            "v2",
            [Run("patched-base", 20, "8/base-2/patch-12/gap-2/list-1"), Run("short-repeat", 5, "2")],
        ),
        ("5e03 5ca1", "v2", [Run("direct", 4, "16")]),
        ("0a2710 5e", "v2", [Run("short-repeat", 5, "2")]),
    ],
)
def test_runs_are_told_by_their_headers(data, sort, found):
    """The examples of the text are told by their headers; what is cut short ends the list."""
    assert list(runs(bytes.fromhex(data), sort)) == found


@pytest.mark.parametrize("width", [1, 2, 3, 7, 24, 26, 40, 64])
def test_runs_made_by_hand(width):
    """Direct and delta runs of every width are what the reader takes them for."""
    half = 1 << width - 1
    values = [0, -half, half - 1, -1, 0]
    assert rle_v2.decode(Cursor(direct(values, width)), 5, signed=True).tolist() == values
    steps = [5, 6, 6 + min((1 << width) - 1, 1 << 40), 6 + min((1 << width) - 1, 1 << 40)]
    if width > 1:
        assert rle_v2.decode(Cursor(delta(steps, width)), 4, signed=True).tolist() == steps
        falling = [-step for step in steps]
        assert rle_v2.decode(Cursor(delta(falling, width)), 4, signed=True).tolist() == falling


def test_other_compression_is_the_same_file():
    """Two ways to compress the same chunk are the same; another value, layout or file is not."""
    plan = replace(column_plan(STRING, [b"abc" * 9] * 30), compression=CompressionKind.ZLIB)

    def of(level, **more):
        return write(replace(plan, chunks=Chunks(level=level), **more))

    assert of(1) != of(9) or of(0) != of(9)
    assert ORC.same(of(1), of(9))
    assert not ORC.same(of(1), of(9, rows=plan.rows[:-1]))
    assert not ORC.same(of(1), of(9, software_version="another"))
    assert not ORC.same(of(1), write(replace(plan, chunks=Chunks((50,)))))
    assert not ORC.same(of(1), of(9)[:-1])


def test_what_a_file_reaches():
    """Items come from the file: its streams, runs, statistics, messages."""
    found = set(coverage.reached(OrcFile(write(PLAN))))
    assert {
        "encoding/DIRECT_V2/INT/nullable",
        "run/direct/signed/width-4",
        "statistics/INT/row-group/typed",
        "root/STRUCT",
        "field/PostScript.compression/NONE",
        "field/StripeFooter.encryption/absent",
    } <= found
    bare = Column(statistics=Statistics(typed=False))
    assert "statistics/INT/stripe/bare" in set(coverage.reached(OrcFile(write(column_plan(INT, (1,), bare)))))
    nested = write(column_plan(list_of(list_of(INT)), [[[1]]]))
    assert "encoding/DIRECT_V2/INT/deep" in set(coverage.reached(OrcFile(nested)))


def test_what_is_required():
    """What there is to reach comes from the reader's tables: encodings, runs, fields, rules."""
    needed = coverage.required(["ORC-RLE2-003"])
    assert "rule/ORC-RLE2-003" in needed
    assert "encoding/DICTIONARY_V2/CHAR/map" in needed
    assert "encoding/DICTIONARY_V2/INT/map" not in needed
    assert "run/delta/unsigned/width-26" in needed
    assert "run/delta/signed/width-1" not in needed
    assert "field/Stream.kind/BLOOM_FILTER" in needed


def test_fields_that_are_left_out():
    """A tamper leaves out what stands for an absent field, and nothing else."""
    without = additions.Without({"Stream": ("column", "length"), "PostScript": ("version",)})
    file = OrcFile(write(column_plan(INT, (None, None)), without))
    told = [(stream.column, stream.length) for stream in file.stripe(0).footer.streams]
    assert told[0][0] is None
    assert told[-1] == (1, None)
    assert file.postscript.version == ()


def test_ids_are_used_once():
    """No two recipes have one id, and none is below another: its file would be a folder."""
    ids = [one_.id for one_ in areas.recipes()]
    assert len(set(ids)) == len(ids)
    files = {f"{one_}.orc" for one_ in ids}
    assert not files & {
        "/".join(one_.split("/")[:depth]) for one_ in files for depth in range(1, one_.count("/") + 1)
    }
    assert FORMATS["orc"] is ORC


def test_queries_of_char_have_whole_constants():
    """A CHAR is compared with no constant that is shorter, so that its rows do not depend on blanks."""
    type_ = (Type(kind=TypeKind.CHAR, maximum_length=3),)
    plan = column_plan(type_, (b"a  ", b"abc", None, b"b  "))
    queries = probed(recipe("a/char", plan, "ORCv1.md", every=1)).queries
    constants = [test.value for test in map(of_test, queries) if isinstance(test, Compare)]
    assert {"a  ", "abc", "b  ", "b  !"} <= set(constants)
    assert min(map(len, constants)) == 3
    assert any(isinstance(test, StartsWith) for test in map(of_test, queries))
    assert probed(recipe("a/int", PLAN, "ORCv1.md")).probed == ("x",)


def of_test(query):
    """Return the predicate of a filter, None of another query."""
    return query.predicate if isinstance(query, Filter) else None
