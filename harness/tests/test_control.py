"""The control set: what colconf cannot put to an engine is not asked, and blames nobody."""

import json
from contextlib import ExitStack
from dataclasses import replace
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from corpora.build.control import controls, parquet
from corpora.build.formats import FORMATS
from corpora.importers import Imported
from harness import cli
from harness.commands import control as control_command
from harness.commands.doctor import doctor
from harness.engines.entry import Entry
from harness.engines.naming import EngineName
from harness.engines.registry import ENGINES
from harness.environments.availability import status
from harness.investigate.fuzz.campaign_record import CampaignRequest
from harness.investigate.fuzz.engines import Campaign
from harness.investigate.fuzz.tests.test_engines import REFERENCE_PROCESS
from harness.investigate.upgrade import account, gate
from harness.investigate.upgrade.request import Input, UpgradeRequest
from harness.judging import control, control_answers
from harness.judging.places import Barred, Config, Process
from harness.judging.results import load
from harness.tests.foreign_manifests import READER, forget, manifest
from harness.tests.pipelines import LIMITS, Quiet, go, process
from harness.tests.pipelines import files as plain_files
from harness.tests.schemas import printed

MODULE = "harness.tests.control_fakes"


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    """Use an empty cache."""
    monkeypatch.setenv("COLCONF_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def few(monkeypatch):
    """Make the control set small: a plain file, dates, and integers."""
    names = {"plain", "date", "int32"}

    def recipes():
        return (recipe for recipe in parquet.recipes() if recipe.id in names)

    cached = (controls._built, controls.features, controls.digest)
    for function in cached:
        function.cache_clear()
    monkeypatch.setitem(controls.RECIPES, "parquet", recipes)
    yield
    for function in cached:
        function.cache_clear()


@pytest.fixture
def engine(monkeypatch, few):  # noqa: ARG001 - makes the set small
    """Return a function that registers a fake and returns its process."""

    def registered(name):
        entry = Entry(name.lower(), MODULE, name, packages=("x",))
        monkeypatch.setitem(ENGINES, name.lower(), entry)
        return process(name, module=MODULE)

    return registered


def asked(engine):
    """Return the answers of a process to the control set of Parquet."""
    (answers,) = control.ask(engine, "parquet", LIMITS)
    return answers


def states(answers):
    """Return the states of the answers that are not simply answered, by file and question."""
    return {
        (answer.control, answer.question): answer.state
        for answer in answers.answers
        if answer.state != control_answers.ANSWERED
    }


def imported(folder, *names):
    """Return control files as files of a run."""
    cases = [case for case in controls.cases("parquet", folder) if controls.name(case) in names]
    return Imported(tuple(cases), ())


@pytest.mark.parametrize("format_", controls.RECIPES)
def test_the_files_are_valid(format_, tmp_path):
    """Control files break no rule, are small, and the reference reads them as they mean."""
    for case in controls.cases(format_, tmp_path):
        data = case.file.read_bytes()
        assert len(data) < 2_000
        broken = {violation.rule for violation in FORMATS[format_].examine(data).violations}
        assert broken <= {"PQ-SCHEMA-010"}, case.id  # INT96 is deprecated: a SHOULD


def test_each_question_is_put_to_something():
    """Each codec and type, each kind of query and test stands in the set."""
    of_files = set().union(*controls.features("parquet").values())
    assert {f"parquet/codec/{name}" for name in ("snappy", "gzip", "brotli", "lz4-raw", "zstd")} <= of_files
    assert {f"parquet/logical/{name}" for name in ("date", "time", "timestamp", "decimal")} <= of_files
    assert {"parquet/nesting/list", "parquet/nesting/map", "parquet/type/int96"} <= of_files
    of_orc = set().union(*controls.features("orc").values())
    assert {f"orc/codec/{name}" for name in ("none", "zlib", "snappy", "lz4", "zstd")} <= of_orc


def test_a_sound_engine_is_asked_everything(engine):
    """Nothing is barred, and all is answered but what the engine lacks."""
    answers = asked(engine("Sound"))
    assert set(states(answers).values()) <= {control_answers.LACKED}
    assert not list(answers.barred())


def test_an_adapter_that_fails_bars_its_question_alone(engine):
    """A TypeError of the adapter at `in` of dates says nothing of other types, tests or files."""
    answers = asked(engine("TripsOverDates"))
    assert {key: state for key, state in states(answers).items() if state != control_answers.LACKED} == {
        ("date", "in"): control_answers.NOT_ASKED
    }
    (barred,) = answers.barred()
    assert barred[:3] == ("", "date", "in")
    assert barred.reason.startswith("adapter: TypeError: ")
    assert "glob" in barred.reason


def test_a_binding_that_fails_bars_its_question(engine):
    """So does a TypeError out of the binding's own Python code."""
    (barred,) = asked(engine("BindingTripsOverDates")).barred()
    assert barred[:3] == ("", "date", "in")
    assert barred.reason.startswith("binding: TypeError: ")


def test_files_that_cannot_be_read(engine):
    """An adapter that fails on files of dates bars the feature that no file has which it reads."""
    (barred,) = asked(engine("CannotReadDates")).barred()
    assert barred[:3] == ("", "parquet/logical/date", "read")


@pytest.mark.parametrize("name", ["WrongDates", "RefusesDates"])
def test_an_engine_that_is_wrong_is_asked(name, engine):
    """Wrong values and an engine's own error bar nothing, control set or not."""
    answers = asked(engine(name))
    assert states(answers)["date", "read"] == control_answers.FAILED
    assert not list(answers.barred())


def test_a_run_does_not_ask_what_cannot_be_put(engine, tmp_path):
    """The question has no request, no verdict on the file and no finding; the run says what it left out."""
    files = imported(tmp_path / "files", "date", "int32")
    progress = Quiet()
    results = go(
        tmp_path / "run",
        files,
        engine("TripsOverDates"),
        process("Reference", "reference", module="harness.engines.reference.adapter", reported=False),
        control=True,
        progress=progress,
    )
    assert {row.verdict for row in results.rows} == {"agree"}
    assert not results.findings
    rows = {row.case.rpartition("/")[2]: row for row in results.rows}
    assert rows["date"].detail.probes.not_asked == 1
    assert rows["int32"].detail.probes.not_asked == 0
    (left_out,) = results.run.not_asked
    assert (left_out["engine"], left_out["question"]) == ("tripsoverdates@1", "date in")
    assert "tripsoverdates@1 is not asked date in" in progress.notes


def test_a_run_does_not_ask_for_files_that_cannot_be_read(engine, tmp_path):
    """Such files have the verdict `not_asked`, without a request."""
    results = go(
        tmp_path / "run",
        imported(tmp_path / "files", "date", "int32"),
        engine("CannotReadDates"),
        control=True,
    )
    rows = {row.case.rpartition("/")[2]: row for row in results.rows}
    assert (rows["date"].outcome, rows["date"].verdict) == ("misspoke", "not_asked")
    assert rows["date"].detail.phase == "control"
    assert rows["int32"].verdict == "agree"
    assert not results.findings


def test_without_a_control_set_an_adapter_is_blamed_all_the_same(engine, tmp_path):
    """Where the control set was not asked, a mistake of the adapter is no verdict on the engine either."""
    results = go(tmp_path / "run", imported(tmp_path / "files", "date"), engine("CannotReadDates"))
    (row,) = results.rows
    assert (row.outcome, row.verdict, row.detail.origin) == ("misspoke", "not_asked", "adapter")
    assert not results.findings


def test_an_engine_that_is_wrong_on_the_control_set_is_a_finding(engine, tmp_path):
    """An engine's own weakness is shown by the run, whatever the control set showed."""
    results = go(tmp_path / "run", imported(tmp_path / "files", "date"), engine("WrongDates"), control=True)
    assert [finding.verdict for finding in results.findings] == ["different"]
    assert results.run.not_asked == []


def test_a_failing_binding_without_control_set_is_a_finding(engine, tmp_path):
    """What only the binding fails at is no matter of the adapter: without the control set, it is judged."""
    results = go(tmp_path / "run", imported(tmp_path / "files", "date"), engine("BindingTripsOverDates"))
    assert [finding.verdict for finding in results.findings] == ["refused_valid"]


def test_answers_are_cached(engine, monkeypatch):
    """A second run asks nothing; another control set asks anew; a damaged file is asked again."""
    sound = engine("Sound")
    first = asked(sound)
    monkeypatch.setattr(control, "answers_to", None)
    assert asked(sound) == first
    assert list(control.all_cached()) == [first]
    monkeypatch.undo()


@pytest.mark.heavy
def test_a_foreign_engine_is_asked_each_time(few, tmp_path, monkeypatch):  # noqa: ARG001 - a small set
    """A reader that was edited, and has the same version, gives the answers of its new code."""
    forget(monkeypatch)
    reader = tmp_path / "reader.py"
    reader.write_text(READER.read_text())
    file = manifest(tmp_path, "honest")
    file.write_text(file.read_text().replace(str(READER), str(reader)))
    before = {each.state for answers in control_command.answers_of(str(file)) for each in answers.answers}
    reader.write_text(reader.read_text().replace('if FAULT == "plant" and', "if"))
    after = [each.state for answers in control_command.answers_of(str(file)) for each in answers.answers]
    assert (control_answers.FAILED in before, control_answers.FAILED in after) == (False, True)


@pytest.mark.heavy
def test_a_damaged_answer_is_asked_again(engine, cache):
    """What is not readable in the cache is not there."""
    sound = engine("Sound")
    first = asked(sound)
    (path,) = (cache / "control" / sound.key).glob("*.json")
    path.write_text("{")
    assert asked(sound) == first
    assert json.loads(path.read_text())["engine"] == "sound"


def test_another_adapter_is_asked_anew(engine, monkeypatch):
    """Cached answers are valid for the modules and the control set that they were given with."""
    asked(engine("Sound"))
    monkeypatch.setattr(control, "digest_of_modules", lambda _: "another")
    assert not list(control.all_cached())


def test_answers_depend_on_the_own_adapter():
    """A change of another engine's adapter changes no digest, one of shared modules all."""
    content = control.carried_files()
    shared, own, other = (
        f"harness/engines/{name}" for name in ("base.py", "pyorc/adapter.py", "spark/adapter.py")
    )

    def digests(changed=""):
        files = {name: data + b"#" * (name == changed) for name, data in content.items()}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(control, "carried_files", lambda: files)
            control.digest_of_modules.cache_clear()
            return control.digest_of_modules("pyorc"), control.digest_of_modules("spark")

    before = digests()
    assert [a == b for a, b in zip(digests(own), before, strict=True)] == [False, True]
    assert [a == b for a, b in zip(digests(other), before, strict=True)] == [True, False]
    assert [a == b for a, b in zip(digests(shared), before, strict=True)] == [False, False]
    control.digest_of_modules.cache_clear()


def test_a_heavy_engine_is_asked_once_for_all_of_pushdown(engine):
    """Its configurations that differ in pushdown alone have the answers of the first."""
    trips = engine("TripsOverDates")
    configs = (Config("", {"pushdown": "on"}), Config("pushdown=off", {"pushdown": "off"}))
    first, second = control.ask(replace(trips, heavy=True, configs=configs), "parquet", LIMITS)
    assert first.answers == second.answers
    assert [barred.config for each in (first, second) for barred in each.barred()] == ["", "pushdown=off"]


def test_configurations_share_answers_where_the_adapter_does_the_same(engine, monkeypatch):
    """A switch that is passed on costs no further requests, not even in a later run; another one does."""
    sound = engine("Sound")
    monkeypatch.setitem(ENGINES, "sound", replace(ENGINES["sound"], passed_on=("case",)))
    plain = Config("", {"case": "default", "zone": "utc"})
    passed_on = Config("case=on", {"case": "on", "zone": "utc"}, probed=False)
    other = Config("zone=apia", {"case": "default", "zone": "apia"}, probed=False)
    first, second, third = control.ask(replace(sound, configs=(passed_on, plain, other)), "parquet", LIMITS)
    assert first.answers == second.answers
    assert len(second.answers) > len(third.answers)  # of `other`, only whole files are asked for
    asked_later = []
    monkeypatch.setattr(control, "answers_to", lambda process, *_: asked_later.extend(process.configs) or [])
    assert control.ask(replace(sound, configs=(passed_on,)), "parquet", LIMITS) == [first]
    assert not asked_later
    with_queries = other._replace(probed=True)
    assert control.ask(replace(sound, configs=(with_queries,)), "parquet", LIMITS) == []
    assert asked_later == [with_queries]


def test_a_long_control_set_says_how_far_it_is(engine, monkeypatch):
    """While an engine is asked, a message names the file it is at."""
    monkeypatch.setattr(control, "_EVERY_SECONDS", 0.0)
    messages = []
    control.ask(engine("Sound"), "parquet", LIMITS, messages.append)
    assert messages[1:] == [f"sound@1: {done} of 3 trivial parquet files" for done in range(3)]


def test_plain_files_of_unknown_features_are_asked(engine, tmp_path):
    """A bar is of a feature: files without it are asked, also files that the reference cannot read."""
    trips = engine("CannotReadDates")
    results = go(tmp_path / "run", plain_files(tmp_path / "files", ["a"]), trips, control=True)
    assert [row.outcome for row in results.rows] == ["refused"]


def test_doctor_lists_what_is_not_asked(engine):
    """The doctor names the questions, by engine and version."""
    asked(engine("TripsOverDates"))
    checks = printed("doctor", CliRunner().invoke(doctor, ["--json"]).stdout)["checks"]
    (check,) = (check for check in checks if check["name"] == "tripsoverdates@1")
    assert check["told"] == "parquet, not asked: date in"
    assert "colconf engines control tripsoverdates@1" in check["mend"]


def test_the_command_writes_a_table(few, tmp_path):  # noqa: ARG001 - makes the set small
    """`engines control` asks an engine, and writes its row between the marks of a page; other rows stay."""
    page = tmp_path / "page.md"
    version = status(ENGINES["pyarrow"]).version
    rows = [
        f"| `{name}@{number}` | {format_} | old |  |  |  |\n"
        for name, number, format_ in [
            *(("polars", "1.10.0", "parquet"), ("pyarrow", version, "parquet"), ("pyarrow", version, "orc")),
            *(("polars", "1.9.0", "parquet"), ("pyarrow", "9.0.0", "parquet")),
        ]
    ]
    page.write_text(f"# Page\n<!-- control: begin -->\nold\n{''.join(rows)}<!-- control: end -->\nrest\n")
    result = CliRunner().invoke(
        cli.colconf, ["engines", "control", "pyarrow", "--write", str(page), "--json"]
    )
    assert result.exit_code in {0, 1}, result.output
    assert {each["engine"] for each in printed("engines control", result.stdout)} == {"pyarrow"}
    text = page.read_text()
    assert text.startswith("# Page\n<!-- control: begin -->\n\n| engine |")
    new = [line for line in text.splitlines(keepends=True) if line.startswith("| `")]
    assert [new[0], new[1], *new[3:]] == [rows[4], rows[2], rows[3], rows[0]]
    assert new[2].startswith(f"| `pyarrow@{version}` | parquet | ")
    assert "old" not in new[2]
    assert text.endswith("\n<!-- control: end -->\nrest\n")


def test_the_table_says_what_a_release_cannot_be_asked(engine):
    """A row names files that cannot be read, types by kind of query, and counts the answers."""
    trips, cannot = (asked(engine(name)) for name in ("TripsOverDates", "CannotReadDates"))
    rows = control_command.table([trips, cannot]).splitlines()[2:]
    assert rows[0].startswith("| `tripsoverdates@1` | parquet | 45 of 47")
    assert rows[0].endswith("| in of date |")
    assert rows[1].endswith("| reading date |")
    nothing = [answer._replace(state=control_answers.NOT_ASKED) for answer in cannot.answers]
    row = control_command.table([replace(cannot, answers=tuple(nothing))]).splitlines()[2]
    assert row.endswith("| reading any file |")


@pytest.mark.parametrize("content", [None, "no marks\n", "<!-- control: begin -->\n"])
def test_a_page_without_marks_is_refused(content, tmp_path):
    """A page that has no place for the table is left as it is: one line, status 2."""
    page = tmp_path / "page.md"
    if content is not None:
        page.write_text(content)
    result = CliRunner().invoke(cli.colconf, ["engines", "control", "pyarrow", "--write", str(page)])
    assert result.exit_code == 2
    assert not page.exists() or page.read_text() == content


def test_questions_for_people():
    """A barred question is described by its type, or by the files."""
    assert control_answers.described(Barred("", "date", "in", "x")) == "date in"
    assert control_answers.described(Barred("", "", "batches", "x")) == "batches"
    date = control_answers.described(Barred("", "parquet/logical/date", "read", "x"))
    assert date == "to read files with parquet/logical/date"
    assert control_answers.described(Barred("", "", "read", "x")) == "to read any file"


def test_the_gate_compares_nothing_that_is_not_asked(engine, tmp_path, monkeypatch):
    """Dates that one version is not asked for are no difference; the account and its lines name them."""
    old, new = replace(engine("Sound"), name="x", version="1.0"), engine("TripsOverDates")
    monkeypatch.setitem(ENGINES, "x", replace(ENGINES["tripsoverdates"], name="x"))
    pair = (old, replace(new, name="x", version="2.0"))
    monkeypatch.setattr(gate, "processes", lambda *_: pair)
    spark = EngineName("spark", "1.0"), EngineName("spark", "2.0")
    input_ = Input("files", "parquet", imported(tmp_path / "files", "date").cases)
    request = UpgradeRequest(*spark, (input_,), tmp_path / "out", LIMITS, 1, ("upgrade",))
    done = gate.upgrade(request, Quiet()).account
    assert done["passed"]
    assert {line["engine"] for line in done["not_asked"]} == {"x@2.0"}
    assert any("x@2.0 is not asked date" in line for line in account.lines(done))


def test_a_campaign_asks_the_control_set(engine, tmp_path):
    """What an engine cannot be asked is no finding of a campaign, and its record lists it."""
    request = CampaignRequest(
        tmp_path, (engine("CannotReadDates"),), REFERENCE_PROCESS, ("parquet",), 0.0, LIMITS, guided=False
    )
    campaign = Campaign(request, lambda _: None)
    with ExitStack() as stack:
        campaign.run(stack)
    (barred,) = campaign.request.engines[0].barred
    assert barred.subject == "parquet/logical/date"
    (line,) = load(tmp_path).run.not_asked
    assert line["question"] == "to read files with parquet/logical/date"


def test_a_note_names_the_configuration(monkeypatch):
    """A configuration that reads no file does not keep the default one from reading."""
    barred = [
        Barred("api=dataset", "", controls.READ, "a TypeError"),
        Barred("", "date", "in", "a TypeError"),
    ]
    monkeypatch.setattr(control, "ask", lambda *_: [SimpleNamespace(barred=lambda: barred)])
    notes = []
    old = Process("pyarrow_orc", "7.0.0", (), (Config("", {}),), ("orc",))
    (tested,) = control.with_control([old], ["orc"], LIMITS, notes.append)
    assert tested.barred == tuple(barred)
    assert notes == [
        "pyarrow_orc@7.0.0 is not asked date in",
        "pyarrow_orc@7.0.0:api=dataset is not asked to read any file",
    ]
