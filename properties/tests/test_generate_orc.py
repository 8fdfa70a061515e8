"""Generated ORC files: all choices occur, files are small, a number has the same sheet each time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import fields, is_dataclass
from hashlib import sha256

import pytest

from properties import generate
from properties.strategies.orc.writers import WRITERS
from reference_impl.orc import plan as plans
from reference_impl.orc.encodings.runs import RunKind
from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import CompressionKind, EncodingKind, StreamKind, TypeKind
from reference_impl.wire import protobuf

FIRST, SAMPLE = 56, 48
# Streams that hold nothing are always there, as the text wants it; bounds and statistics of places are
# those of the values; keys, which engines would have to be told, the corpus has.
NOT_CHOSEN = {
    ("Column", "empty_streams"),
    ("FilePlan", "encryption"),
    ("Statistics", "geospatial"),
    ("Statistics", "widen"),
}


@pytest.fixture(scope="module")
def sample(fewer):
    """Return sheets of a seed, so many that each choice occurs."""
    return list(generate.generate(1, FIRST, FIRST + fewer(SAMPLE, 8), "orc"))


@pytest.fixture(scope="module")
def files(sample):
    """Return all files of the sample."""
    return [file for sheet in sample for file in sheet.files]


@pytest.fixture(scope="module")
def chosen(sample, files):
    """Return the plans of the sample, and of as many further sheets, which are drawn and not written."""
    behind = range(FIRST + len(sample), FIRST + 2 * len(sample))
    return [file.plan for file in files] + [
        plan for sheet in generate.drawn(1, behind, "orc") for plan in sheet.plans
    ]


@pytest.mark.heavy
def test_a_sheet_depends_on_seed_and_number_alone(sample):
    """A sheet does not depend on the sheets drawn with it, and differs under another seed."""
    (again,) = generate.generate(1, FIRST + 15, FIRST + 16, "orc")
    assert [file.data for file in again.files] == [file.data for file in sample[15].files]
    assert again.queries == sample[15].queries
    (other,) = generate.generate(2, FIRST + 15, FIRST + 16, "orc")
    assert [file.data for file in other.files] != [file.data for file in again.files]


@pytest.mark.heavy
def test_a_sheet_is_the_same_in_another_process(sample):
    """A process with other modules and another hash seed generates the same bytes."""
    code = (
        "import hashlib, json\n"
        "from properties import generate\n"
        f"made = generate.generate(1, {FIRST + 3}, {FIRST + 4}, 'orc')\n"
        "print(json.dumps([hashlib.sha256(f.data).hexdigest() for s in made for f in s.files]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert json.loads(done.stdout) == [sha256(file.data).hexdigest() for s in sample[3:4] for file in s.files]


def test_files_of_a_sheet_share_their_types(sample):
    """The files of a generated sheet make one sheet of a run."""
    for sheet in sample:
        types = [OrcFile(file.data).footer.types for file in sheet.files]
        assert len({b"".join(map(protobuf.encode, one)) for one in types}) == 1


def test_files_are_small(sample):
    """Most files have few rows and few bytes; those of every DEPTH-th sheet have thousands of rows."""
    usual, deep = (
        [file for sheet in sample if is_deep(sheet) == wanted for file in sheet.files]
        for wanted in (False, True)
    )
    rows = sorted(len(file.plan.rows) for file in usual)
    assert rows[len(rows) // 2] <= 129
    assert max(rows) <= 2100
    assert sum(len(file.data) for file in usual) / len(usual) < 60_000
    assert all(len(file.plan.rows) >= 2_000 for file in deep)  # `test_depth.py` has some in any case


def is_deep(sheet):
    """Return whether a sheet is one of those with thousands of rows (`strategies/orc/depth.py`)."""
    return sheet.number % generate.DEPTH == generate.FIRST_DEEP["orc"]


def choices_of(value, found):
    """Collect the values of every field of a plan and of its parts."""
    if isinstance(value, tuple):
        for one in value:
            choices_of(one, found)
    if is_dataclass(value) and type(value).__name__ not in {"Type", "StringPair"}:
        for one in fields(value):
            inner = getattr(value, one.name)
            if one.name not in {"types", "rows"}:
                found[type(value).__name__, one.name].add(repr(inner)[:200])
                choices_of(inner, found)


@pytest.mark.heavy
def test_every_field_of_a_plan_is_chosen(chosen):
    """Each physical choice has values other than its default, and each member of an enumeration occurs."""
    found = defaultdict(set)
    for plan in chosen:
        if plan.encryption is None:  # the choices of encrypted files have tests of their own
            choices_of(plan, found)
    assert {name for name, values in found.items() if len(values) < 2} <= NOT_CHOSEN
    made = (plans.FilePlan, plans.Column, plans.Chunks, plans.Statistics, plans.Index, plans.Bloom)
    assert {one.__name__ for one in (*made, plans.Dictionary)} <= {name for name, _ in found}
    assert len(found["Run", "kind"]) == len(RunKind)
    assert len(found["Chunks", "original"]) == len(plans.Original)
    assert len(found["Dictionary", "order"]) == len(plans.DictionaryOrder)
    assert len(found["FilePlan", "order"]) == len(plans.Order)
    assert len(found["FilePlan", "compression"]) >= len(CompressionKind) - 1
    assert len(found["FilePlan", "writer"]) == len({one.writer for one in WRITERS})
    assert {"'Asia/Kolkata'", "'Australia/Lord_Howe'", "None"} <= found["FilePlan", "writer_timezone"]


@pytest.mark.heavy
def test_every_type_encoding_and_stream_is_used(files, chosen):
    """Each type, each encoding, and each kind of stream that needs no key occurs."""
    found = Counter(type_.kind for plan in chosen for type_ in plan.types)
    assert set(TypeKind) - set(found) <= {TypeKind.GEOMETRY, TypeKind.GEOGRAPHY}
    encodings, streams = set(), set()
    for file in files:
        opened = OrcFile(file.data)
        for number in range(len(opened.footer.stripes)):
            stripe = opened.stripe(number)
            encodings |= {kind for kind, _ in stripe.encodings}
            streams |= {place.kind for place in stripe.streams}
    assert encodings == set(EncodingKind)
    wanted = {StreamKind.PRESENT, StreamKind.DATA, StreamKind.LENGTH, StreamKind.DICTIONARY_DATA}
    wanted |= {StreamKind.SECONDARY, StreamKind.ROW_INDEX}
    assert streams == wanted | {StreamKind.BLOOM_FILTER, StreamKind.BLOOM_FILTER_UTF8}


@pytest.mark.heavy
def test_roots_and_names():
    """Roots that are no struct occur, and, rarely, fields that share a name."""
    many = generate.drawn(3, range(200), "orc")
    assert any(sheet.schema[0].kind is not TypeKind.STRUCT for sheet in many)
    names = [sheet.schema[0].field_names for sheet in many]
    assert any(len(set(one)) < len(one) for one in names)
    assert any("a.b" in one for one in names)


def test_groups_are_stripes(files):
    """The groups of a file are the stripes of its footer."""
    for file in files:
        stripes = OrcFile(file.data).footer.stripes
        assert [len(group) for group in file.groups] == [one.number_of_rows or 0 for one in stripes]
