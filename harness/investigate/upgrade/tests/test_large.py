"""Large files by digests, with engines that misbehave on purpose."""

import json
import os
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora.cases import Case, Expectation
from corpora.importers import import_paths
from harness.children.connection import Limits
from harness.engines.naming import EngineName
from harness.investigate.upgrade import gate, large
from harness.investigate.upgrade.choices import identity, parted, tables
from harness.investigate.upgrade.gate import upgrade
from harness.investigate.upgrade.large import compare
from harness.investigate.upgrade.request import Input, UpgradeRequest
from harness.investigate.upgrade.tests.fakes import BLOCK_ROWS, ROWS
from harness.tests.pipelines import Quiet, process
from harness.tests.schemas import check

LIMITS = Limits(start_seconds=20, seconds=20)
HERE = "harness.investigate.upgrade.tests.fakes"


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Cut rows into blocks that take no time."""
    monkeypatch.setattr(large, "BLOCK_ROWS", BLOCK_ROWS)


@pytest.fixture
def go(tmp_path):
    """Return a function that compares two engines' readings of a file: lines, counts, notes."""

    def run(new, old="Steady", folder=None, out=None):
        file = folder or tmp_path / "big.parquet"
        if not folder:
            file.write_bytes(b"PAR1")
        case = Case("files/big", "parquet", file, "0" * 64, Expectation.by_vote())
        pair = [
            replace(process(cls, "fake", HERE), version=version) for cls, version in ((old, "1"), (new, "2"))
        ]
        quiet = Quiet()
        found, counts, engines = compare(pair, [case], LIMITS, tmp_path / (out or f"{old} {new}"), quiet)
        assert [one["name"] for one in engines] == ["steady", "steady"]
        return found, counts, quiet.notes

    return run


ALIKE = ["Steady", "InOtherBatches"]
DIFFERENT = {
    "OneValue": [("value", "fake | value | int(64, signed)", "column 'id', row 8250; 1 of 3 blocks differ")],
    "OneValueInAList": [
        (
            "value",
            "fake | value | list<element: string>",
            "column 'tags'.list, row 9999; 1 of 3 blocks differ",
        )
    ],
    "NullForNan": [
        ("nulls", "fake | nulls | became null in float(64)", "column 'ratio', row 1; 3 of 3 blocks differ")
    ],
    "SwapsRows": [("order", "fake | order | ", "column 'id', row 4095; 2 of 3 blocks differ")],
    "SwapsBlocks": [("order", "fake | order | ", "column 'id', row 0; 2 of 3 blocks differ")],
    "SwapsAColumn": [
        ("value", "fake | value | string", "column 'name', row 7; 1 of 3 blocks differ"),
        (
            "nulls",
            "fake | nulls | became null in list<element: string>",
            "column 'tags', row 6; 1 of 3 blocks differ",
        ),
    ],
    "LosesABatch": [("rows", "fake | rows | fewer", "rows, from row 3750 on; 3 of 3 blocks differ")],
    "RepeatsTheLastRow": [("rows", "fake | rows | more", "rows, from row 10000 on; 1 of 3 blocks differ")],
    "OtherType": [("schema", "fake | schema | int(64, signed) as int(32, signed)", "column 'id'")],
    "OtherTypeAndValue": [
        ("schema", "fake | schema | int(64, signed) as int(32, signed)", "column 'id'"),
        ("value", "fake | value | string", "column 'name', row 7; 1 of 3 blocks differ"),
        (
            "nulls",
            "fake | nulls | became null in list<element: string>",
            "column 'tags', row 6; 1 of 3 blocks differ",
        ),
    ],
    "OtherName": [("schema", "fake | schema | names of columns", "columns")],
    "RefusesLate": [("refuses", "fake | refuses | ValueError: page <n> is bad", "")],
    "Dies": [("dies", "fake | dies | crashed, signal 6", "")],
}


@pytest.mark.parametrize("new", ALIKE)
def test_alike(go, new):
    """A file that both versions read alike is read once by each, whatever the size of batches."""
    found, counts, notes = go(new)
    assert (found, notes) == ([], [])
    assert counts["seconds"][0] > 0
    assert {name: counts[name] for name in ("cases", "places", "differing", "rows", "blocks", "whole")} == {
        "cases": 1,
        "places": 1,
        "differing": 0,
        "rows": ROWS,
        "blocks": 3,
        "whole": 0,
    }


@pytest.mark.sweep(4)
@pytest.mark.parametrize("new", DIFFERENT)
def test_different(go, new):
    """A difference has the class that it has for small files, and names the first row that differs."""
    found, counts, _ = go(new)
    assert [(one["class"], one["signature"], one["path"]) for one in found] == DIFFERENT[new]
    assert counts["differing"] == 1
    assert not any(one["unstable"] for one in found)
    right = {"Dies": "regressed"}.get(new, "unspecified")
    assert {one["right"] for one in found} == {right}


def test_the_values(go):
    """Both values are named, old and new."""
    (one,), _, _ = go("OneValue")
    assert (one["old"], one["new"]) == ('"8250"', '"-1"')
    (one,), _, _ = go("LosesABatch")
    assert (one["old"], one["new"]) == ("10000 rows", "8750 rows")
    (one,), _, _ = go("Steady", "Dies")
    assert (one["class"], one["right"], one["new"]) == ("lives", "improved", "reads it")


def test_only_what_differs_is_read_again(go, tmp_path):
    """Each version reads the file once for digests, and again only from the block that differs."""
    go("OneValue")
    asked = (tmp_path / "asked").read_text().split("\n")[:-1]
    last = 2 * BLOCK_ROWS
    assert sorted(asked) == ["OneValue 0", f"OneValue {last}", "Steady 0", f"Steady {last}"]


@pytest.mark.parametrize(("new", "said"), [("OnlyOnce", "alike"), ("NotAgain", "cannot be read")])
def test_what_is_not_there_again(go, new, said):
    """A difference that a second read does not confirm is reported as unstable."""
    (one,), _, _ = go(new)
    assert one["unstable"]
    assert said in one["signature"]
    assert one["path"].startswith("column 'id', rows 8192 to 9999")


def test_without_batches(go):
    """An engine that has no batches is read whole, and that is said."""
    assert go("Whole", "Whole")[0] == []
    (one,), counts, notes = go("WholeOtherwise", "Whole")
    assert (one["class"], one["path"]) == ("value", "column 'id', row 8250")
    assert counts["whole"] == 1
    assert notes == ["files/big: fake has no batches; the file is read whole"]


def test_columns_of_a_file_that_is_read_whole(go):
    """Each type of column that differs is a difference there, too."""
    found, _, _ = go("WholeWithOtherTypeAndValue", "Whole")
    assert [one["signature"] for one in found] == [
        "fake | schema | int(64, signed) as int(32, signed)",
        "fake | value | string",
        "fake | nulls | became null in list<element: string>",
    ]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("cls", "said"), [("Dies", "crashed"), ("Hangs", "hung")])
def test_what_neither_answers(go, monkeypatch, cls, said, tmp_path):
    """A file that both versions fail to read is not signed off, and is read again by the next start."""
    monkeypatch.setattr(large, "LEAST_SECONDS", 1.0)
    (one,), counts, _ = go(cls, cls, out="out")
    assert (one["class"], one["right"], counts["unread"]) == ("dies", "both wrong", 1)
    assert one["signature"].endswith(f"{said}, {said}; nothing was compared")
    assert not (tmp_path / "out" / large.DIGESTS).read_text()


def test_what_both_refuse(go):
    """A file that both refuse alike is no difference, and is counted as one that nobody compared."""
    found, counts, _ = go("RefusesLate", "RefusesLate")
    assert (found, counts["unread"], counts["blocks"]) == ([], 1, 0)


def test_a_folder_has_no_order(go, tmp_path):
    """Rows of a folder in another order are no difference."""
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "a.parquet").write_bytes(b"PAR1")
    assert go("SwapsRows", folder=tmp_path / "table")[0] == []
    assert go("OneValue", folder=tmp_path / "table")[0][0]["class"] == "value"


def test_a_second_start_goes_on(go, tmp_path):
    """A second start reads no compared file again, and does not trust a partly written line."""
    first = go("OneValue", out="out")
    (tmp_path / "asked").unlink()
    kept = tmp_path / "out" / large.DIGESTS
    with kept.open("a") as file:
        file.write('{"key": "x", "tol')
    assert go("OneValue", out="out")[:2] == first[:2]
    assert not (tmp_path / "asked").exists()
    kept.write_text(kept.read_text()[:40])
    assert go("OneValue", out="out")[0] == first[0]
    assert (tmp_path / "asked").exists()


def gated(tmp_path, monkeypatch, *classes):
    """Return the outcome of the gate for one large file and two versions, which are fakes."""
    pair = [replace(process(cls, "fake", HERE), version=str(at)) for at, cls in enumerate(classes, 1)]
    monkeypatch.setattr(gate, "processes", lambda *_: tuple(pair))
    (tmp_path / "big.parquet").write_bytes(b"PAR1")
    case = Case("files/big", "parquet", tmp_path / "big.parquet", "0" * 64, Expectation.by_vote())
    one = Input("large-parquet", "parquet", (case,), large=True, own=True)
    names = EngineName("pyarrow", "1"), EngineName("pyarrow", "2")
    return upgrade(UpgradeRequest(*names, (one,), tmp_path / "out", LIMITS, 1, ("upgrade",)), Quiet())


def test_a_large_file_that_neither_version_reads_is_not_signed_off(tmp_path, monkeypatch):
    """Two refusals alike are no difference, but nothing was compared."""
    done = gated(tmp_path, monkeypatch, "RefusesLate", "RefusesLate")
    assert (done.unreviewed, done.account["passed"]) == ([], False)


def test_a_line_that_was_cut_off_costs_no_other(go, tmp_path):
    """What is compared after a kill is kept, though the line before it is torn."""
    go("OneValue", out="out")
    kept = tmp_path / "out" / large.DIGESTS
    kept.write_text(kept.read_text()[:40])
    go("OneValue", out="out")
    (tmp_path / "asked").unlink()
    go("OneValue", out="out")
    assert not (tmp_path / "asked").exists()


def test_through_the_gate(tmp_path, monkeypatch):
    """What digests show is grouped, signed off and reported like any difference."""
    done = gated(tmp_path, monkeypatch, "Steady", "NullForNan")
    assert [group.signature for group in done.unreviewed] == ["fake | nulls | became null in float(64)"]
    account = json.loads((tmp_path / "out" / "upgrade.json").read_text())
    assert account["inputs"][0]["blocks"] == 3
    check(account, "upgrade:1", "account")
    assert account["engines"][0]["version"] == "1"


def case_of(folder, name, size):
    """Make a file of a size, and answer its case."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(bytes(size))
    return Case(f"files/{name}", "parquet", file, "0" * 64, Expectation.by_vote())


def test_which_files_are_large(tmp_path):
    """Files are read under every switch up to so many bytes in all, the smallest first."""
    cases = [case_of(tmp_path, f"{size}.parquet", size) for size in (50, 10, 100, 30)]
    small, rest = parted(cases, (), 95)
    assert [case.file.name for case in small] == ["50.parquet", "10.parquet", "30.parquet"]
    assert [case.file.name for case in rest] == ["100.parquet"]
    assert parted(cases, (), 1)[0] == ()


def partitioned(folder, *columns):
    """Make a partitioned folder of files with columns of these names; return the cases of its files."""
    for key, names in enumerate(columns):
        case_of(folder, f"t/k={key}/a.parquet", 0)
        pq.write_table(pa.table({name: [key] for name in names}), folder / f"t/k={key}/a.parquet")
    return list(import_paths([folder]).cases)


@pytest.mark.parametrize("second", ["x", "xy", "y"])
def test_a_large_table_covers_its_files(tmp_path, second):
    """A large partitioned folder of one schema is compared as one table, and its files not once more.

    By the schema of one file, a column of another file would not be compared: then each file is.
    """
    cases = partitioned(tmp_path, "x", second)
    whole = tables([str(tmp_path)], cases)
    small, rest = parted(cases, whole, 1)
    files = sorted(case.file for case in cases)
    assert small == ()
    assert sorted(case.file for case in rest) == ([tmp_path / "t"] if second == "x" else files)


def test_a_large_table_with_a_broken_file_is_compared_by_files(tmp_path):
    """A file whose schema is not known may have other columns than the rest."""
    cases = partitioned(tmp_path, "x", "x")
    cases[0].file.write_bytes(bytes(100))
    whole = tables([str(tmp_path)], cases)
    assert {case.file for case in parted(cases, whole, 1)[1]} == {case.file for case in cases}


def test_identity(tmp_path):
    """The identity of a large file is its size, time and last bytes; that of a small file is its digest."""
    file = tmp_path / "f"
    file.write_bytes(b"x" * 200_000)
    before = identity(file, 100), identity(file, 1 << 20)
    stamp = file.stat().st_mtime_ns
    file.write_bytes(b"y" + b"x" * 199_999)
    os.utime(file, ns=(stamp, stamp))
    assert identity(file, 100) == before[0]
    assert identity(file, 1 << 20) != before[1]
    os.utime(file, ns=(stamp, stamp + 1))
    assert identity(file, 100) != before[0]
