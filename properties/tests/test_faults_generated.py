from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, note, settings

from corpora import rules
from properties.tests.generated_faults import PARQUET, faults
from properties.tests.test_faults import NAMED, read_all
from reference_impl.errors import Malformed
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.validate import validate
from reference_impl.plans import show

LEVELS = rules.load()
MODEST = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def check_one_rule_more(fault, validate):
    """Check that a fault breaks its rule, and no other but a SHOULD that its file broke before."""
    note(show(fault.near.plan))
    note(f"{fault.rule}: {fault.what}")
    before = {violation.rule for violation in validate(fault.near.build())}
    assert {LEVELS[rule].level for rule in before} <= {"SHOULD"}
    found = validate(fault.build())
    assert fault.rule in {violation.rule for violation in found}
    assert {violation.rule for violation in found} - before <= {fault.rule}, found


@given(faults([fault for fault in PARQUET if fault.rule in NAMED]))
@MODEST
def test_a_generated_fault_is_refused_by_its_rule(fault):
    """The reader refuses a legal file with a fault in it, and names the rule of the fault."""
    note(show(fault.near.plan))
    note(f"{fault.rule}: {fault.what}")
    with pytest.raises(Malformed) as caught:
        read_all(ParquetFile(fault.build(), strict=True))
    assert caught.value.rule == fault.rule, caught.value


@given(faults())
@MODEST
def test_a_generated_fault_breaks_one_rule_more_than_its_file(fault):
    """A fault put into any file breaks its rule, and no other but a SHOULD that the file broke before."""
    check_one_rule_more(fault, validate)
