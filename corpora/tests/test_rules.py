"""The rules of the specifications: of every area, each a sentence with a clause that can be found."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from corpora import rules
from corpora.cases import CaseError

SOURCES = re.compile(
    r"(README|AlpEncoding|Encodings|Compression|LogicalTypes|PageIndex|BloomFilter|Encryption|Geospatial|Variant(Encoding|Shredding)"
    r"|thrift-compact-protocol|ORCv1|protobuf-encoding)\.md|parquet\.thrift|Thrift IDL|orc_proto\.proto"
)
AREAS = {
    *("THRIFT", "FILE", "SCHEMA", "LEVELS", "CHUNK", "PAGE", "CODEC", "STATS", "ORDER", "INDEX", "BLOOM"),
    *("PLAIN", "RLE", "BITPACKED", "DICT", "DBP", "DLBA", "DBA", "BSS", "LOGICAL", "LIST", "MAP", "VALUE"),
}
ORC_AREAS = {
    *("FILE", "PROTO", "TYPE", "STRIPE", "COMP", "BYTE", "BOOL", "RLE1", "RLE2", "INT", "FLOAT", "STR"),
    *("DEC", "TIME", "NEST", "INDEX", "STATS", "BLOOM"),
}


@pytest.mark.parametrize(
    ("form", "areas", "must", "should"), [("PQ", AREAS, 180, 40), ("ORC", ORC_AREAS, 90, 20)]
)
def test_there_are_rules_of_every_area(form, areas, must, should):
    """No area of a specification is without a rule, and rules that must be kept are most of them."""
    known = {id_: rule for id_, rule in rules.load().items() if id_.startswith(f"{form}-")}
    assert not areas - {rule.split("-")[1] for rule in known}
    levels = Counter(rule.level for rule in known.values())
    assert levels["MUST"] >= must
    assert levels["SHOULD"] >= should


def test_a_rule_is_a_sentence_with_a_clause(for_each):
    """A rule says what holds, in a sentence, and names the document that says so."""

    def check(rule):
        assert SOURCES.match(rule.clause), rule.clause
        assert rule.text.endswith((".", ".)"))
        assert len(rule.text) < 200

    for_each(rules.load().items(), check)


def test_texts_are_told_apart():
    """No two rules say the same."""
    known = rules.load()
    assert len({rule.text for rule in known.values()}) == len(known)


def test_the_rules_are_read_once():
    """Whoever asks gets the same rules, which nobody can change."""
    assert rules.load() is rules.load()
    with pytest.raises(TypeError):
        rules.load()["PQ-X-001"] = None
    assert rules.load(rules.FOLDER) is rules.load()


RULE = '[[rule]]\nid = "{}"\nclause = "README.md"\nlevel = "{}"\ntext = "It is so."\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (RULE.format("PQ-X-001", "MUST") * 2, "appears twice"),
        (RULE.format("x-1", "MUST"), "is not of the form"),
        (RULE.format("PQ-X-001", "WILL"), "has level 'WILL'"),
        (RULE.format("PQ-X-001", "MUST").replace("It is so.", ""), "is empty"),
        (RULE.format("PQ-X-001", "MUST") + 'more = "x"\n', "does not have the fields"),
        (RULE.format("PQ-X-001", "MUST") + 'since = "2.13"\n', "not a release such as 2.13.0"),
        ("[[rules]]\n", "tables"),
        ("rule = [", "rules.toml"),
    ],
)
def test_a_wrong_rule_is_refused(tmp_path, text, why):
    """Rules that cannot be read are named with their file, which is read again the next time."""
    (tmp_path / "rules.toml").write_text(text)
    with pytest.raises(CaseError, match=why):
        rules.load(tmp_path)
    (tmp_path / "rules.toml").write_text(RULE.format("PQ-X-001", "MUST"))
    assert list(rules.load(tmp_path)) == ["PQ-X-001"]
