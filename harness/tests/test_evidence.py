"""What a file says beside the answers, and what follows from it for rows and findings."""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora import own_cases
from corpora.answers import take
from corpora.build.evolution.importing import import_tables
from corpora.build.recipe import OPTIONAL, REPEATED, group, leaf, list_group, schema
from corpora.cases import Case, Expectation, Probe
from corpora.cases import load as load_case
from corpora.known_failures import Entry
from corpora.queries import Compare, Filter, Project
from corpora.rules import load
from corpora.tagged import DATE, STRING, Table, floating, integer, timestamp
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.engines.reference.adapter import Reference
from harness.engines.registry import ENGINES
from harness.investigate.upgrade.classes import Right
from harness.investigate.upgrade.pairing import _Case
from harness.judging import clauses, evidence
from harness.judging.answers import Answered, Remembered
from harness.judging.case_files import features_in
from harness.judging.evidence import NOTHING, evidence_of
from harness.judging.judge import allowing_refusal, judge
from harness.judging.places import Config, Place, Process
from harness.judging.records import Findings
from harness.judging.subjects import Given
from harness.judging.traits import Traits
from harness.judging.verdicts import Verdict
from harness.judging.verdicts import judge as judge_outcome
from properties.strategies.faults import FAULTS
from reference_impl.orc.plan import FilePlan as OrcPlan
from reference_impl.orc.schema import CalendarKind, TypeKind
from reference_impl.orc.schema import Type as OrcType
from reference_impl.orc.writer import write as orc_write
from reference_impl.parquet.anatomy import assemble, dissect
from reference_impl.parquet.plan import Column, FilePlan, Page, Statistics
from reference_impl.parquet.schema import Encoding
from reference_impl.parquet.schema import Type as Physical
from reference_impl.parquet.writer import write
from reference_impl.validation import Report, Violation

LAST = ((1 << 63) - 1) // 1000  # milliseconds, of which an int64 holds the microseconds
X, Y = (Outcome(OutcomeKind.TABLE, Table.of([("a", STRING)], [[value]])) for value in "xy")
REFERENCE = Process("reference", "1", (), (Config("", {}),), ("parquet",))
NO = Outcome(OutcomeKind.REFUSED, detail=Detail(error_class="Error", message="no"))
RULE = Outcome(OutcomeKind.REFUSED, detail=Detail(message="[PQ-FILE-002] it does not begin with PAR1"))
CRASH = Outcome(OutcomeKind.CRASHED, detail=Detail(signal=11))


@pytest.fixture
def sound(tmp_path):
    """Return a case of a sound file, to be voted on."""
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": ["x"]}), file)
    return case_of(file)


@pytest.fixture
def broken(sound):
    """Return the case after its first bytes were changed."""
    sound.file.write_bytes(b"PAX1" + sound.file.read_bytes()[4:])
    return case_of(sound.file)


def case_of(file):
    """Return the case of a file, to be voted on."""
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return Case(f"files/{file.name}", "parquet", file, digest, Expectation.by_vote())


def judged(case, known=(), **outcomes):
    """Return the row of each engine, by its name."""
    answered = [
        Answered(
            Process(name, "1", (), (Config("", {}),), ("parquet",)),
            Traits(),
            Remembered({Place(0, 0): outcome}),
        )
        for name, outcome in outcomes.items()
    ]
    return {each.stored.row.engine: each.stored for each in judge([case], answered, known)}


def test_a_file_that_is_not_decided_has_the_features_of_its_values(sound):
    """The reference's values show them, so that a known bug of such values is recognised."""
    read, other = (
        Outcome(OutcomeKind.TABLE, Table.of([("a", floating(64))], [[bits]]))
        for bits in ("7ff8000000000000", "0" * 16)
    )
    rows = judged(sound, reference=read, duckdb=other)
    assert rows["duckdb"].row.verdict == "contested"
    assert "parquet/value/nan" in rows["duckdb"].row.detail.features


def test_clauses_are_of_rules_that_stop_no_reader():
    """Rules whose breach has values that a clause decides are SHOULDs."""
    assert {load()[rule].level for rule in clauses._OF_BREACHES} == {"SHOULD"}


def test_the_broken_musts_of_a_file(broken, tmp_path):
    """The validator names them, unless the reference did not come to an end; a folder has none."""
    assert evidence_of(broken, RULE).broken == ("PQ-FILE-002",)
    for kind in (OutcomeKind.CRASHED, OutcomeKind.HUNG, OutcomeKind.OUT_OF_MEMORY, OutcomeKind.LIMITED):
        assert evidence_of(broken, Outcome(kind)) == NOTHING
    empty = tmp_path / "empty.parquet"
    empty.write_bytes(b"")
    assert evidence_of(case_of(empty), NO).broken
    empty.unlink()
    empty.mkdir()
    assert evidence_of(Case("files/x", "parquet", empty, "0" * 64, Expectation.by_vote()), NO) == NOTHING


def test_a_file_that_breaks_a_must_may_be_refused_though_the_reference_reads_it(sound, broken):
    """Beside the reference alone, too: two versions that refuse such a file are not both wrong."""
    given = [Given(Answered(REFERENCE, Traits(), Remembered()), 0, X)]
    known = Expectation.accept(X.table, "vote")
    allowed = allowing_refusal(broken, known, given)
    assert (allowed.kind, allowed.rule, allowed.table) == ("either", "PQ-FILE-002", X.table)
    sound.file.write_bytes(b"PAR1" + sound.file.read_bytes()[4:])
    assert allowing_refusal(case_of(sound.file), known, given) == known
    recorded = replace(broken, expectation=known)
    assert allowing_refusal(recorded, known, given) == known


@pytest.mark.parametrize("moment", [LAST, LAST + 1])
def test_versions_may_refuse_what_a_specification_leaves_open(sound, moment):
    """Where two versions are compared, a legal file may be refused for the same reasons as in a run."""
    far = Outcome(OutcomeKind.TABLE, Table.of([("a", timestamp("ms", utc=True))], [[str(moment)]]))
    given = [Given(Answered(REFERENCE, Traits(), Remembered({Place(0, 0): far})), 0, far)]
    allowed = allowing_refusal(sound, Expectation.accept(far.table, "vote"), given)
    assert (allowed.kind, allowed.table) == ("accept" if moment == LAST else "either", far.table)
    compared = _Case(None, None, sound, 0, [], {})
    expected = (Verdict.REFUSED_VALID, Right.IMPROVED)
    if moment != LAST:
        expected = (Verdict.REFUSED_AS_EXPECTED, Right.BOTH_RIGHT)
    verdict = judge_outcome(allowed, NO, ()).verdict
    assert (verdict, compared._right(allowed, (verdict, Verdict.AGREE))) == expected


@pytest.mark.parametrize(("moment", "verdict"), [(LAST, "refused_valid"), (LAST + 1, "refused_as_expected")])
def test_far_moments_may_be_refused(sound, moment, verdict):
    """Whoever refuses milliseconds whose microseconds do not fit 64 bits is right, the others are wrong."""
    read = Outcome(
        OutcomeKind.TABLE, Table.of([("a", timestamp("ms", utc=True))], [["0", None, str(-moment)]])
    )
    assert bool(evidence_of(sound, read).silence) == (moment != LAST)
    rows = judged(sound, reference=read, pyarrow=read, duckdb=NO)
    assert rows["duckdb"].row.verdict == verdict


def test_clauses_are_about_columns(tmp_path):
    """An encoding or a bare repeated field brings its clause, for its column; a LIST brings none."""
    fields = schema(
        leaf("plain", Physical.INT32),
        leaf("delta", Physical.INT32),
        list_group("list", OPTIONAL, group("list", REPEATED, leaf("element", Physical.INT32))),
        leaf("bare", Physical.INT32, REPEATED),
    )
    row = {"plain": 1, "delta": 2, "list": {"list": [{"element": 3}]}, "bare": [4, 5]}
    columns = (Column(), Column((Page(encoding=Encoding.DELTA_BINARY_PACKED),)), Column(), Column())
    file = tmp_path / "a.parquet"
    file.write_bytes(write(FilePlan(fields, (row,), columns)))
    case = Case("files/a", "parquet", file, "0" * 64, Expectation.by_vote())
    found = {clause.text.partition(":")[0]: clause.columns for clause in evidence_of(case, X).clauses}
    assert found == {
        "Encodings.md#DELTAENC (PQ-DBP-006)": {1},
        "LogicalTypes.md, Lists": {3},
    }


def dates(*days):
    """Return the table of a column of dates."""
    return Outcome(OutcomeKind.TABLE, Table.of([("a", DATE)], [[str(day) for day in days]]))


@pytest.mark.parametrize("calendar", list(CalendarKind))
def test_the_calendar_that_an_orc_file_names_decides(tmp_path, calendar):
    """Dates of another calendar than the footer's are against a clause; no clause is about other days."""
    file = tmp_path / "a.orc"
    root = OrcType(kind=TypeKind.STRUCT, subtypes=(1,), field_names=("a",))
    types = (root, OrcType(kind=TypeKind.DATE))
    file.write_bytes(orc_write(OrcPlan(types, ((0,), (-719_162,)), calendar=calendar)))
    case = Case("files/a", "orc", file, "0" * 64, Expectation.by_vote())
    proleptic, hybrid, other = dates(0, -719_162), dates(0, -719_164), dates(1, -719_162)
    deciding = evidence_of(case, proleptic).clauses
    assert len(deciding) == (calendar is not CalendarKind.UNKNOWN_CALENDAR)
    for clause in deciding:
        assert clause.text.startswith("orc_proto.proto, CalendarKind")
        assert clause.decides(proleptic.table, hybrid.table)
        assert not clause.decides(proleptic.table, other.table)
        assert not clause.decides(proleptic.table, proleptic.table)


@pytest.mark.parametrize("rival", [Y, NO])
def test_two_engines_alone_blame_nobody(sound, rival):
    """The reference and one engine that differs: contested, and no finding."""
    rows = judged(sound, reference=X, duckdb=rival)
    for stored in rows.values():
        assert not stored.row.detail.finding
        assert stored.row.detail.expectation.certainty == "contested"


def test_a_clause_against_most_is_shown_and_no_finding(sound, monkeypatch):
    """Who differs from the clause is `different`, contested, with both sides; nobody is blamed."""
    monkeypatch.setattr(evidence, "clauses_of", lambda *_: (clauses.Clause("a clause"),))
    rows = judged(sound, reference=X, duckdb=Y, polars=Y)
    assert [stored.row.verdict for stored in rows.values()] == ["agree", "different", "different"]
    for stored in rows.values():
        assert not stored.row.detail.finding
        assert stored.row.detail.expectation.certainty == "contested"
    assert rows["duckdb"].row.detail.expectation.clause == "a clause"
    assert rows["duckdb"].row.detail.expectation.votes.startswith("table 2 (duckdb, polars) : 1 (reference)")


def test_a_lost_process_is_a_finding_in_any_file(sound):
    """That a case is contested excuses wrong values, not a crash."""
    rows = judged(sound, reference=X, duckdb=Y, polars=CRASH)
    assert [name for name, stored in rows.items() if stored.row.detail.finding] == ["polars"]
    findings = Findings()
    findings.add(rows["polars"])
    assert findings.all()[0].certainty == "certain"


def test_a_broken_must_excuses_who_refuses(broken):
    """Three that accept do not outvote the one that refuses; the rule and its clause are told."""
    rows = judged(broken, reference=X, duckdb=X, polars=X, fastparquet=NO)
    assert {stored.row.verdict for stored in rows.values()} == {"agree", "refused_as_expected"}
    expectation = rows["fastparquet"].row.detail.expectation
    assert (expectation.rule, expectation.clause) == ("PQ-FILE-002", load()["PQ-FILE-002"].clause)


def test_a_blame_says_why(broken):
    """A finding from a vote names the lineages, or the clause that it rests on, and how sure it is."""
    rows = judged(broken, reference=X, duckdb=X, pyarrow=Y)
    findings = Findings()
    findings.add(rows["pyarrow"])
    (finding,) = findings.all()
    assert finding.certainty == "likely"
    assert finding.basis == "likely, lineages: reference, duckdb"
    certain = judged(broken, reference=RULE, duckdb=NO, polars=X)["polars"]
    assert (certain.row.verdict, certain.row.detail.expectation.certainty) == ("accepted_invalid", "certain")
    findings.add(certain)
    assert "; clause: " in findings.all()[1].basis


def test_the_breach_is_the_writers(tmp_path):
    """A broken rule that is read over is named beside the writer; a sound file has none."""
    file = tmp_path / "a.parquet"
    fault = FAULTS["PQ-CHUNK-008"]
    file.write_bytes(fault.build())
    row = judged(case_of(file), reference=X, duckdb=X, pyarrow=Y)["duckdb"].row
    expectation = row.detail.expectation
    assert (expectation.breach, expectation.writer) == ("PQ-CHUNK-008", "colconf version 1.0.0 (build 0)")
    assert expectation.to_json()["breach"] == "PQ-CHUNK-008"
    file.write_bytes(fault.near.build())
    expectation = judged(case_of(file), reference=X, duckdb=X)["duckdb"].row.detail.expectation
    assert (expectation.breach, expectation.writer) == (None, None)
    assert "breach" not in expectation.to_json()


@pytest.mark.parametrize(
    ("name", "certainty", "breach"),
    [("lies/statistics/int32", "contested", "PQ-STATS-004"), ("statistics/int32/both", None, None)],
)
def test_false_statistics_of_a_recorded_file(name, certainty, breach):
    """Who loses rows of a file whose table is recorded, and whose statistics are false, is not blamed."""
    case = load_case(own_cases.folder() / f"parquet/{name}.json")
    table, probe = case.expectation.table, replace(case.probes[0], misled=None)
    case = replace(case, expectation=Expectation.accept(table, "writer:a@1"), probes=(probe,))
    lost = Outcome(OutcomeKind.TABLE, Table.of([("x", table.columns[0].type)], [[]]))
    outcomes = {Place(0, 0): Outcome(OutcomeKind.TABLE, table), Place(0, 0, 0): lost}
    answered = [
        Answered(Process(each, "1", (), (Config("", {}),), ("parquet",)), Traits(), Remembered(outcomes))
        for each in ("reference", "loses")
    ]
    for row in (each.stored.row for each in judge([case], answered, ())):
        expectation = row.detail.expectation
        assert (row.verdict, expectation.certainty, expectation.breach) == ("different", certainty, breach)
        assert row.detail.finding == (breach is None)


@pytest.mark.parametrize(
    ("name", "given", "certainty"),
    [
        ("lies/statistics/int32", "7", "contested"),
        ("lies/bloom/int32", "7", None),
        ("fault/pq-stats-013/null-not-counted", None, "contested"),
        ("fault/pq-stats-013/null-not-counted", "7", None),
        ("statistics/int32/both", None, None),
    ],
)
def test_values_by_false_bounds_and_counts(name, given, certainty):
    """Values by false bounds and nulls by false counts blame nobody; false filters are no excuse."""
    case = load_case(own_cases.folder() / f"parquet/{name}.json")
    table = case.expectation.table
    case = replace(case, expectation=Expectation.accept(table, "writer:a@1"), probes=())
    values = [table.column(at) for at in range(len(table.columns) - 1)]  # the last has the false metadata
    values.append([given] * table.num_rows)
    other = Table.of([(column.name, column.type) for column in table.columns], values)
    read = judged(case, reference=Outcome(OutcomeKind.TABLE, table), folds=Outcome(OutcomeKind.TABLE, other))
    row = read["folds"].row
    assert (row.verdict, row.detail.expectation.certainty) == ("different", certainty)
    assert row.detail.finding == (certainty is None)


def test_a_known_bug_is_named_in_other_files(sound):
    """An entry with a signature names its finding in files that it does not list; they stay findings."""
    entry = Entry(
        "polars", "corpus/*", "refused_valid", "it cannot", signature="*| Error: no", finding="some-bug"
    )
    row = judged(sound, [entry], reference=X, duckdb=X, pyarrow=X, polars=NO)["polars"].row
    assert (row.verdict, row.detail.finding, row.detail.known_bug) == ("refused_valid", True, "some-bug")
    other = judged(sound, [entry], reference=X, duckdb=X, pyarrow=X, fastparquet=NO)["fastparquet"].row
    assert other.detail.known_bug == ""


def test_lineages():
    """Engines of one library are one lineage; every other engine is its own."""
    lineages = {name: entry.lineage_of("orc") for name, entry in ENGINES.items() if "orc" in entry.formats}
    assert lineages == {
        "reference": "reference",
        "pyarrow_orc": "orc-cpp",
        "pyorc": "orc-cpp",
        "spark": "orc-java",
        "orc_java": "orc-java",
        "chdb": "orc-cpp",
        "databend": "orc-rust",
    }
    assert ENGINES["parquet_java"].lineage_of("parquet") == "parquet-java"
    assert ENGINES["datafusion"].lineage_of("parquet") == "arrow-rs"
    assert ENGINES["spark"].lineage_of("parquet") == "parquet-java"
    assert ENGINES["duckdb"].lineage_of("parquet") == "duckdb"


def test_features_of_an_encrypted_file_are_read_with_its_keys():
    """The judge opens an encrypted file of a case with the keys of the case, and names what is in it."""
    case = load_case(own_cases.folder() / "parquet/encryption/mode/uniform-gcm-128.json")
    assert {"parquet/encryption/footer", "parquet/type/int64"} <= set(features_in(case))
    assert features_in(replace(case, keys=None)) == ()


def test_why_a_read_may_be_refused_is_evidence(tmp_path):
    """Of a folder that is read by a step which not every reader has, the evidence says so."""
    for number, type_ in enumerate((pa.int32(), pa.int64())):
        pq.write_table(pa.table({"a": pa.array([1], type_)}), tmp_path / f"{number}.parquet")
    cases = {case.id.rpartition("/")[2]: case for case in import_tables([str(tmp_path)]).cases}
    assert evidence_of(cases["schema-1"], X).silence == "not every reader supports: int-widened"
    assert evidence_of(cases["nothing"], X).silence == ""


def test_a_contested_answer_shows_where_it_differs(sound):
    """Who is on the other side than the reference has the first difference; nobody has a finding."""
    rows = judged(sound, reference=X, duckdb=Y)
    assert rows["duckdb"].row.verdict == "contested"
    assert rows["duckdb"].row.detail.difference["kind"] == "value"
    assert rows["reference"].row.detail.difference is None


def test_a_lost_process_needs_no_clause(broken):
    """A finding of a crash cites no rule that the file breaks."""
    findings = Findings()
    findings.add(judged(broken, reference=RULE, duckdb=NO, polars=CRASH)["polars"])
    (finding,) = findings.all()
    assert (finding.clause, finding.basis) == ("", "certain, no file may have that effect")


@pytest.mark.parametrize("is_recorded", [True, False])
@pytest.mark.parametrize(("column", "certainty"), [("a", "contested"), ("b", None)])
def test_who_loses_rows_by_a_column_with_sound_statistics(tmp_path, is_recorded, column, certainty):
    """False statistics of one column are no excuse for the rows that a filter of another loses."""
    rows = tuple({"a": row, "b": row} for row in range(4))
    fields = schema(leaf("a", Physical.INT32), leaf("b", Physical.INT32))
    file = tmp_path / "x.parquet"
    own = dissect(write(FilePlan(fields, rows, (Column(statistics=Statistics()),) * 2)))
    lying = own.groups[0].chunks[0].chunk.meta_data.statistics
    lying.min_value = lying.max_value = struct.pack("<i", 9)
    file.write_bytes(assemble(own))
    table = Table.of([("a", integer(32)), ("b", integer(32))], [["0", "1", "2", "3"]] * 2)
    case = replace(case_of(file), probes=(Probe(Filter(Compare((column,), "<", integer(32), "3"))),))
    if is_recorded:
        case = replace(case, expectation=Expectation.accept(table, "writer:a@1"))
    lost = Outcome(OutcomeKind.TABLE, Table.of([("a", integer(32)), ("b", integer(32))], [[], []]))
    outcomes = {Place(0, 0): Outcome(OutcomeKind.TABLE, table), Place(0, 0, 0): lost}
    rest = {**outcomes, Place(0, 0, 0): Outcome(OutcomeKind.TABLE, take(table, range(3)))}
    answered = [
        Answered(Process(name, "1", (), (Config("", {}),), ("parquet",)), Traits(), Remembered(held))
        for name, held in (("reference", rest), ("duckdb", rest), ("pyarrow", outcomes))
    ]
    row = {each.stored.row.engine: each.stored.row for each in judge([case], answered, ())}["pyarrow"]
    assert row.verdict == "different"
    assert (row.detail.expectation.certainty == "contested") == (certainty == "contested")
    assert row.detail.finding == (certainty is None)


def as_numbers(table):
    """Return a table whose last column has the numbers of its values."""
    *others, (name, _) = table.columns
    values = [table.column(at) for at in range(len(table.columns))]
    return Table.of([*others, (name, integer(64))], values)


@pytest.mark.parametrize(("is_recorded", "is_query"), [(True, False), (False, False), (True, True)])
def test_the_type_of_one_of_two_annotations(tmp_path, is_recorded, is_query):
    """A reader that takes the type by an annotation that the writer left out is not blamed."""
    file = tmp_path / "x.parquet"
    file.write_bytes(FAULTS["PQ-LOGICAL-010"].build())
    right = Outcome(OutcomeKind.TABLE, Reference().read(str(file), "parquet", {}))
    row, column = right.table.columns
    assert column.type.kind == "timestamp"
    other = Outcome(OutcomeKind.TABLE, as_numbers(right.table))
    case = replace(case_of(file), probes=(Probe(Project((row.name, column.name))),) if is_query else ())
    if is_recorded:
        case = replace(case, expectation=Expectation.accept(right.table, "writer:a@1"))
    # A file of known values that an engine does not read whole is queried for some of its columns.
    read = Outcome(OutcomeKind.UNSUPPORTED) if is_query else other
    answered = [
        Answered(Process(name, "1", (), (Config("", {}),), ("parquet",)), Traits(), Remembered(held))
        for name, held in (
            ("reference", {Place(0, 0): right, Place(0, 0, 0): right}),
            ("duckdb", {Place(0, 0): right, Place(0, 0, 0): right}),
            ("fastparquet", {Place(0, 0): read, Place(0, 0, 0): other}),
        )
    ]
    row = {each.stored.row.engine: each.stored.row for each in judge([case], answered, ())}["fastparquet"]
    assert (row.verdict, row.detail.expectation.certainty, row.detail.finding) == (
        "different",
        "contested",
        False,
    )
    assert "PQ-LOGICAL-010" in row.detail.expectation.why


def test_a_missing_copy_of_an_annotation_excuses_no_refusal(tmp_path):
    """A LogicalType that is not repeated as ConvertedType leaves nothing open: who refuses is wrong."""
    file = tmp_path / "x.parquet"
    file.write_bytes(FAULTS["PQ-LOGICAL-010"].build())
    right = Outcome(OutcomeKind.TABLE, Reference().read(str(file), "parquet", {}))
    answered = [
        Answered(
            Process(name, "1", (), (Config("", {}),), ("parquet",)), Traits(), Remembered({Place(0, 0): held})
        )
        for name, held in (
            ("reference", right),
            ("duckdb", right),
            ("polars", Outcome(OutcomeKind.REFUSED, detail=Detail(message="no dictionaries"))),
        )
    ]
    row = {each.stored.row.engine: each.stored.row for each in judge([case_of(file)], answered, ())}["polars"]
    assert (row.verdict, row.detail.finding) == ("refused_valid", True)
    assert row.detail.expectation.breach == "PQ-LOGICAL-010"


@pytest.mark.parametrize("probe", [None, "a = 1"])
def test_a_query_is_blamed_by_who_read_the_file(sound, probe):
    """The lineages of a vote read the file; the blamed engine may be one of them."""
    stored = judged(sound, reference=X, duckdb=X, pyarrow=Y)["pyarrow"]
    findings = Findings()
    findings.add(replace(stored, row=stored.row.with_detail(probe=probe)))
    (finding,) = findings.all()
    assert finding.why.startswith("values of the file by lineages: ") == (probe is not None)


COLUMNS = Table.of([(name, STRING) for name in ("a", "a.b", "c")], [[], [], []])


@pytest.mark.parametrize(
    ("form", "rule", "step", "names"),
    [
        ("parquet", "PQ-STATS-005", "column c", {"c"}),
        ("parquet", "PQ-STATS-005", "column a.b", {"a", "a.b"}),  # a field of `a`, or a column
        ("parquet", "PQ-STATS-005", "statistics", None),  # of which column is not said
        ("parquet", "PQ-STATS-017", "column c", set()),  # a SHOULD
        ("parquet", "PQ-INDEX-032", "column c", None),  # where its rows are
        ("orc", "ORC-STATS-001", "column 3 (c)", {"c"}),
        ("orc", "ORC-STATS-001", "column 2 (a.b)", {"a", "a.b"}),
    ],
)
def test_the_columns_with_false_metadata(form, rule, step, names):
    """They are named by the paths of what `validate` finds; None if it does not say of all."""
    report = Report([Violation(rule, 0, ("row_groups[0]", step), "")])
    assert evidence._misleading(report, COLUMNS, form) == (None if names is None else frozenset(names))
    assert evidence._misleading(Report(suppressed=Counter([rule])), COLUMNS, form) in (None, frozenset())


def test_violations_beyond_the_limits_are_of_any_column():
    """Where some breaches are only counted, every column may have false metadata."""
    assert evidence._misleading(Report(suppressed=Counter(["PQ-STATS-005"])), COLUMNS, "parquet") is None
