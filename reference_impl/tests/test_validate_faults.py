"""The smallest files of the corpus that break a rule: the validator reports it; and their near twins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reference_impl.orc.validate import validate as validate_orc
from reference_impl.parquet.validate import validate as validate_parquet

CORPORA = Path(__file__).parents[2] / "corpora"


def faults(form):
    """Return the rule that each file of a folder of faults breaks, None for its near twins."""
    found = []
    for path in sorted((CORPORA / form / "fault").rglob("*.json")):
        case = json.loads(path.read_text("utf-8"))
        if not case.get("keys"):
            is_near = path.stem.startswith("near-")
            found.append(
                (case["id"], path.with_name(case["file"]), None if is_near else path.parent.name.upper())
            )
    return found


@pytest.mark.parametrize(("form", "validate"), [("parquet", validate_parquet), ("orc", validate_orc)])
def test_the_rule_is_reported(form, validate, for_each):
    """A file of a rule's folder breaks that rule, and its near twin does not."""
    listed = faults(form)
    assert len(listed) > 200

    def check(fault):
        name, file, rule = fault
        broken = {violation.rule for violation in validate(file.read_bytes())}
        about = rule or file.parent.name.upper()
        assert (about in broken) is (rule is not None), name

    for_each([(one[0], one) for one in listed], check)
