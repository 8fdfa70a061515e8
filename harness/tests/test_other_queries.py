"""What else fails in the file of a finding: a row is about one query, and names others."""

from dataclasses import replace

from harness.judging import worst
from harness.judging.results import Finding, Row
from harness.judging.signature import Stored
from harness.judging.wording import failing_too
from harness.tests.pipelines import generated, process, pushing
from harness.tests.queried import BIG, BOTH, NOT_NULL
from harness.tests.schemas import check

OF_NUMBERS = """[[failure]]
case = "generated/*"
verdict = "different"
reason = "r"
signature = "* in int(32, signed) order"
"""


def failing(folder, known=""):
    """Return the row and the finding of a fake that gets three filters wrong, with its known failures."""
    (folder / "known").mkdir(parents=True)
    (folder / "known" / "losesrows.toml").write_text(known)
    done = generated(folder / "out", 1, pushing("LosesRows"), process("Healthy", "reference"))
    (row,) = (row for row in done.rows if row.engine == "losesrows" and row.detail.finding)
    (finding,) = (finding for finding in done.findings if finding.engine == "losesrows")
    return row, finding


def test_other_queries_that_fail_are_counted_and_named(tmp_path):
    """The signature is that of the first query; the others are beside it, in results and in words."""
    row, finding = failing(tmp_path)
    others = (str(NOT_NULL), str(BOTH))
    assert (row.detail.probe, row.detail.others, row.detail.other_queries) == (str(BIG), 2, others)
    assert (finding.others, finding.other_queries) == (2, list(others))
    assert finding.signature.endswith("rows lost in int(32, signed) order")
    assert finding.basis.endswith(f"2 other queries of the file fail, too: {NOT_NULL}; {BOTH}")
    assert Row.from_json(row.to_json()) == row
    assert Finding.from_json(finding.to_json()) == finding
    for document, name in ((row, "row"), (finding, "finding")):
        check(document.to_json(), "results:3", name)
    alone = row.with_detail(others=0, other_queries=()).to_json()
    assert not {"others", "other_queries"} & alone["detail"].keys()


def test_known_failures_are_no_other_queries(tmp_path):
    """Of the queries that fail, those that an entry covers are left out, before and behind the row's own."""
    row, _ = failing(tmp_path / "first", OF_NUMBERS)
    assert (row.detail.probe, row.detail.others) == (str(NOT_NULL), 1)
    row, _ = failing(tmp_path / "later", OF_NUMBERS.replace("* in int(32, signed) order", "* in several *"))
    assert (row.detail.probe, row.detail.others) == (str(BIG), 1)


def test_names_of_other_queries_are_few(tmp_path, monkeypatch):
    """All are counted, and the first of them named."""
    monkeypatch.setattr(worst, "_NAMED", 1)
    row, _ = failing(tmp_path)
    assert (row.detail.others, row.detail.other_queries) == (2, (str(NOT_NULL),))
    assert failing_too(2, ["a < 1"]) == "2 other queries of the file fail, too: a < 1; and 1 more"
    assert failing_too(1, ["a < 1"]) == "1 other query of the file fails, too: a < 1"
    assert not failing_too(0, [])


def test_queries_that_fail_in_another_way_are_named_first(tmp_path):
    """A query with the signature of the row itself tells less than another."""
    row, _ = failing(tmp_path)
    alike, other = (row.with_detail(probe=name) for name in ("alike", "other"))
    first = Stored(row, {}, 1, "int")
    named = worst._with_others(first, [replace(first, row=alike), Stored(other, {}, 1, "string")], ())
    assert named.row.detail.other_queries == ("other", "alike")
