"""Which refusals confirm a rule: those that come when its breach can have been seen, and from the engine."""

from __future__ import annotations

import pytest

from corpora import rules
from corpora.build.formats import FORMATS
from corpora.build.silences import ALIKE
from corpora.cases import Expectation
from corpora.tagged import STRING, Table
from harness.children import protocol
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.judging.ballots import Ballot
from harness.judging.details import RowDetail
from harness.judging.evidence import Evidence
from harness.judging.refusals import earliest_of
from harness.judging.verdicts import PASSED, Verdict, judge
from harness.judging.vote import vote
from harness.runs.pipeline.parts import outcome_from_json, outcome_to_json
from harness.tests.pipelines import files, go, process, verdicts
from properties.strategies.faults import FAULTS
from properties.strategies.faults.orc import FAULTS as ORC_FAULTS

PAGE, FOOTER = "PQ-PAGE-003", "PQ-SCHEMA-002"
TABLE = Table.of([("a", STRING)], [["x"]])
ANSWER = Outcome(OutcomeKind.TABLE, TABLE)


def refusal(step="", origin="", message="no"):
    """Return a refusal in a step."""
    return Outcome(OutcomeKind.REFUSED, detail=Detail(message=message, step=step, origin=origin))


@pytest.mark.parametrize(
    ("rule", "step", "verdict"),
    [
        (PAGE, "open", "refused_otherwise"),
        (PAGE, "rows", "refused_as_expected"),
        (PAGE, "", "refused_as_expected"),  # one call does both
        (FOOTER, "open", "refused_as_expected"),
        (FOOTER, "rows", "refused_as_expected"),  # late, and right
        ("PQ-NEW-001", "open", "refused_as_expected"),  # a rule that is not listed
    ],
)
@pytest.mark.parametrize("kind", ["refuse", "either"])
def test_a_refusal_before_the_breach_can_be_seen_is_another(kind, rule, step, verdict):
    """A file that is refused while it is opened does not confirm a rule about pages, and nobody is blamed."""
    expectation = Expectation(kind, "spec", rule=rule, reason="may be refused")
    assert judge(expectation, refusal(step)).verdict == verdict


def test_a_mistake_confirms_no_rule():
    """What Python code beside the engine's raises by mistake is no refusal by the rule."""
    verdict = judge(Expectation.refuse(rule=FOOTER), refusal(origin="binding")).verdict
    assert verdict is Verdict.REFUSED_OTHERWISE
    assert verdict not in PASSED
    text = "operands could not be broadcast together with shapes (3,) (2,)"
    of_numpy = Outcome(OutcomeKind.REFUSED, detail=Detail(error_class="ValueError", message=text))
    assert judge(Expectation.refuse(rule=FOOTER), of_numpy).verdict is Verdict.REFUSED_OTHERWISE


def test_an_expectation_without_a_rule_takes_any_refusal():
    """Where the implementation may choose, the step does not matter."""
    assert judge(Expectation.either("a choice"), refusal("open")).verdict is Verdict.REFUSED_AS_EXPECTED


@pytest.mark.parametrize(
    ("message", "verdict"),
    [
        ("The column `ROW` already exists", "refused_as_expected"),
        ("Found duplicate field(s) row", "refused_as_expected"),
        ("Unknown encoding type 9", "refused_valid"),
    ],
)
def test_a_refusal_for_names_that_are_alike_names_one(message, verdict):
    """A file with such names may be refused for them alone."""
    table = Table.of([("row", STRING), ("ROW", STRING)], [["x"], ["y"]])
    expectation = Expectation.either(ALIKE, table=table)
    assert judge(expectation, refusal(message=message)).verdict == verdict
    assert judge(Expectation.either("else", table=table), refusal(message=message)).verdict in PASSED
    assert judge(expectation, Outcome(OutcomeKind.TABLE, table)).verdict == "agree"


def test_of_several_rules_the_earliest_counts():
    """A file that breaks a rule of the footer too may be refused when it is opened."""
    assert earliest_of([PAGE]) == "rows"
    assert earliest_of([PAGE, FOOTER]) == earliest_of([]) == "any"


def test_the_step_is_reported(tmp_path):
    """Rows have the step of a refusal; the verdict follows from it and from the rule of the case."""
    imported = files(tmp_path / "in", ["bad"], Expectation.refuse(rule=PAGE))
    names = ("RefusesAtOpen", "RefusesRows", "Refuses", "Mistaken")
    results = go(tmp_path / "out", imported, *map(process, names))
    assert {row.engine: (row.verdict, row.detail.step) for row in results.rows} == {
        "refusesatopen": ("refused_otherwise", "open"),
        "refusesrows": ("refused_as_expected", "rows"),
        "refuses": ("refused_as_expected", ""),
        "mistaken": ("refused_otherwise", ""),
    }
    assert results.findings == []


def test_a_good_file_that_is_refused_when_opened_is_valid_all_the_same(tmp_path):
    """The step excuses nobody: a valid file is refused wrongly in any."""
    imported = files(tmp_path / "in", ["bad"], Expectation.accept(TABLE, "spec"))
    results = go(tmp_path / "out", imported, process("RefusesAtOpen"))
    assert verdicts(results) == {"bad": "refused_valid"}


def test_older_answers_and_results_have_no_step():
    """Parts and results of before there were steps are read."""
    outcome = outcome_to_json(refusal("open"))
    assert outcome_from_json(outcome).detail.step == "open"
    del outcome["detail"]["step"]
    assert not outcome_from_json(outcome).detail.step
    assert "step" not in RowDetail().to_json()
    assert RowDetail.from_json(RowDetail(step="rows").to_json()).step == "rows"


@pytest.mark.parametrize(("more", "fits"), [({}, True), ({"step": "open"}, True), ({"step": "later"}, False)])
def test_the_protocol_knows_steps(more, fits):
    """An error may leave its step out; another word is none."""
    error = {"kind": "refused", "class": "ValueError", "message": "", "phase": "read", **more}
    line = protocol.encode({"id": 1, "error": error})
    if fits:
        assert protocol.decode_reply(line, "read", 1)["error"] == error
    else:
        with pytest.raises(protocol.ProtocolError, match="step"):
            protocol.decode_reply(line, "read", 1)


@pytest.mark.parametrize(
    ("engine", "broken", "kind"),
    [
        (refusal("rows"), (PAGE,), "refuse"),
        (refusal("open"), (PAGE,), "either"),
        (refusal("open"), (PAGE, FOOTER), "refuse"),
    ],
)
def test_a_refusal_of_another_kind_does_not_support_the_reference(engine, broken, kind):
    """Nobody who accepts a file is blamed because another engine could not open it."""
    ballots = {name: Ballot(given, (), name, name) for name, given in (("a", engine), ("b", ANSWER))}
    reference = refusal("rows", message=f"[{PAGE}] a wrong checksum (at byte 4)")
    decided = vote(ballots, reference, Evidence(broken=broken))
    assert decided.kind == kind
    otherwise = {"refuse": Verdict.REFUSED_AS_EXPECTED, "either": Verdict.REFUSED_OTHERWISE}[kind]
    assert judge(decided, engine).verdict is otherwise


FAULTS_OF = {"parquet": FAULTS, "orc": ORC_FAULTS}
ROWS_ALONE = [rule.id for rule in rules.load().values() if rule.earliest]


def test_a_file_that_breaks_a_rule_of_rows_can_be_opened(for_each):
    """The reference opens the file of each fault whose rule rows alone can break."""

    def check(rule):
        form = "orc" if rule in ORC_FAULTS else "parquet"
        fault = FAULTS_OF[form][rule]
        FORMATS[form].file(fault.build(), fault.keys)

    rules_of_faults = [rule for rule in ROWS_ALONE if rule in {**FAULTS, **ORC_FAULTS}]
    assert rules_of_faults
    for_each([(rule, rule) for rule in rules_of_faults], check)
