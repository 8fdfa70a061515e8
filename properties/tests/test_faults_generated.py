from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, note, settings

from properties.strategies.faults.generated import faults
from properties.tests.test_faults import read
from reference_impl.errors import Malformed
from reference_impl.parquet.plan import show


@given(faults())
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_generated_fault_is_refused_by_its_rule(fault):
    """A fault put into any legal file is refused, and for the rule that it breaks."""
    note(show(fault.near.plan))
    note(f"{fault.rule}: {fault.what}")
    with pytest.raises(Malformed) as caught:
        read(fault.build())
    assert caught.value.rule == fault.rule, caught.value
