"""Every rule that the reference names is written down, and every rule written down is checked."""

from __future__ import annotations

import re
from pathlib import Path

from corpora.rules import load

PACKAGE = Path(__file__).parents[1]
SERIES = re.compile(r'f"(ORC-[A-Z0-9]+)-\{number:03\}"\s+for number in range\((\d+), (\d+)\)')


def test_rules_and_code_name_the_same():
    """The rule ids in the code of the reference are exactly those of corpora/rules.d, for Parquet."""
    sources = [path for path in PACKAGE.rglob("*.py") if "tests" not in path.parts]
    raised = {rule for path in sources for rule in re.findall(r'"(PQ-[A-Z0-9]+-\d{3})"', path.read_text())}
    assert raised == {rule for rule in load() if rule.startswith("PQ-")}


def test_rules_of_orc_and_code_name_the_same():
    """The same for ORC, where a series of constants is made of a range of numbers."""
    texts = [path.read_text() for path in PACKAGE.rglob("*.py") if "tests" not in path.parts]
    raised = {rule for text in texts for rule in re.findall(r'"(ORC-[A-Z0-9]+-\d{3})"', text)}
    for text in texts:
        for area, first, stop in SERIES.findall(text):
            raised |= {f"{area}-{number:03}" for number in range(int(first), int(stop))}
    assert raised == {rule for rule in load() if rule.startswith("ORC-")}
