"""Encrypted columns in any layout: with keys the reader returns the written values, else masked ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st

from corpora import rules
from corpora.build import orc_expected
from corpora.build.tagged_columns import tagged_table
from properties.choices import UNIFORM
from properties.strategies.orc.encryptions import encryptions, keys_of
from properties.strategies.orc.sheets import sheets
from reference_impl.orc.file import OrcFile
from reference_impl.orc.masks import masked
from reference_impl.orc.types import build
from reference_impl.orc.validate import examine
from reference_impl.orc.writer import write
from reference_impl.plans import show

if TYPE_CHECKING:
    from reference_impl.orc.encryption_plan import Encryption
    from reference_impl.orc.plan import FilePlan

_SETTINGS = settings(backend=UNIFORM, deadline=None, suppress_health_check=list(HealthCheck), max_examples=15)


@st.composite
def plans(draw: st.DrawFn) -> tuple[FilePlan, Encryption | None]:
    """Return a plan with an encryption."""
    plan = draw(sheets(min_files=1, max_files=1)).plans[0]
    return plan, draw(encryptions(plan))


@pytest.mark.heavy
@given(plans())
@_SETTINGS
def test_encrypted_files_are_read_back(drawn: tuple[FilePlan, Encryption | None]) -> None:
    """The reader returns the plan's values with keys and masked values without; the file breaks no MUST."""
    plan, hidden = drawn
    assume(hidden is not None)
    assert hidden is not None
    sealed = replace(plan, encryption=hidden)
    note(show(sealed))
    shown = replace(plan, rows=tuple(masked(build(plan.types), plan.rows, hidden)))
    file, keys = write(sealed), keys_of(sealed)
    assert keys is not None
    assert tagged_table(OrcFile(file, keys=keys.orc).read()).to_json() == orc_expected.table(plan).to_json()
    assert tagged_table(OrcFile(file).read()).to_json() == orc_expected.table(shown).to_json()
    known = rules.load()
    found = examine(file, keys.orc)
    assert [one for one in found.violations if known[one.rule].level == "MUST"] == []
    assert not any("encrypted" in one for one in found.unchecked)
