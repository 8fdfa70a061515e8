"""Every rule that the reference names is written down, and every rule written down is checked."""

from __future__ import annotations

import re
from pathlib import Path

from corpora.rules import load

PACKAGE = Path(__file__).parents[1]


def test_rules_and_code_name_the_same():
    """The rule ids in the code of the reference are exactly those of corpora/rules.d, for Parquet."""
    sources = [path for path in PACKAGE.rglob("*.py") if "tests" not in path.parts]
    raised = {rule for path in sources for rule in re.findall(r'"(PQ-[A-Z0-9]+-\d{3})"', path.read_text())}
    assert raised == {rule for rule in load() if rule.startswith("PQ-")}
