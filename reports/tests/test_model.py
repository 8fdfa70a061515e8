"""The model behind every format."""

from dataclasses import replace

import pytest

from harness.judging.results import ResultsError, load
from reports.build import build, result_of
from reports.formats import FORMATS
from reports.model import NO_FEATURE, Skipped
from reports.tests import sample
from reports.tests.sample import FASTPARQUET, PYARROW, SPARK_OFF, SPARK_ON


def _model(tmp_path, rows):
    return build(load(sample.write(tmp_path, rows)))


def test_cells_count_verdicts(tmp_path):
    """A cell counts its cases by verdict, names the worst, and tells findings from known failures."""
    model = _model(tmp_path, sample.every_verdict())
    delta = model.cells["parquet/encoding/delta-binary-packed", SPARK_OFF]
    assert (delta.worst, delta.cases, delta.passed, delta.findings) == ("different", 1, 0, 1)
    geometry = model.cells["parquet/logical/geometry", PYARROW]
    assert (geometry.worst, geometry.findings, geometry.known) == ("refused_valid", 0, 1)
    equivalent = model.cells["parquet/codec/snappy", SPARK_OFF]
    assert (equivalent.worst, equivalent.passed) == ("equivalent", 1)


def test_a_cell_that_passes_shows_what_most_of_its_cases_did(tmp_path):
    """One file refused rightly among many that agree does not hide that they agree."""
    rows = [
        sample.row(f"files/{number}", PYARROW, "agree", features=["parquet/page/v1"]) for number in range(3)
    ]
    rows.append(sample.row("bad/a", PYARROW, "refused_as_expected", features=["parquet/page/v1"]))
    cell = _model(tmp_path, rows).cells["parquet/page/v1", PYARROW]
    assert (cell.headline, cell.worst) == ("agree", "refused_as_expected")


def test_totals_are_sums(tmp_path):
    """Each result counts once per engine and once in the total, however many features it has."""
    rows = sample.every_verdict()
    model = _model(tmp_path, rows)
    asked = [row for row in rows if row["verdict"] != "skipped"]
    assert model.total.cases == len(asked) == sum(engine.total.cases for engine in model.engines)
    assert model.cases == len({row["case"] for row in asked})


def test_a_case_without_features_is_not_lost(tmp_path):
    """Cases whose features nobody knows have a row of their own, the last."""
    model = _model(tmp_path, sample.every_verdict())
    assert model.features[-1] == NO_FEATURE
    assert model.cells[NO_FEATURE, 0].cases == 1


def test_an_engine_that_only_rows_name_has_a_column(tmp_path):
    """Results of an engine that run.json does not name are shown all the same."""
    rows = [sample.row("files/a", SPARK_ON, "agree") | {"version": "4.9.9"}]
    labels = [engine.label for engine in _model(tmp_path, rows).engines]
    assert labels[-1] == "spark@4.9.9:vectorized=on"
    assert len(labels) == len(sample.ENGINES) + 1


def test_an_engine_without_results_keeps_its_column(tmp_path):
    """An engine that answered nothing is seen to have answered nothing."""
    model = _model(tmp_path, [sample.row("files/a", SPARK_ON, "agree")])
    assert model.engines[FASTPARQUET].total.cases == 0


def test_findings_come_worst_first_and_say_what_happened(tmp_path):
    """The list of findings begins with lost processes, and a finding tells what its smallest case tells."""
    findings = _model(tmp_path, sample.every_verdict()).findings
    assert [finding.verdict for finding in findings[:4]] == ["crashed", "out_of_memory", "hung", "different"]
    assert findings[0].gist == "ended by signal 11"
    assert findings[3].gist == "a[3].b: value: expected -9223372036854775808, got null"


def test_a_known_failure_is_not_the_finding_of_the_same_signature(tmp_path):
    """A finding's state is that of its own cases, whatever a listed case shows in the same words."""
    known = {"reason": "listed", "url": ""}
    rows = [
        sample.row(case, PYARROW, "different", signature="s", known=(case == "b" and known) or None)
        for case in "ab"
    ]
    results = load(sample.write(tmp_path, rows))
    finding = replace(results.findings[0], state="new")
    states = [result_of(row, 0, {("s", row.version): finding}).state for row in results.rows]
    assert states == ["new", ""]


def test_files_that_no_engine_read_are_told_apart(tmp_path):
    """A file that is no Parquet file is no case, but it is named, with the reason."""
    assert _model(tmp_path, sample.every_verdict()).skipped == [
        Skipped("files/notes", "neither Parquet nor ORC", "corpus/files/notes.parquet")
    ]


def test_a_stale_known_failure_is_a_finding(tmp_path):
    """An entry that no longer fails has no result of its own; it tells what the run says of it."""
    model = build(load(sample.write(tmp_path, [], [sample.STALE])))
    assert model.findings[0].gist == "listed as different, but it agrees"


@pytest.mark.parametrize(
    ("name", "value"),
    [("features", "x"), ("expectation", None), ("known", []), ("difference", 1), ("features", ...)],
)
def test_a_result_that_is_not_as_documented_is_refused(name, value, tmp_path):
    """A detail of another form, or without a key, is an error that names the case, not a wrong report."""
    row = sample.row("files/a", SPARK_ON, "agree")
    row["detail"][name] = value
    if value is ...:
        del row["detail"][name]
    with pytest.raises(ResultsError, match=r"files/a: .* is not as documented"):
        _model(tmp_path, [row])


def test_an_empty_run_has_a_report(tmp_path):
    """A run that judged nothing yet is a model with nothing in it."""
    model = _model(tmp_path, [])
    assert (model.cases, model.features, model.findings) == (0, [], [])


APART = {"path": "column 'a', row 1", "expected": "1", "actual": "2", "kind": "value"}
CONTESTED = {
    "kind": "either",
    "source": "vote",
    "votes": "table 1 (reference) : 1 (arrow-cpp=pyarrow), refused 0, abstained 0",
    "certainty": "contested",
    "why": "1 against 1 with the reference",
}
BLAMED = {
    "kind": "accept",
    "source": "vote",
    "rule": "PQ-PAGE-003",
    "clause": "README.md, Data Pages",
    "certainty": "likely",
    "why": "lineages: reference, orc-java",
}


def test_broken_files_are_counted_as_in_the_summary(tmp_path):
    """A file that must be refused is broken, whether a rule or a clause alone says so."""
    clause = {"kind": "refuse", "source": "spec", "clause": "README.md, File format"}
    rows = [
        sample.row("files/a", PYARROW, "refused_as_expected", expectation=clause),
        sample.row("files/b", PYARROW, "refused_as_expected", expectation={**clause, "rule": "PQ-FILE-001"}),
        sample.row("files/c", PYARROW, "agree"),
    ]
    assert _model(tmp_path, rows).disputes.broken == 2


def test_a_breach_is_shown_with_its_writer(tmp_path):
    """Reports name the writer of a file that breaks a rule and is read all the same, once per file."""
    breach = {
        "kind": "either",
        "source": "vote",
        "breach": "PQ-FILE-005 PQ-CHUNK-008",
        "writer": "old writer 1",
    }
    rows = [
        sample.row("files/a", PYARROW, "agree", expectation=breach),
        sample.row("files/a", SPARK_ON, "agree", expectation=breach),
        sample.row("files/b", PYARROW, "agree"),
    ]
    model = _model(tmp_path, rows)
    breaches = [("corpus/files/a.parquet", "old writer 1", ("PQ-FILE-005", "PQ-CHUNK-008"))]
    assert model.disputes.breaches == breaches
    for form in ("terminal", "markdown"):
        rendered = FORMATS[form].render(model)
        assert "Files that break a rule, and were still read" in rendered
        assert "PQ-FILE-005, PQ-CHUNK-008" in rendered
        assert "old writer 1" in rendered
    assert "old writer 1" in FORMATS["html"].render(model)


def test_refusals_by_choice_are_shown(tmp_path):
    """Each report names the engine that refused what may be read or refused, how often, and the reason."""
    choice = {"kind": "either", "source": "spec", "reason": "nobody need look"}
    queries = {"asked": 3, "unsupported": 0, "by_choice": 2}
    rows = [
        sample.row("files/a", PYARROW, "refused_as_expected", outcome="refused", expectation=choice),
        sample.row("files/a", SPARK_ON, "agree", expectation=choice),
        sample.row("files/b", PYARROW, "refused_otherwise", outcome="refused", expectation=choice),
        sample.row("files/b", SPARK_ON, "agree", expectation=choice, probes=queries),
        sample.row("files/c", SPARK_ON, "refused_as_expected", outcome="refused", expectation=sample.RULE),
    ]
    model = _model(tmp_path, rows)
    assert model.choices == [
        ("pyarrow@26.0.1", "nobody need look", 2),
        ("spark@4.3.0:vectorized=on", "nobody need look", 1),
    ]
    assert [engine.total.by_choice for engine in model.engines] == [0, 2, 0, 1, 0, 0]
    assert "refusals" in FORMATS["terminal"].render(model)
    for form in ("markdown", "html", "json"):
        assert "nobody need look" in FORMATS[form].render(model)


def test_contested_cases_and_broken_files_are_counted(tmp_path):
    """Each counts once, however many engines read it; a contested case is no finding."""
    rows = [
        sample.row("files/a", PYARROW, "different", expectation=CONTESTED, finding=False),
        sample.row("files/a", SPARK_ON, "contested", expectation=CONTESTED, difference=APART, finding=False),
        sample.row("files/b", PYARROW, "different", expectation=BLAMED, known_bug="some-bug"),
        sample.row("files/c", PYARROW, "agree"),
    ]
    model = _model(tmp_path, rows)
    assert (model.disputes.contested, model.disputes.broken) == (1, 1)
    assert model.disputes.summary == ", 1 contested case, 1 file with broken rules"
    (case,) = model.disputes.first
    assert (case.case, case.sides, case.why) == ("files/a", CONTESTED["votes"], CONTESTED["why"])
    assert case.seen == "spark@4.3.0:vectorized=on: column 'a', row 1: value: expected 1, got 2"
    assert [finding.case for finding in model.findings] == ["files/b"]
    for form in ("terminal", "markdown", "html"):
        text = FORMATS[form].render(model)
        assert "1 contested case, 1 file with broken rules" in text
        assert "1 against 1 with the reference" in text
        assert "row 1: value: expected 1, got 2" in text
        assert "likely, lineages: reference, orc-java; clause: README.md, Data Pages; looks like" in text
        assert "looks like a known bug: some-bug" in text
