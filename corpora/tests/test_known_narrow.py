"""A second cause under an entry with wildcards is noticed: each such entry is narrowed by a feature."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable
from fnmatch import fnmatchcase

from corpora.formats import MAGICS
from corpora.known_failures import Entry, Judged, load, match

_TODAY = dt.date(2026, 6, 1)
_OF_VALUES = ("different", "inconsistent", "unstable", "crashed")
# Features of the simplest files: an entry for one of these is about any file.
_PLAIN = {
    "parquet": (
        *("parquet/codec/uncompressed", "parquet/encoding/plain", "parquet/page/v1"),
        "parquet/other/table",  # of every table
    ),
    "orc": ("orc/codec/none", "orc/encoding/direct-v2", "orc/encoding/direct", "orc/other/table"),
}
# Entries that nothing narrows yet: a second cause with the same subject is taken for the first.
WIDE = {
    ("datafusion", "datafusion* | different | filter: rows * in timestamp(ns* year*"),
    ("spark", "spark:*pushdown=aggregate | different | pushdown in * of a table by partition"),
    ("spark", "spark*pushdown=aggregate* | unstable | outcome*"),
    ("fastparquet", "fastparquet:way=index | inconsistent | type in * as *int(64, *"),
    ("polars", "polars:way=row-numbers | inconsistent | columns*"),
    ("parquet_java", "parquet_java* | different | filter: rows gained in * not in*"),
    ("parquet_java", "parquet_java* | different | filter: rows gained in not several tests of * with in"),
    ("parquet_java", "parquet_java* | different | filter: rows * in *in with null*"),
    ("parquet_java", "parquet_java* | different | filter: rows * in *several tests of * with null in a list"),
}


def is_wild(entry: Entry) -> bool:
    """Return whether an entry is about any file and any subject; the text of an error pins a subject."""
    cause = entry.signature.partition(" | ")[2].partition(" | ")[2]
    pinned = re.search(r"[A-Z]\w+(?:Exception|Error|Stream|Reader)|Cannot|not supported", cause)
    anywhere = entry.case in {"*", "generated/*", "evolved/parquet/*", "parquet/*", "orc/*"}
    return anywhere and "*" in cause and not pinned and entry.verdict in _OF_VALUES


def second(entry: Entry) -> list[Judged]:
    """Return rows of another cause that looks alike: in plain files of each format that it can be about."""
    name = entry.feature.partition("/")[0]
    text, case = entry.signature.replace("*", ""), entry.case.replace("*", "generated/1/2")
    version = (re.findall(r">=([\d.]+)", entry.versions) or ["99999"])[0]
    return [
        Judged(case, entry.engine, version, entry.config, entry.verdict, text, _PLAIN[format_])
        for format_ in ([name] if name in MAGICS else MAGICS)
    ]


WILD = [entry for entry in load() if is_wild(entry)]


def test_there_are_such_entries() -> None:
    """The rule finds the entries that it is about, and each wide one that is listed."""
    assert len(WILD) > 40
    assert {(entry.engine, entry.signature) for entry in WILD} >= WIDE


def test_a_second_cause_is_noticed(for_each: Callable[..., None]) -> None:
    """A failure of another cause in a file without the entry's feature is new; wide entries are listed."""

    def check(entry: Entry) -> None:
        wide = any(match([entry], row, today=_TODAY) for row in second(entry))
        assert wide == ((entry.engine, entry.signature) in WIDE)

    for_each([(f"{entry.engine}: {entry.signature}", entry) for entry in WILD], check)


def test_a_planted_wildcard_is_found() -> None:
    """An entry about any file of a format swallows the second cause, one of a feature does not."""
    signature = "spark* | different | value in *timestamp*"
    wide = Entry("spark", "generated/*", "different", "a reason", signature=signature, feature="orc/*")
    narrow = Entry(
        "spark", "generated/*", "different", "a reason", signature=signature, feature="orc/file/zone"
    )
    assert is_wild(wide)
    assert is_wild(narrow)
    assert any(match([wide], row, today=_TODAY) for row in second(wide))
    assert not any(match([narrow], row, today=_TODAY) for row in second(narrow))


# Rules that a writer breaks whatever its options and the types of columns are: nothing tells causes apart.
ANY_OPTIONS = {
    *(("polars", f"PQ-{rule}") for rule in ("ORDER-001", "RLE-007", "PLAIN-001", "LOGICAL-010", "STATS-005")),
    *(("polars", f"PQ-INDEX-{rule}") for rule in ("006", "011", "012", "022")),  # of 2025
    ("datafusion", "PQ-INDEX-006"),
    ("duckdb", "PQ-ORDER-001"),
    ("duckdb", "PQ-GROUP-001"),
    ("fastparquet", "PQ-PAGE-013"),
    ("fastparquet", "PQ-THRIFT-012"),
    ("pyarrow", "PQ-GROUP-003"),  # of 2021
    ("pyarrow", "PQ-LOGICAL-010"),
    *((engine, "ORC-STATS-014") for engine in ("pyarrow_orc", "pyorc", "spark")),
}


def _broken_by_writers() -> list[Entry]:
    drawn = "writers/x/drawn-1/0"
    return [
        entry
        for entry in load()
        if entry.verdict == "wrote_invalid" and fnmatchcase(drawn.replace("x", entry.engine), entry.case)
    ]


def _rule_of(entry: Entry) -> str:
    return entry.signature.partition(" in ")[0].strip("*")


def _is_wide(entry: Entry) -> bool:
    """Return whether an entry covers columns of any type, in files written with no option at all."""
    rule = _rule_of(entry)
    version = (re.findall(r">=([\d.]+)", entry.versions) or ["99999"])[0]
    text, case = f"{entry.engine} | wrote_invalid | {rule} in A_TYPE", f"writers/{entry.engine}/drawn-1/0"
    row = Judged(case, entry.engine, version, entry.config, entry.verdict, text)
    return match([entry], row, today=_TODAY) is not None


def test_a_second_cause_of_a_broken_rule_is_noticed() -> None:
    """A rule broken under other options, or in another type, is new; the other entries are listed."""
    entries = _broken_by_writers()
    assert len(entries) > 20
    wide = {(entry.engine, _rule_of(entry)) for entry in entries if _is_wide(entry)}
    assert wide == ANY_OPTIONS


def test_entries_of_cases_have_a_subject() -> None:
    """An entry about wrong values of named cases says how they show: another failure is new."""
    ours = tuple(f"{name}/" for name in (*MAGICS, "evolved"))
    wrong = [entry for entry in load() if entry.verdict == "different" and not entry.signature]
    wrong = [entry for entry in wrong if entry.case.startswith(ours)]
    assert Counter(entry.engine for entry in wrong if not entry.subject) == {}
