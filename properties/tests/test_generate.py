from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import Phase, find, settings

from corpora.build import expected
from corpora.build.formats import PARQUET
from corpora.build.silences import FAR_MOMENTS
from corpora.tagged import Table, timestamp
from properties import generate
from properties.strategies import sheets as sheets_module
from reference_impl.parquet.plan import FilePlan, Runs
from reference_impl.parquet.schema import CompressionCodec, Encoding, Type
from reference_impl.parquet.summary import schema_key, summarize
from reference_impl.parquet.tree import build
from reference_impl.plans import show

FIRST, SAMPLE = 16, 120
FURTHER = range(64, 144)


@pytest.fixture(scope="module")
def sample(fewer):
    """Return sheets of a seed, so many that each choice occurs."""
    return list(generate.generate(1, FIRST, FIRST + fewer(SAMPLE, 30)))


@pytest.fixture(scope="module")
def files(sample):
    """Return all files of the sample."""
    return [file for sheet in sample for file in sheet.files]


@pytest.mark.heavy
def test_a_sheet_depends_on_seed_and_number_alone(sample):
    """A sheet does not depend on the sheets drawn with it, and differs under another seed."""
    (again,) = generate.generate(1, FIRST + 21, FIRST + 22)
    assert again.number == FIRST + 21
    assert [file.data for file in again.files] == [file.data for file in sample[21].files]
    assert again.queries == sample[21].queries
    (other,) = generate.generate(2, FIRST + 21, FIRST + 22)
    assert [file.data for file in other.files] != [file.data for file in again.files]


@pytest.mark.heavy
def test_a_sheet_is_the_same_in_another_process(sample):
    """A process with other modules and another hash seed generates the same bytes."""
    code = (
        "import hashlib, json\n"
        "from properties import generate\n"
        f"made = generate.generate(1, {FIRST + 3}, {FIRST + 5})\n"
        "print(json.dumps([hashlib.sha256(f.data).hexdigest() for s in made for f in s.files]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    import hashlib

    wanted = [hashlib.sha256(file.data).hexdigest() for sheet in sample[3:5] for file in sheet.files]
    assert json.loads(done.stdout) == wanted


def test_files_of_a_sheet_share_their_schema(sample):
    """The files of a generated sheet make one sheet of a run."""
    for sheet in sample:
        assert len({schema_key(PARQUET.file(file.data, file.keys)) for file in sheet.files}) == 1


@pytest.mark.heavy
def test_files_are_small(sample):
    """Most files have few rows and few bytes; those of every 32nd sheet have thousands of rows."""
    usual = [
        file
        for sheet in sample
        if sheet.number % generate.DEPTH != generate.FIRST_DEEP["parquet"]
        for file in sheet.files
    ]
    deep = [
        file
        for sheet in sample
        if sheet.number % generate.DEPTH == generate.FIRST_DEEP["parquet"]
        for file in sheet.files
    ]
    rows = sorted(len(file.plan.rows) for file in usual)
    assert rows[len(rows) // 2] <= 129
    assert max(rows) <= 2100
    assert sum(len(file.data) for file in usual) / len(usual) < 30_000
    assert deep
    assert min(len(file.plan.rows) for file in deep) >= 3_000


def test_plans_print_as_text(files):
    """The text of a plan names its choices."""
    assert all(file.text.startswith("FilePlan(schema=(") for file in files)


@pytest.mark.heavy
def test_every_codec_and_encoding_is_used(files):
    """Each codec and each encoding of pages occurs, rare encodings in sheets that are only drawn."""
    found = Counter()
    for file in files:
        groups = summarize(PARQUET.file(file.data, file.keys))
        found.update(groups["codecs"] + groups["encodings"] + groups["page_types"] + groups["flags"])
    wanted = {codec.name for codec in CompressionCodec} - {"LZO"}
    wanted |= {"DATA_PAGE", "DATA_PAGE_V2", "DICTIONARY_PAGE", "column_index", "offset_index", "bloom_filter"}
    wanted |= {"statistics", "deprecated_statistics", "nan_count", "crc", "size_statistics", "column_orders"}
    assert wanted <= set(found)
    plans = [*(file.plan for file in files), *further()]
    drawn = {page.encoding for plan in plans for column in plan.columns for page in column.pages}
    assert set(Encoding) - {Encoding.BIT_PACKED, Encoding.PLAIN_DICTIONARY} <= drawn


# Layouts of a rare encoding, keys, statistics of places, which few columns hold, and names of other files:
# the corpus has their cases, and corpora/dodges.toml lists them.
NOT_CHOSEN = {"alp", "bare_empty", "encryption", "geospatial_statistics", "file_path"}


@cache
def further():
    """Return plans with choices that are rare; they are drawn, and not written."""
    return [plan for sheet in generate.drawn(1, FURTHER) for plan in sheet.plans]


def choices_of(value, found):
    """Collect the values of every field of a plan and of its parts."""
    if isinstance(value, tuple):
        for one in value:
            choices_of(one, found)
    if type(value).__module__ == FilePlan.__module__ and is_dataclass(value):
        for one in fields(value):
            inner = getattr(value, one.name)
            if one.name not in {"schema", "rows", *NOT_CHOSEN}:
                found[type(value).__name__, one.name].add(repr(inner)[:60])
                choices_of(inner, found)


@pytest.mark.heavy
def test_every_field_of_a_plan_is_chosen(files):
    """Each physical choice has values other than its default, and each member of an enumeration occurs."""
    found = defaultdict(set)
    for plan in [*(file.plan for file in files), *further()]:
        choices_of(plan, found)
    assert [name for name, values in found.items() if len(values) < 2] == []
    for name in (("Page", "levels"), ("Page", "indices"), ("Statistics", "exact")):
        assert len(found[name]) == (3 if name[1] == "exact" else len(Runs))
    plans = ("FilePlan", "Column", "Page", "Statistics", "Dictionary", "Index", "Bloom", "Delta")
    assert set(plans) <= {name for name, _ in found}


def test_files_with_statistics_of_every_column_occur(files):
    """A reader that uses bounds only if all columns have them is asked of some; other files lack some."""
    bounded = [all(column.statistics for column in file.plan.columns) for file in files]
    several = [
        file for file, every in zip(files, bounded, strict=True) if every and len(file.plan.columns) > 4
    ]
    assert len(several) > len(files) / 8
    assert bounded.count(False) > len(files) / 4


def forms_of(plan):
    """Return which forms of other writers a plan has, that no field of it names."""
    names = [element.name for element in plan.schema]
    if len(names) > 16:
        yield "many columns"
    ids = [element.field_id for element in plan.schema[1:]]
    if None in ids and set(ids) != {None}:
        yield "ids of some fields"
    if plan.column_orders and len({repr(order) for order in plan.column_orders}) > 2:
        yield "orders that differ"
    if not plan.rows and plan.row_groups:
        yield "row groups without rows"
    for at, element in enumerate(plan.schema):
        if element.logicalType is not None and element.logicalType.VARIANT is not None:
            yield "variant" if names[at + 1] == "metadata" else "variant whose metadata are not first"
    for column in plan.columns:
        uses = [page.encoding == Encoding.RLE_DICTIONARY for page in column.pages]
        if column.dictionary is not None and not any(uses):
            yield "dictionary that no page uses"
        if (False, True) in pairwise(uses):
            yield "dictionary behind another encoding"


@pytest.mark.heavy
def test_forms_of_other_writers_occur():
    """Each form that is more than a field of a plan is drawn, among some hundred sheets."""
    found = Counter(form for plan in further() for form in forms_of(plan))
    wanted = {
        "many columns",
        "ids of some fields",
        "orders that differ",
        "row groups without rows",
        "variant",
    }
    wanted |= {"variant whose metadata are not first", "dictionary that no page uses"}
    assert wanted | {"dictionary behind another encoding"} <= set(found), found


def leaf_types(plans):
    """Return the names of physical and logical types, with the number of files that have them."""
    found = Counter()
    for plan in plans:
        for leaf in build(list(plan.schema)).leaves():
            found[leaf.physical.type.name] += 1
            found[leaf.logical.name if leaf.logical else "none"] += 1
    return found


@pytest.mark.heavy
def test_every_type_is_used(files):
    """Each physical type and each logical type of columns occurs."""
    wanted = {"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}
    wanted |= {"STRING", "ENUM", "DECIMAL", "DATE", "TIME", "TIMESTAMP", "INTEGER", "JSON", "BSON"}
    wanted |= {"UUID", "FLOAT16", "INTERVAL", "UNKNOWN"}
    assert wanted <= set(leaf_types([*(file.plan for file in files), *further()]))


EDGES = {"nan", "negative zero", "unsigned", "empty and null lists", "truncated"}


@pytest.mark.heavy
def test_edges_occur(files):
    """NaN, -0.0, unsigned values beyond the signed maximum, and empty lists beside null ones all occur."""
    found = Counter()
    few = (generate.drawn(1, FURTHER[at : at + 8]) for at in range(0, len(FURTHER), 8))
    rare = (plan for sheet in itertools.chain.from_iterable(few) for plan in sheet.plans[::3])
    for table in itertools.chain((file.table for file in files), map(expected.table, rare)):
        if len(+found) == len(EDGES):
            break
        for at, column in enumerate(table.columns):
            values = table.column(at)
            if column.type.kind == "float":
                sizes = {16: ("7e00", "8000"), 32: ("7fc00000", "80000000")}
                nan, zero = sizes.get(column.type.bits, ("7ff8" + "0" * 12, "8" + "0" * 15))
                found["nan"] += nan in values
                found["negative zero"] += zero in values
            if column.type.kind == "int" and column.type.signed is False:
                half = 1 << (column.type.bits - 1)
                found["unsigned"] += any(int(value) >= half for value in values if value is not None)
            if column.type.kind == "list":
                found["empty and null lists"] += [] in values and None in values
            if column.type.kind in ("string", "bytes"):
                found["truncated"] += any(len(value or "") > 64 for value in values)
    assert set(+found) == EDGES


@pytest.mark.heavy
def test_pages_occur_that_hold_one_row_or_only_nulls(files):
    """Chunks of many pages, pages of one row, and pages of nulls alone occur."""
    found = Counter()
    for file in files:
        parsed = PARQUET.file(file.data, file.keys)
        for group, row_group in enumerate(parsed.metadata.row_groups):
            for column in range(len(row_group.columns)):
                headers = [page.header for page in parsed.pages(group, column)]
                data = [head.data_page_header_v2 or head.data_page_header for head in headers]
                counts = [(head.num_values, getattr(head, "num_nulls", None)) for head in data if head]
                found["many"] += len(counts) > 3
                found["single"] += len(counts) > 1 and (1, 0) in counts
                found["null"] += len(counts) > 1 and any(count and count == nulls for count, nulls in counts)
    assert all(found[name] for name in ("many", "single", "null"))


def has_nan(sheet):
    """Return whether any column of a sheet holds a NaN, which stands in plans as bytes."""
    names = {element.name for element in sheet.schema if element.type in (Type.FLOAT, Type.DOUBLE)}
    return any(
        isinstance(row.get(name), bytes) for plan in sheet.plans for row in plan.rows for name in names
    )


@pytest.mark.heavy
def test_files_of_far_moments_may_be_refused(sample):
    """A reader may refuse a file of milliseconds beyond 64-bit microseconds, and no other legal file."""

    def silence(moment):
        table = Table.of([("a", timestamp("ms", utc=False))], [[moment]])
        return generate.GeneratedFile(FilePlan(()), b"", table, []).silence

    assert silence("9223372036854776") == silence("-9223372036854776") == FAR_MOMENTS
    assert not silence("9223372036854775")
    assert {file.silence for file in sample[0].files} == {""}


@pytest.mark.heavy
def test_a_finding_shrinks_to_a_file_that_a_person_can_read():
    """A failure that any NaN causes shrinks to one file with one column and one or two rows."""
    config = settings(
        max_examples=2000,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        derandomize=True,
    )
    sheet = find(sheets_module.sheets(min_files=1, max_files=2), has_nan, settings=config)
    assert len(sheet.plans) == 1
    (plan,) = sheet.plans
    assert len(plan.schema) <= 3
    assert len(plan.rows) <= 2
    assert plan.columns == ()
    assert len(show(plan)) < 500
