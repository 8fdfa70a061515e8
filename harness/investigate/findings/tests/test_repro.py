"""Scripts about crashes, hangs, memory and unstable results, with an engine that misbehaves on purpose."""

import collections
import hashlib
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from corpora.cases import Case, Expectation, Probe
from corpora.queries import Compare, TopRows, TopWhere
from corpora.tagged import STRING, Table, integer
from harness.commands import findings as command
from harness.engines.fastparquet import script
from harness.engines.scripts.rendering import Rendering
from harness.engines.scripts.request import Code
from harness.investigate.findings import folders, heading, ordered, repro
from harness.investigate.findings.collect import Evidence
from harness.investigate.minimize.tests.files import parquet
from harness.judging.details import RowDetail
from harness.judging.order import Order
from harness.judging.results import Finding, Row
from harness.judging.verdicts import Cost

ERROR = "pyo3_runtime.PanicException: called"
SLOW = Cost("time", 2.0, 1.0, 20, 3)
NAME = "fastparquet"  # whose place the engine takes: a registered name


def found(folder, verdict, seconds=0.1, peak=0, cost=None):
    """A finding of a file, with its row."""
    data = parquet(3)
    file = folder / "file.parquet"
    file.write_bytes(data)
    case = Case("files/x", "parquet", file, hashlib.sha256(data).hexdigest(), Expectation.by_vote())
    finding = Finding(f"{NAME} | {verdict} | x", NAME, "1", "", verdict, case.id, 1, [], None, ERROR)
    row = Row(
        case.id, "parquet", "0" * 64, NAME, "1", "", "table", verdict, RowDetail(cost=cost), seconds, peak
    )
    return Evidence("x", finding, case, None, [row])


def run(tmp_path, monkeypatch, verdict, does, **row):
    """Run the script about a verdict with an engine that does something: status, and what it printed."""

    def code(_request):
        body = [f"found = misbehaves.{does}(FILE)", "return found or ([], [], [])"]
        return Code(Rendering((), ""), body, imports=["import misbehaves"])

    monkeypatch.setattr(script, "code", code)
    text, lines = repro.script(found(tmp_path, verdict, **row), "file.parquet")
    assert lines is None
    (tmp_path / "repro.py").write_text(text, "utf-8")
    shutil.copyfile(Path(__file__).with_name("fakes.py"), tmp_path / "misbehaves.py")
    done = subprocess.run(
        [sys.executable, str(tmp_path / "repro.py")], capture_output=True, text=True, check=False, timeout=300
    )
    return done.returncode, done.stdout


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    ("asked", "status", "said"),
    [
        (("crashed", "dies", {}), 1, "exit status -9"),
        (("crashed", "exits", {}), 1, "exit status 7"),
        (("crashed", "refuses", {}), 0, "ValueError: no"),
        (("crashed", "reads", {}), 0, "exit status 0"),
        (("hung", "hangs", {"seconds": 1.0}), 1, "no answer within 1 s"),
        (("hung", "refuses", {"seconds": 1.0}), 0, "does not show"),
        (("amplified", "swells", {"peak": 400 << 20}), 1, "MB of memory"),
        (("amplified", "reads", {"peak": 400 << 20}), 0, "does not show"),
        (("amplified", "burns", {"cost": SLOW}), 1, "s of CPU time"),
        (("amplified", "reads", {"cost": SLOW}), 0, "does not show"),
        (("out_of_memory", "runs_out", {"peak": 4000 << 20}), 1, "exit status 4"),
        (("panicked", "panics", {}), 1, "PanicException: called"),
        (("panicked", "refuses", {}), 0, "ValueError: no"),
        (("panicked", "reads", {}), 0, "an answer"),
        (("unstable", "wavers", {}), 1, "the same answer"),
        (("unstable", "refuses", {}), 0, "does not show"),
    ],
)
def test_scripts_without_expected_values(tmp_path, monkeypatch, asked, status, said):
    """Exit status and output say whether the finding shows; a clean error is not a crash."""
    if "hangs" in asked:  # as long as it is waited for; others may take their time
        monkeypatch.setattr(repro, "_LEAST_SECONDS", 1)
    verdict, does, row = asked
    ended, printed = run(tmp_path, monkeypatch, verdict, does, **row)
    assert ended == status, printed
    assert said in printed
    assert ("the bug shows" in printed) == bool(status)


@pytest.mark.parametrize(("version", "is_older"), [("0.20.31", True), ("1.0.0", False)])
def test_a_script_is_for_the_version_of_the_finding(tmp_path, version, is_older):
    """An older version is asked in its own words, also for what its process had read before."""
    evidence = found(tmp_path, "crashed")
    finding = replace(evidence.finding, engine="polars", version=version)
    text, _ = repro.script(replace(evidence, finding=finding), "file.parquet")
    assert ("**taken(pl.read_parquet" in text) is is_older
    request = {"op": "read", "file": "file.parquet", "format": "parquet", "config": {}}
    ordered.fill(tmp_path, Order("", "", ({**request, "file": str(tmp_path / "file.parquet")},), 1, True))
    (before,) = ordered.modules("polars", version, tmp_path).values()
    assert ("**taken(pl.read_parquet" in before) is is_older


def test_an_intermittent_finding_says_how_often_to_try(tmp_path):
    """The script says how often the finding showed, and how many runs miss it in less than 1 %."""
    evidence = found(tmp_path, "crashed")
    often = replace(evidence, finding=replace(evidence.finding, failed=2, reads=3))
    assert "It showed in 2 of 3 reads: 5 runs miss it in less than 1%" in heading.head(often)
    assert not any("It showed" in line for line in heading.head(evidence))


@pytest.mark.parametrize(("statuses", "expected"), [([0, 0, 1], (1, 3)), ([0] * 9, (0, 5)), ([2], (2, 1))])
def test_a_script_of_an_intermittent_finding_is_repeated(tmp_path, monkeypatch, statuses, expected):
    """`--check` repeats the script until the finding shows, at most as often as its frequency requires."""
    evidence = found(tmp_path, "crashed")
    often = replace(evidence, finding=replace(evidence.finding, failed=2, reads=3))
    answers = iter(statuses)
    monkeypatch.setattr(command, "checked", lambda *_: next(answers))
    assert command.repeated(tmp_path, often) == expected


@pytest.mark.parametrize(("does", "status"), [("reads", 1), ("refuses", 0)])
def test_a_file_that_must_be_refused(tmp_path, monkeypatch, does, status):
    """An answer is the bug, an error is none."""
    ended, printed = run(tmp_path, monkeypatch, "accepted_invalid", does)
    assert ended == status, printed


@pytest.mark.parametrize(
    ("text", "name", "shows"),
    [
        ("duration(ns)", "timedelta64[ns]", True),
        ("duration(us)", "duration[us]", True),
        ("duration(us)", "duration[ns]", False),
        ("timestamp(ns, utc)", "datetime64[ns, UTC]", True),
    ],
)
def test_types_by_the_engines_names(text, name, shows):
    """A script looks for a wrong type by the name that Arrow or pandas has for it."""
    assert bool(re.search(repro._kind(text), name)) is shows


@pytest.mark.parametrize(
    ("path", "kinds", "shows"),
    [
        ("column 'n'", ["Int64", "object"], True),
        ("column 'n'.list", ["int64", "object"], True),
        ("column 'n'", ["UInt64", "int64"], False),
        ("column 'n'", ["Nullable(Int64)", "int64"], True),
        ("column 'n'", ["LargeInt64", "int64"], False),
        ("column 's'", ["int64", "timedelta64[us]"], False),
    ],
)
def test_a_type_is_that_of_the_column_of_the_finding(path, kinds, shows):
    """Another column of the same type is not the bug, and pandas' Int64 is an int64."""
    table = Table.of([("n", integer(64)), ("s", STRING)], [[], []])
    difference = {"path": path, "kind": "type", "expected": "string", "actual": "int(64, signed)"}
    condition = repro._shows(difference, "different", table)
    names = {"names": 1, "EXPECTED_NAMES": 1, "kinds": kinds, "re": re}
    assert eval(condition, names) is shows


@pytest.mark.parametrize(
    ("lines", "shows"),
    [
        (["1 | 'a'", "2 | 'b'"], False),
        (["1 | 'a'", "2 | 'c'"], False),
        (["2 | 'b'", "2 | 'c'"], True),
        (["1 | 'a'", "3 | 'd'"], True),
        (["1 | 'a'"], True),
    ],
)
def test_rows_of_equal_values_are_all_right(tmp_path, lines, shows):
    """A script about first rows takes any of those with equal values, and asks for those that are certain."""
    table = Table.of([("n", integer(32)), ("s", STRING)], [["2", "1", "2", "3"], ["b", "a", "c", "d"]])
    given = found(tmp_path, "different")
    case = replace(given.case, expectation=Expectation.accept(table, "generator"))
    query = TopRows(("n",), 2)
    given = replace(given, case=case, probe=Probe(query))
    expected, condition = repro._of_any_rows(given, query, 2)
    assert expected == ["1 | 'a'", "2 | 'b'", "2 | 'c'"]
    names = {"names": [], "EXPECTED_NAMES": [], "EXPECTED": expected, "lines": lines}
    assert bool(eval(condition, {"collections": collections}, names)) == shows


@pytest.mark.parametrize(
    ("lines", "shows"),
    [
        (["2 | 'b'", "3 | 'd'", "4 | 'e'"], False),
        (["2 | 'c'", "3 | 'd'", "4 | 'f'"], False),
        (["2 | 'b'", "2 | 'c'", "3 | 'd'"], True),
        (["3 | 'd'", "4 | 'e'", "4 | 'f'"], True),
        (["2 | 'b'", "4 | 'f'", "4 | 'e'"], True),
    ],
)
def test_rows_that_equal_one_of_an_offset_are_all_right(tmp_path, lines, shows):
    """A script takes any of them, and of those that equal the last row: so many of each as there must be."""
    values = [["2", "1", "2", "3", "4", "4"], ["b", "a", "c", "d", "e", "f"]]
    table = Table.of([("n", integer(32)), ("s", STRING)], values)
    given = found(tmp_path, "different")
    case = replace(given.case, expectation=Expectation.accept(table, "generator"))
    query = TopWhere(("n",), 3, predicate=Compare(("n",), ">", integer(32), "0"), offset=2)
    given = replace(given, case=case, probe=Probe(query))
    expected, condition = repro._of_any_rows(given, query, 3)
    assert expected == ["2 | 'b'", "2 | 'c'", "3 | 'd'", "4 | 'e'", "4 | 'f'"]
    names = {"names": [], "EXPECTED_NAMES": [], "EXPECTED": expected, "lines": lines}
    assert bool(eval(condition, {"collections": collections, **names})) == shows


@pytest.mark.parametrize(
    ("difference", "title", "expected"),
    [
        ({"path": "rows lost", "kind": "", "expected": "rows 0, 5"}, "returns other rows", "rows 0, 5"),
        ({"path": "rows", "kind": "rows", "expected": "3 rows"}, "returns other rows", "3 rows"),
        ({"path": "columns", "kind": "columns", "expected": "a"}, "returns other columns", "`a`"),
        ({"path": "column 'n'", "kind": "type", "expected": "string"}, "another type", "'n'`: `string`"),
        ({"path": "column 'n', row 1", "kind": "value", "expected": "1"}, "other values", "row 1`: `1`"),
    ],
)
def test_an_issue_says_what_is_wrong(tmp_path, difference, title, expected):
    """The title tells rows, types and values apart, and what is expected is not named after the mistake."""
    evidence = found(tmp_path, "different")
    finding = replace(evidence.finding, difference={**difference, "actual": "x"})
    text = folders.issue(replace(evidence, finding=finding, entry=None), b"x" * 9_999, has_script=True)
    assert title in text.splitlines()[0]
    assert expected in text.partition("## Expected")[2].partition("## Actual")[0]
    assert "rows lost" not in text.partition("## Expected")[2].partition("## Actual")[0]
    assert f"SHA-256 `{evidence.case.sha256}`).\n" in text  # the file is not in the text
