"""Rules are read, refused when they are wrong, and are what the issue asks for."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from corpora import rules
from corpora.cases import CaseError

GOOD = """
[[rule]]
id = "PQ-PAGE-003"
clause = "README.md, Checksumming"
level = "MUST"
text = "The checksum is right."
"""
AREAS = {
    *("THRIFT", "FILE", "SCHEMA", "LEVELS", "PAGE", "CODEC", "STATS", "ORDER", "INDEX", "BLOOM", "LOGICAL"),
    *("PLAIN", "RLE", "BITPACKED", "DICT", "DBP", "DLBA", "DBA", "BSS"),
}


def test_there_are_rules_of_every_part():
    """At least 120 rules, of every part of the specification, most of them a MUST."""
    known = rules.load()
    levels = Counter(rule.level for rule in known.values())
    assert len(known) >= 120
    assert {rule.split("-")[1] for rule in known} >= AREAS
    assert levels["MUST"] > levels["SHOULD"] > 0


def test_rules_read_well():
    """A clause names a document of the specification, a text is a sentence, and no two say the same."""
    known = rules.load().values()
    assert all(re.match(r"[\w-]+\.(md|thrift)|Thrift IDL", rule.clause) for rule in known)
    assert all(rule.text.endswith((".", ".)")) for rule in known)
    assert max(Counter(rule.text for rule in known).values()) == 1


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"PQ-PAGE-003"', '"page 3"', "form"),
        ('"MUST"', '"WILL"', "level"),
        ('"MUST"', '""', "empty"),
        ('"MUST"', "1", "no text"),
        ('clause = "README.md, Checksumming"\n', "", "fields"),
        ("[[rule]]", "[[rules]]", "tables"),
        ("[[rule]]", "[[rule", "good.toml"),
        (GOOD, GOOD + GOOD, "twice"),
    ],
)
def test_a_wrong_rule_is_refused(tmp_path, old, new, why):
    """A rule that is wrong, or there twice, is an error that names the file."""
    assert old in GOOD
    path = tmp_path / "good.toml"
    path.write_text(GOOD.replace(old, new), "utf-8")
    with pytest.raises(CaseError, match=re.escape(why)) as caught:
        rules.load(tmp_path)
    assert "good.toml" in str(caught.value)


def test_a_rule_is_read(tmp_path):
    """The fields of a rule come as they stand."""
    (tmp_path / "good.toml").write_text(GOOD, "utf-8")
    (rule,) = rules.load(tmp_path).values()
    assert rule == rules.Rule("PQ-PAGE-003", "README.md, Checksumming", "MUST", "The checksum is right.")
