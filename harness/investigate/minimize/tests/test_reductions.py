"""A reduction changes in a file what its name says, and nothing else."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corpora
from corpora.cases import load
from harness.investigate.minimize import orc, orc_rows, parquet, plans, raw, rows, values
from harness.investigate.minimize.reductions import of
from harness.investigate.minimize.tests.files import columns, orc_file, rules
from harness.investigate.minimize.tests.files import parquet as parquet_file
from reference_impl.columns import to_python
from reference_impl.errors import ReferenceError_
from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import FilePlan as OrcPlan
from reference_impl.orc.schema import Type, TypeKind
from reference_impl.orc.writer import write as write_orc
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.schema import CompressionCodec, Encoding

PARQUET = parquet_file()
ORC = orc_file()
SAME = [
    ("parquet", parquet.stretches),
    ("parquet", parquet.offset_indexes),
    ("parquet", parquet.column_indexes),
    ("parquet", parquet.bloom_filters),
    ("parquet", parquet.codecs),
    ("parquet", parquet.statistics),
    ("parquet", values.encodings),
    ("parquet", values.entries),
    ("orc", orc.codecs),
    ("orc", orc_rows.rewritten),
    *(("orc", reduction.sites) for reduction in orc.INDEXES),
]


def test_the_files_are_legal():
    """The files of these tests break no rule, so that what is broken later was broken by a reduction."""
    assert not rules(PARQUET)
    assert not rules(ORC)


@pytest.mark.sweep(6)
@pytest.mark.parametrize(("form", "sites"), SAME)
def test_what_only_describes_can_go(form, sites):
    """Removing indexes, statistics, codecs or encodings does not change the values of a file."""
    data = PARQUET if form == "parquet" else ORC
    found = sites(data)
    if not found.count:
        assert form == "orc"  # there are no unknown fields in this one
        return
    for start, stop in ((0, found.count), (found.count - 1, found.count)):
        made = found.reduced(start, stop)
        assert columns(made) == columns(data)
        assert rules(made) <= {"ORC-INDEX-001"}
        assert start or sites(made).count == 0 or sites is orc_rows.rewritten


def without(data, start, stop):
    """What is left without some rows."""
    return {name: values[:start] + values[stop:] for name, values in columns(data).items()}


@settings(max_examples=12, deadline=None)
@given(st.tuples(st.integers(0, 100), st.integers(0, 100)).map(sorted))
def test_rows_of_parquet(cut):
    """Rows that are left out are gone from every column, and statistics and indexes still tell the truth."""
    made = rows.rows(PARQUET).reduced(*cut)
    assert columns(made) == without(PARQUET, *cut)
    assert not rules(made)


@pytest.mark.heavy
@settings(max_examples=6, deadline=None)
@given(st.tuples(st.integers(0, 36), st.integers(0, 36)).map(sorted))
def test_rows_of_orc(cut):
    """Rows that are left out are gone from every column, and statistics and indexes still tell the truth."""
    made = orc_rows.rows(ORC).reduced(*cut)
    assert columns(made) == without(ORC, *cut)
    assert not rules(made)


def test_zones_of_stripes_remain():
    """Stripes keep their time zones when others go, and when the file is written again."""
    zones = ("UTC", "Asia/Kolkata", "America/New_York")
    moments = ((1, 0), (2, 0), (3, 0))
    plan = OrcPlan((Type(kind=TypeKind.TIMESTAMP),), moments, (1, 1, 1), stripe_timezones=zones)
    data = write_orc(plan)
    (known,) = [step for step in plans.Plans("orc", [(data, plan)]).reductions() if "rows" in step.name]
    for fewer in (orc_rows.rows(data).reduced(0, 1), known.sites(data).reduced(0, 1)):
        file = OrcFile(fewer)
        assert [file.stripe(at).footer.writer_timezone for at in range(2)] == list(zones[1:])
        assert to_python(file.read().columns[0]) == [(2, 0), (3, 0)]


@pytest.mark.parametrize(("data", "sites"), [(PARQUET, parquet.columns), (ORC, orc.columns)])
def test_columns(data, sites):
    """A column that is left out takes no other with it."""
    before = columns(data)
    made = columns(sites(data).reduced(0, 1))
    assert made == {name: values for name, values in before.items() if name != next(iter(before))}


@pytest.mark.parametrize(("data", "sites"), [(PARQUET, parquet.row_groups), (ORC, orc.stripes)])
def test_groups(data, sites):
    """A row group or stripe that is left out takes its rows, and counts follow."""
    found = sites(data)
    made = found.reduced(0, 1)
    before, after = columns(data), columns(made)
    assert all(
        before[name][-len(values) :] == values and len(values) < len(before[name])
        for name, values in after.items()
    )
    assert not rules(made)


def test_kinds_of_encodings():
    """Afterwards, all pages are in PLAIN, and not compressed."""
    made = values.encodings(PARQUET)
    plain = made.reduced(0, made.count)
    stored = parquet.codecs(plain)
    file = ParquetFile(stored.reduced(0, stored.count))
    for group in range(2):
        for leaf in file.leaves:
            assert file.column_metadata(group, leaf.index).codec == CompressionCodec.UNCOMPRESSED
            for page in file.pages(group, leaf.index):
                header = page.header.data_page_header or page.header.data_page_header_v2
                assert header is None or header.encoding == Encoding.PLAIN


@pytest.mark.parametrize("sites", [reduction.sites for reduction in values.VALUES])
def test_values_of_parquet(sites):
    """Values are replaced by simpler values, never by null."""
    found = sites(PARQUET)
    before, after = columns(PARQUET), columns(found.reduced(0, found.count))
    changed = [
        (old, new)
        for name in before
        for old, new in zip(before[name], after[name], strict=True)
        if old != new
    ]
    assert changed
    assert not any("None" in pair and pair[0] != pair[1] for pair in changed)
    every = sites(found.reduced(0, found.count)).count
    assert every < found.count or sites in (values.halves, values.half_entries)


def test_values_of_orc():
    """One value can be simplified alone; if all are simplified, no candidate is left."""
    sites = orc_rows.zeros
    found = sites(ORC)
    before, after = columns(ORC), columns(found.reduced(4, 5))
    assert sum(old != new for name in before for old, new in zip(before[name], after[name], strict=True)) == 1
    assert sites(found.reduced(0, found.count)).count == 0


def test_encrypted_orc():
    """With keys, encrypted columns are encrypted again or written in plain; without, as masked values."""
    case = load(Path(corpora.__file__).parent / "orc/encryption/mask/sha256/string/with-keys.json")
    data, keys = case.file.read_bytes(), case.keys.orc
    whole, masked = columns(data, keys), columns(data)
    assert whole != masked
    encryption, fewer, zeros, _, anew = orc_rows.reductions(keys)
    sealed = anew.sites(data).reduced(0, 1)
    assert (columns(sealed, keys), columns(sealed)) == (whole, masked)
    plain = encryption.sites(data).reduced(0, 1)
    assert columns(plain) == whole
    assert not encryption.sites(plain).count
    left = fewer.sites(data).reduced(0, 3)
    assert columns(left, keys) == {name: every[3:] for name, every in whole.items()}
    assert columns(left) == {name: every[3:] for name, every in masked.items()}
    assert columns(zeros.sites(data).reduced(0, 1 << 20), keys) != whole
    assert not rules(sealed) | rules(plain) | rules(left)
    closed, *_ = orc_rows.reductions()
    assert columns(closed.sites(data).reduced(0, 1)) == masked


@pytest.mark.parametrize(("form", "data"), [("parquet", PARQUET), ("orc", ORC)])
def test_names(form, data):
    """Names become short, but for those that are kept, and values stay."""
    kept = next(iter(columns(data)))
    reduction = next(one for one in of(form, frozenset({kept})) if one.name == "names")
    found = reduction.sites(data)
    made = found.reduced(0, found.count)
    assert kept in columns(made)
    assert all(len(name) == 1 for name in columns(made) if name != kept)
    assert [len(values) for values in columns(made).values()] == [
        len(values) for values in columns(data).values()
    ]
    assert reduction.sites(made).count == 0


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("form", "data"), [("parquet", PARQUET), ("orc", ORC)])
def test_fields(form, data):
    """A field that is left out is gone: the file has fewer of them, or cannot be read without it."""
    for name in ("kinds of fields", "fields"):
        reduction = next(one for one in of(form, frozenset()) if one.name == name)
        found = reduction.sites(data)
        assert found.count
        smaller = 0
        for at in range(min(found.count, 30)):
            try:
                smaller += len(found.reduced(at, at + 1)) < len(data)
            except ReferenceError_:
                continue
        assert smaller


@pytest.mark.parametrize("sites", [raw.sealed_parquet, raw.whole])
def test_bytes_of_parquet(sites):
    """As many bytes as asked are removed; with seals repaired, the footer can still be read."""
    found = sites(PARQUET)
    made = found.reduced(10, 14)
    if sites is raw.whole:
        assert len(made) == len(PARQUET) - 4
    else:
        assert ParquetFile(made).metadata.num_rows == 100


def test_bytes_of_orc():
    """With seals repaired, a stream gets shorter, and the tail can still be read."""
    found = raw.sealed_orc(ORC)
    again = raw.sealed_orc(found.reduced(3, 7))
    assert again.count == found.count - 4
    assert OrcFile(found.reduced(3, 7)).footer.number_of_rows == 36


def test_a_lie_stays_a_lie():
    """A reduction does not repair a wrong count that it has nothing to do with."""
    parts = parquet.anatomy.dissect(PARQUET)
    lying = parquet.anatomy.assemble(parts, parquet.anatomy.Seal.CHUNK_VALUES, by=5)
    broken = rules(lying)
    assert broken
    found = parquet.bloom_filters(lying)
    assert rules(found.reduced(0, found.count)) == broken
