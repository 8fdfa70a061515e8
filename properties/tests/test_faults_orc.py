from __future__ import annotations

import re
from pathlib import Path

import reference_impl
from corpora import rules
from corpora.build import orc_expected, reading
from corpora.build.tagged_columns import tagged_table
from properties.strategies.faults.orc import FAULTS, WAIVED
from properties.tests.test_faults import check_names, each, files
from reference_impl.errors import Malformed
from reference_impl.orc.file import OrcFile
from reference_impl.orc.noted import NOTED, REFUSED
from reference_impl.orc.validate import examine, validate

SOURCES = Path(reference_impl.__file__).parent / "orc"
KNOWN = {rule: found for rule, found in rules.load().items() if rule.startswith("ORC-")}


def keys_of(fault):
    """Return the keys of an encrypted file."""
    return None if fault.keys is None else fault.keys.orc


def of_the_reader():
    """Return the rules that the reader itself enforces, without the validator."""
    other = {"tests", "validate", "noted.py"}
    paths = [path for path in SOURCES.rglob("*.py") if not other & set(path.parts)]
    text = "".join(path.read_text("utf-8") for path in paths)
    return set(re.findall(r'"(ORC-[A-Z0-9]+-\d{3})"', text))


EACH = each(FAULTS.values())
NAMED = of_the_reader()


def read_all(file):
    """Read all of a file: its rows, those of the second row group, indexes and Bloom filters."""
    file.read()
    assert file.stripe_statistics is not None
    stride = file.footer.row_index_stride or 0
    for number, stripe in enumerate(file.footer.stripes):
        for node in file.root.walk():
            file.row_index(number, node.id)
            file.bloom_filters(number, node.id)
        if stride and (stripe.number_of_rows or 0) > stride:
            file.read_rows(None, number, stride, stripe.number_of_rows)


def refusal(fault, *, strict=True):
    """Return the rule that a strict reader names when it refuses a fault, None if it reads the fault."""
    try:
        read_all(OrcFile(fault.build(), keys=keys_of(fault), strict=strict))
    except Malformed as error:
        return error.rule
    return None


REFUSED_PARTS = {"ORC-STRIPE-011", "ORC-STR-002"}  # noted in part: here is the other part
NOTES = each(FAULTS[rule] for rule in sorted(NOTED.keys() - REFUSED_PARTS))
NOT_NOTED = NAMED - (NOTED.keys() - REFUSED_PARTS)


@EACH
def test_the_reader_refuses_it_by_its_rule_or_not_at_all(fault):
    """The reader refuses a fault of a MUST by its rule, or because a stream has too few values.

    A fault of a rule that is not noted is refused by that rule, however leniently it is read.
    """
    short = fault.rule in ("ORC-NEST-001", "ORC-INDEX-003")
    refused = refusal(fault)
    if KNOWN[fault.rule].level == "MUST":
        assert refused in (None, "ORC-RLE2-001" if short else fault.rule)
    if refused and fault.rule in NOT_NOTED:
        assert refusal(fault, strict=False) == refused


@NOTES
def test_the_reader_notes_it_and_reads_on(fault):
    """A fault of a noted rule is read as the table of its plan, and noted once, by its rule."""
    file = OrcFile(fault.build(), keys=keys_of(fault))
    read_all(file)
    assert tagged_table(file.read()).to_json() == orc_expected.table(fault.broken.plan).to_json()
    assert {note.rule for note in file.notes} == {fault.rule}
    assert len({(note.offset, note.path) for note in file.notes}) == len(file.notes)


def test_every_rule_of_the_reader_is_noted_or_refused():
    """Each rule that the reader raises stands in exactly one of the two tables, with its reason."""
    for rule in NAMED:
        matches = [name for name in REFUSED if rule == name or rule.startswith(f"{name}-")]
        assert len(matches) + (rule in NOTED) == 1, rule
    assert NAMED >= NOTED.keys() >= REFUSED_PARTS


def test_the_reader_refuses_what_it_checks():
    """A strict reader reads no fault of a MUST that its sources name."""
    must = [rule for rule in NAMED & FAULTS.keys() if KNOWN[rule].level == "MUST"]
    assert [rule for rule in must if refusal(FAULTS[rule]) is None] == []


@EACH
def test_it_breaks_its_rule_and_its_near_twin_none(fault, tmp_path):
    """A fault breaks its rule, and otherwise only those of `also_breaks`; its near twin breaks none.

    Every part of the twin can be checked, and the reader reads it as the table of its plan.
    """
    broken, near = files(fault)
    found = validate(broken, keys_of(fault))
    assert {one.rule for one in found if one.rule not in fault.also_breaks} == {fault.rule}, found
    report = examine(near, keys_of(fault))
    assert [one for one in report.violations if one.rule not in fault.also_breaks] == []
    assert report.unchecked == []
    read_all(OrcFile(near, keys=keys_of(fault), strict=True))
    path = tmp_path / "near.orc"
    path.write_bytes(near)
    assert (
        reading.read(str(path), "orc", fault.keys).to_json() == orc_expected.table(fault.near.plan).to_json()
    )


def test_every_rule_has_a_fault_or_a_reason():
    """Every rule has a fault or a waiver, and every fault and waiver has a rule."""
    assert not FAULTS.keys() & WAIVED.keys()
    assert FAULTS.keys() | WAIVED.keys() == KNOWN.keys()


def test_faults_are_named_and_break_no_other_must():
    """The name of a fault is a slug; any other rule that it breaks is a SHOULD."""
    check_names(FAULTS.values())
