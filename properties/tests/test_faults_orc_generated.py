from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, note, settings

from properties.tests.generated_faults import orc_faults
from properties.tests.test_faults_generated import check_one_rule_more
from properties.tests.test_faults_orc import refusal
from reference_impl.orc.validate import validate
from reference_impl.plans import show

MODEST = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.heavy
@given(orc_faults())
@MODEST
def test_a_generated_fault_is_refused_by_its_rule(fault):
    """The reader refuses a legal file with a fault in it, and names the rule of the fault."""
    note(show(fault.near.plan))
    note(f"{fault.rule}: {fault.what}")
    assert refusal(fault) == fault.rule


@pytest.mark.heavy
@given(orc_faults())
@MODEST
def test_a_generated_fault_breaks_one_rule_more_than_its_file(fault):
    """A fault put into any file breaks its rule, and no other but a SHOULD that the file broke before."""
    check_one_rule_more(fault, validate)
