"""The ways to read a file: what an engine answers must not depend on them."""

import importlib
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest

from corpora.cases import Expectation, Probe
from corpora.queries import Compare, Computed, Filter, Project, Slice, TopRows
from corpora.table_reads import TableRead
from corpora.tagged import STRING, Field, Table, integer, map_of
from harness.children.outcomes import Outcome, OutcomeKind
from harness.engines.entry import Entry
from harness.engines.registry import ENGINES
from harness.judging import way_rows, ways
from harness.judging.places import Config, Place
from harness.judging.traits import Traits
from harness.judging.verdicts import Verdict
from harness.runs.pipeline.profiles import configurations
from harness.tests.pipelines import files, go, process
from harness.tests.way_fakes import QUERY_WAYS, ROWS, WAYS

MODULE = "harness.tests.way_fakes"


@pytest.fixture(autouse=True)
def entry(monkeypatch):
    """Register an engine with ways."""
    entry = Entry("ways", MODULE, "Ways", switches={"way": WAYS})
    monkeypatch.setitem(ENGINES, "ways", entry)
    return entry


def reader(*names):
    """Return the process of the engine, in ways."""
    configs = tuple(
        Config("" if name == "default" else f"way={name}", {"way": name}) for name in names or ("default",)
    )
    return process("Ways", "ways", MODULE, configs=configs)


def rows_of(tmp_path, *names, count=1, **more):
    """Return the rows of a run over files, by their configuration."""
    imported = files(tmp_path / "files", [f"f{number}" for number in range(count)], more.pop("meaning", None))
    return go(tmp_path / "out", imported, reader(*names), **more).rows


def test_each_difference_is_a_row_of_its_way(tmp_path):
    """Where all ways are asked, those that read otherwise have a row, besides that of the default way."""
    rows = {row.config: row for row in rows_of(tmp_path, every_value=True)}
    verdicts = {config: row.verdict for config, row in rows.items()}
    assert verdicts == {
        "": "agree",
        "way=other_values": "inconsistent",
        "way=refuses": "inconsistent",
        "way=dies": "crashed",
    }
    assert rows["way=other_values"].detail.difference["expected"] == '"7"'
    assert (
        rows["way=other_values"].detail.signature
        == "ways:way=other_values | inconsistent | value in int(32, signed)"
    )
    assert (
        rows["way=refuses"].detail.signature
        == "ways:way=refuses | inconsistent | ValueError: not in this way"
    )


def test_without_a_known_meaning(tmp_path):
    """What nobody knows the meaning of is read in all ways alike."""
    rows = rows_of(tmp_path, every_value=True, meaning=Expectation.either("the text is silent"))
    assert sorted(row.config for row in rows if row.detail.finding) == [
        "way=dies",
        "way=other_values",
        "way=refuses",
    ]


def test_a_broken_file_may_be_read_otherwise(tmp_path):
    """What a file that must be refused holds may depend on the way."""
    rows = rows_of(tmp_path, every_value=True, meaning=Expectation.refuse(clause="a clause"))
    assert [row.config for row in rows] == [""]


def test_a_broken_file_may_be_refused_in_one_way(tmp_path):
    """A refusal in one way is no finding where the file breaks a rule; other values still are."""
    broken = replace(Expectation.either("a page lies"), rule="PQ-PAGE-003")
    by_choice = Expectation.either("checksums need not be verified", clause="README.md, Checksumming")
    for number, meaning in enumerate((broken, by_choice)):
        folder = tmp_path / str(number)
        folder.mkdir()
        rows = rows_of(folder, every_value=True, meaning=meaning)
        assert sorted(row.config for row in rows if row.detail.finding) == ["way=dies", "way=other_values"]


@pytest.mark.parametrize(("breach", "is_excuse"), [("PQ-PAGE-003", True), ("PQ-LOGICAL-010", False)])
def test_a_breach_that_leaves_nothing_open_excuses_no_way(tmp_path, breach, is_excuse):
    """A file without the ConvertedType of a local time may not be refused in one way alone."""
    table = Table.of([("name", STRING), ("number", integer(32))], [["f0"], ["7"]])
    meaning = replace(Expectation.accept(table, "generator"), breach=breach)
    rows = rows_of(tmp_path, every_value=True, meaning=meaning)
    findings = {row.config for row in rows if row.detail.finding}
    assert ("way=refuses" in findings) is not is_excuse
    assert "way=dies" in findings


@pytest.mark.parametrize("way", ["other_values", "refuses"])
def test_a_named_way(tmp_path, way):
    """A configuration that names a way is compared with the default one: `replay` needs no more."""
    rows = rows_of(tmp_path, way)
    assert [(row.config, row.verdict) for row in rows] == [(f"way={way}", "inconsistent")]


def test_both_named(tmp_path):
    """A way that is named besides the default one has one row."""
    rows = rows_of(tmp_path, "default", "other_values", "same", every_value=True)
    configs = sorted(row.config for row in rows)
    assert configs == ["", "way=dies", "way=other_values", "way=refuses", "way=same"]


def test_few_ways_of_each_file():
    """Each file meets as many other ways as were asked for, and many files meet all of them."""
    engine = reader()
    chosen = [ways.compared(engine, 0, "parquet", f"{number:064x}", 2) for number in range(64)]
    assert {len(each) for each in chosen} == {2}
    assert set().union(*chosen) == set(WAYS) - {"default"}


def test_no_configurations_of_ways(entry):
    """Runs have no configuration for each way: files meet them by turns."""
    assert configurations(entry, ["parquet"], every_switch=True) == [{}]


@pytest.fixture
def queried(monkeypatch, tmp_path):
    """Return what runs an engine with ways of queries, in some of them, over a file with two filters."""
    switches = {"way": QUERY_WAYS}
    more = {"read_ways": (), "query_ways": QUERY_WAYS, "unordered": ("any-order",)}
    monkeypatch.setitem(
        ENGINES, "query_ways", Entry("query_ways", MODULE, "QueryWays", switches=switches, **more)
    )
    probes = [Probe(Filter(Compare(("number",), ">", integer(32), number))) for number in ("1", "0")]

    def run(*names, probes=probes, meaning=None, fake="QueryWays", **more):
        meaning = meaning or Expectation.accept(ROWS, "generator")
        imported = files(tmp_path / "files", ["f0"], meaning)
        cases = tuple(replace(case, probes=tuple(probes)) for case in imported.cases)
        configs = tuple(Config("" if name == "default" else f"way={name}", {"way": name}) for name in names)
        engine = process(fake, "query_ways", MODULE, configs=configs)
        return go(tmp_path / "out", replace(imported, cases=cases), engine, **more).rows

    return run


def test_each_way_of_a_query_that_answers_otherwise_is_a_row(queried):
    """An answer with other rows, or in another order where one is promised, is inconsistent."""
    rows = {row.config: row for row in queried("default", every_value=True)}
    assert {config: row.verdict for config, row in rows.items()} == {
        "": "agree",
        "way=loses": "inconsistent",
        "way=turns": "inconsistent",
        "way=refuses": "inconsistent",
    }
    assert [rows[f"way={name}"].detail.signature for name in ("loses", "turns", "refuses")] == [
        "query_ways:way=loses | inconsistent | filter: rows lost in int(32, signed) order",
        "query_ways:way=turns | inconsistent | filter: order of rows in int(32, signed) order",
        "query_ways:way=refuses | inconsistent | ValueError: not in this way in int(32, signed) order",
    ]
    assert rows["way=loses"].detail.probe == "number > 1"


@pytest.mark.parametrize("name", ["loses", "turns", "any-order"])
def test_a_query_in_a_named_way(queried, name):
    """A configuration that names a way of queries is compared with the default one."""
    rows = queried(name)
    verdict = "agree" if name == "any-order" else "inconsistent"
    assert [(row.config, row.verdict) for row in rows] == [(f"way={name}", verdict)]


def test_queries_without_a_known_meaning(queried):
    """Two ways are compared where nobody knows what is right."""
    rows = queried("default", every_value=True, meaning=Expectation.either("the text is silent"))
    assert {row.config for row in rows if row.detail.finding} == {"way=loses", "way=turns", "way=refuses"}


def test_queries_of_what_may_be_refused(queried):
    """A query may be refused in one way where a clause leaves refusing the file to a reader."""
    meaning = Expectation.either("not everyone has it", clause="a clause", table=ROWS)
    rows = queried("default", every_value=True, meaning=meaning)
    assert {row.config for row in rows if row.detail.finding} == {"way=loses", "way=turns"}
    rows = queried("default", fake="RefusesByDefault", every_value=True, meaning=meaning)
    assert not [row.config for row in rows if row.detail.finding and row.config != "way=refuses"]


def test_a_way_may_have_equivalences_of_its_own():
    """What an engine documents of one way alone, such as the order of entries, is no contradiction."""
    type_ = map_of(STRING, integer(32))
    usual, turned = (
        Outcome(OutcomeKind.TABLE, Table.of([("m", type_)], [[value]]))
        for value in ([["62", "1"], ["61", "2"]], [["61", "2"], ["62", "1"]])
    )
    traits = Traits(claimed=("orc-map-entries-sorted",))
    subject = SimpleNamespace(
        given=SimpleNamespace(answered=SimpleNamespace(traits=traits)), traits=traits.under({}), features=()
    )
    assert ways.judge_ways(usual, turned, subject.traits.claimed) is not None
    for way, is_alike in (("interpreted", True), ("splits", False)):
        pair = SimpleNamespace(config=Config(f"way={way}", {"way": way}))
        claimed = way_rows._claimed_by_way(subject, pair)
        assert (ways.judge_ways(usual, turned, claimed) is None) is is_alike


@pytest.mark.parametrize(("certainty", "is_finding"), [("likely", False), ("contested", True)])
def test_a_way_may_refuse_as_the_vote_says(certainty, is_finding):
    """Where the vote leaves refusing to a reader, one way may; where it is contested, nobody said so."""
    case = SimpleNamespace(expectation=Expectation.by_vote())
    decided = replace(
        Expectation.either("who refuses is right", table=ROWS, source="vote"), certainty=certainty
    )
    subject = SimpleNamespace(case=case, expectation=decided)
    assert way_rows._may_be_refused(subject) is not is_finding


def test_who_trusts_false_statistics_may_do_so_in_one_way(queried):
    """A query that false statistics mislead is asked in one way."""
    misled = [Probe(Filter(Compare(("number",), ">", integer(32), "1")), misled=(0,))]
    assert [row.config for row in queried("default", probes=misled, every_value=True)] == [""]


def test_a_share_of_queries_has_other_ways():
    """One query in four is asked in one more way, and all queries together meet all ways."""
    engine = process(
        "Polars", "polars", configs=(Config("", {"api": "eager", "way": "default", "pushdown": "on"}),)
    )
    every = [ways.compared(engine, 0, "parquet", str(salt), 1, of_queries=True) for salt in range(800)]
    assert 150 < sum(map(len, every)) < 250
    assert set().union(*every) == set(ENGINES["polars"].query_ways) - {"default"}


def test_forms_of_values_are_alike_in_all_ways():
    """What an engine documents of values, such as sorted maps, is no difference of its ways."""
    type_ = map_of(STRING, integer(32))
    table, other = (
        Outcome(OutcomeKind.TABLE, Table.of([("m", type_)], [[entries]]))
        for entries in ([["b", "1"], ["a", "2"]], [["a", "2"], ["b", "1"]])
    )
    assert ways.judge_ways(table, other).verdict is Verdict.INCONSISTENT
    assert ways.judge_ways(table, other, ["orc-map-entries-sorted"]) is None
    answers = partial(ways.judge_answers, Project(("m",)), table, other, "ieee", is_ordered=True)
    assert answers().verdict is Verdict.INCONSISTENT
    assert answers(claimed=["orc-map-entries-sorted"]) is None


@pytest.mark.parametrize("name", [name for name, entry in ENGINES.items() if ways.WAY in entry.switches])
def test_every_way_of_an_engine_can_be_asked(name):
    """Each way that an engine's module has is a value of the switch."""
    module = importlib.import_module(f"harness.engines.{name}.ways")
    tables = [getattr(module, table, {}) for table in ("WAYS", "QUERIES", "SLICES")]
    assert set().union(*tables) == set(ENGINES[name].values(ways.WAY, ENGINES[name].formats))


def test_rows_of_a_table_are_put_beside_each_other_as_both_ways_have_them():
    """Rows that differ by what the other way documents, in another order, are the same rows."""
    type_ = map_of(integer(32), STRING)
    first, second = [["2", "x"], ["1", "y"]], [["4", "x"], ["3", "y"]]
    usual = Outcome(OutcomeKind.TABLE, Table.of([("m", type_)], [[first, second]]))
    unusual = Outcome(OutcomeKind.TABLE, Table.of([("m", type_)], [[sorted(second), sorted(first)]]))
    config = Config("way=interpreted", {"way": "interpreted"})
    sorts = Traits(claimed=("orc-map-entries-sorted",))
    subject = SimpleNamespace(
        traits=Traits(),
        features=(),
        case=SimpleNamespace(read=TableRead((Field("m", type_),))),
        given=SimpleNamespace(answered=SimpleNamespace(traits=sorts)),
    )
    pair = way_rows._aligned(subject, way_rows._Pair(Place(0, 0, 0), config, usual, unusual))
    assert ways.judge_ways(pair.usual, pair.unusual, sorts.claimed) is None
    assert ways.judge_ways(usual, unusual, sorts.claimed) is not None


@pytest.mark.parametrize(("row", "is_right"), [(["1", "c"], True), (["1", "x"], False), (["2", "a"], False)])
def test_first_rows_may_be_others_of_equal_values_in_another_way(row, is_right):
    """Of rows with equal values two ways may return different ones; other rows of the file are not right."""
    fields = [("n", integer(32)), ("s", STRING)]
    file = Table.of(fields, [["2", "1", "1"], ["a", "b", "c"]])
    usual, unusual = (
        Outcome(OutcomeKind.TABLE, Table.of(fields, [[value] for value in values]))
        for values in (["1", "b"], row)
    )
    query = TopRows(("n",), 1)
    assert ways.judge_answers(query, usual, unusual, "ieee", is_ordered=True) is None  # as many rows
    answered = SimpleNamespace(traits=Traits())
    expectation = Expectation.accept(file, "generator")
    given = SimpleNamespace(answered=answered)
    subject = SimpleNamespace(traits=Traits(), features=(), expectation=expectation, given=given)
    pair = way_rows._Pair(Place(0, 0, 0), Config("way=view", {"way": "view"}), usual, unusual)
    assert (way_rows._of_any_rows(subject, Probe(query), pair) is None) is is_right


@pytest.mark.parametrize(("way", "is_right"), [("interpreted", True), ("splits", False)])
def test_a_slice_of_any_rows_may_have_the_forms_of_its_way(way, is_right):
    """Where rows have no order, those of a slice are also told by what the other way alone documents."""
    type_, rows = map_of(integer(32), STRING), [[["2", "x"], ["1", "y"]], [["4", "x"], ["3", "y"]]]
    file = Table.of([("m", type_)], [rows])
    usual = Outcome(OutcomeKind.TABLE, Table.of([("m", type_)], [rows[:1]]))
    unusual = Outcome(OutcomeKind.TABLE, Table.of([("m", type_)], [[sorted(rows[1])]]))
    subject = SimpleNamespace(
        traits=Traits(),
        features=(),
        expectation=Expectation.accept(file, "generator"),
        given=SimpleNamespace(answered=SimpleNamespace(traits=Traits(claimed=("orc-map-entries-sorted",)))),
    )
    pair = way_rows._Pair(Place(0, 0, 0), Config(f"way={way}", {"way": way}), usual, unusual)
    assert (way_rows._of_any_rows(subject, Probe(Slice(0, 1)), pair) is None) is is_right


@pytest.mark.parametrize(("text", "is_judged"), [("abc", True), ("É", False)])
def test_a_slice_whose_right_rows_nothing_defines_is_not_judged(text, is_judged):
    """Engines differ in the lower case of a letter beyond ASCII: nobody knows which rows are right."""
    fields = [("s", STRING)]
    file = Table.of(fields, [[text, "B"]])
    test = Computed(("s",), "lower", None, "=", STRING, "b")
    subject = SimpleNamespace(
        traits=Traits(),
        features=(),
        expectation=Expectation.accept(file, "generator"),
        given=SimpleNamespace(answered=SimpleNamespace(traits=Traits())),
    )
    usual, unusual = (Outcome(OutcomeKind.TABLE, Table.of(fields, [[value]])) for value in ("B", text))
    pair = way_rows._Pair(Place(0, 0, 0), Config("way=any-order", {"way": "any-order"}), usual, unusual)
    judgement = way_rows._of_any_rows(subject, Probe(Slice(0, 1, test)), pair)
    assert (judgement is not None) is is_judged
