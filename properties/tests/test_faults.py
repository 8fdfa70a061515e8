from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import reference_impl
from corpora import rules
from corpora.build import expected
from corpora.build.tagged_columns import tagged_table
from properties.corpus import AS_TWIN
from properties.strategies.faults import FAULTS, WAIVED
from reference_impl.errors import Malformed
from reference_impl.parquet import index
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.noted import NOTED
from reference_impl.parquet.noted import REFUSED as REFUSED_RULES
from reference_impl.parquet.ranges import read_ranges
from reference_impl.parquet.validate import examine, validate

SOURCES = Path(reference_impl.__file__).parent
MOST_BYTES = 2048
NOTED_IN_PART = {"PQ-CHUNK-004", "PQ-PAGE-006", "PQ-PAGE-007", "PQ-RLE-001"}  # the faults are the other part


def of_the_reader():
    """Return the rules that the reader itself enforces, without the validator."""
    other = {"tests", "validate", "noted.py"}
    paths = [path for path in SOURCES.rglob("*.py") if not other & set(path.parts)]
    return {rule for path in paths for rule in re.findall(r'"(PQ-[A-Z0-9]+-\d{3})"', path.read_text("utf-8"))}


def each(faults):
    """Return a decorator that runs a test for each fault."""
    return pytest.mark.parametrize("fault", list(faults), ids=lambda fault: fault.rule)


def files(fault):
    """Return the broken and the near file of a fault: small, different, and the same each time."""
    broken, near = fault.build(), fault.near.build()
    assert broken == fault.build()
    assert near == fault.near.build()
    assert broken != near
    assert max(len(broken), len(near)) <= MOST_BYTES
    return broken, near


def check_names(faults):
    """Check that names are slugs, and that other rules that faults break are a SHOULD."""
    known = rules.load()
    assert {known[rule].level for fault in faults for rule in fault.also_breaks} == {"SHOULD"}
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", fault.name) for fault in faults)


EACH = each(FAULTS.values())
# Where a Variant is missing and may not be, "readers must return a Variant null".
READ = {"PQ-VARIANT-016"}
NAMED = of_the_reader()
REFUSED = each(FAULTS[rule] for rule in sorted((NAMED & FAULTS.keys()) - READ))


def read_all(file):
    """Read all of an open file: its rows in two ways, their tagged values, indexes and Bloom filters."""
    file.read()
    for group in range(len(file.metadata.row_groups)):
        for column in range(len(file.leaves)):
            index.column_index(file, group, column)
            index.offset_index(file, group, column)
            index.bloom_filter_header(file, group, column)
        read_ranges(file, group, [(0, file.metadata.row_groups[group].num_rows)])
    tagged_table(file.read())  # Variants are put together from what was read


@REFUSED
def test_the_reader_refuses_it_by_its_rule(fault):
    """The reader refuses an unreadable fault, and names its rule; unless that is noted, leniently, too."""
    data = fault.build()
    for strict in (True,) if fault.rule in NOTED else (True, False):
        with pytest.raises(Malformed) as caught:
            read_all(ParquetFile(data, strict=strict))
        assert caught.value.rule == fault.rule, (strict, caught.value)


NOTES = each(FAULTS[rule] for rule in sorted((NOTED.keys() & FAULTS.keys()) - NOTED_IN_PART))


@NOTES
def test_the_reader_notes_it_and_reads_on(fault):
    """A fault of a noted rule is read as the table that its case expects, and noted once, by its rule."""
    file = ParquetFile(fault.build())
    read_all(file)
    rows = fault.near.plan.rows if fault.rule in AS_TWIN else fault.broken.plan.rows
    wanted = expected.table(replace(fault.broken.plan, rows=rows))
    assert tagged_table(file.read()).to_json() == wanted.to_json()
    assert [note.rule for note in file.notes] == [fault.rule]


def test_every_rule_of_the_reader_is_noted_or_refused():
    """Each rule that the reader raises stands in exactly one of the two tables, with its reason."""
    for rule in NAMED:
        matches = [name for name in REFUSED_RULES if rule == name or rule.startswith(f"{name}-")]
        assert len(matches) + (rule in NOTED) == 1, rule
    assert NAMED >= NOTED.keys() >= NOTED_IN_PART


@EACH
def test_it_breaks_its_rule_and_its_near_twin_none(fault):
    """A fault breaks its rule once, and otherwise only those of `also_breaks`; its near twin breaks none.

    Every part of the twin can be checked, and the reader reads it as the table of its plan.
    """
    broken, near = files(fault)
    found = validate(broken)
    assert [one.rule for one in found if one.rule not in fault.also_breaks] == [fault.rule], found
    report = examine(near)
    assert [one for one in report.violations if one.rule not in fault.also_breaks] == []
    assert report.unchecked == []
    read_all(ParquetFile(near, strict=True))
    assert tagged_table(ParquetFile(near).read()).to_json() == expected.table(fault.near.plan).to_json()


def test_every_rule_has_a_fault_or_a_reason():
    """Every rule has a fault or a waiver, and every fault and waiver has a rule."""
    assert not FAULTS.keys() & WAIVED.keys()
    assert FAULTS.keys() | WAIVED.keys() == {rule for rule in rules.load() if rule.startswith("PQ-")}


def test_faults_are_named_and_break_no_other_must():
    """The name of a fault is a slug; any other rule that it breaks is a SHOULD."""
    check_names(FAULTS.values())
