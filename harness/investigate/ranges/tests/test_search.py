"""Known failures are bisected together, over the releases of a fake engine."""

from dataclasses import replace
from itertools import chain

import pytest
from click.testing import CliRunner

from corpora import known_failures
from corpora.build.evolution import checked_in as evolved
from corpora.known_failures import Entry
from harness.commands import known_bisect
from harness.commands.known import known
from harness.investigate.bisect import State
from harness.investigate.ranges.asker import Asker, CannotStart, Question
from harness.investigate.ranges.results import ranges
from harness.investigate.ranges.search import Search
from harness.investigate.ranges.subjects import Pool, SubjectError, subjects
from harness.investigate.ranges.writers import globs_of, written_cases
from harness.tests.pipelines import LIMITS, files, process
from harness.tests.schemas import printed

VERSIONS = [str(number) for number in range(1, 11)]
DIFFERENT = ("always", "three-to-seven", "from-eight", "until-four", "vanishes", "refused-before", "crashes")
REFUSED = ("worded-anew", "another-reason")
FILES = (*DIFFERENT, *REFUSED)


def entry(name, verdict="different", **more):
    """Return the known failure of a file."""
    return Entry("polars", f"files/{name}", verdict, f"about {name}", versions=">=10", **more)


REFERENCE = replace(process("Healthy", "reference"), reported=False)  # starts faster than the real one
ENTRIES = [*map(entry, DIFFERENT), *(entry(name, "refused_valid") for name in REFUSED)]


class Releases:
    """Starts releases of the fake; `cannot` lists those that do not start, `hurt` has a bad adapter."""

    def __init__(self, cannot=(), hurt=""):
        self.cannot, self.hurt = cannot, hurt

    def __call__(self, version, config, case):  # noqa: ARG002 - the interface
        """Return the process of a release."""
        if version in self.cannot:
            raise CannotStart(f"polars {version} cannot be had")
        fake = process("Versioned", "polars", "harness.investigate.ranges.tests.fakes")
        return replace(
            fake, version=version, variables=(("FAKE_VERSION", version), ("FAKE_HURTS", self.hurt))
        )


def searcher(folder):
    """Return a search over fakes, by names of files; the folder holds their cache, and notes."""

    def search(names=FILES, entries=ENTRIES, *, start=None, versions=VERSIONS, **more):
        cases = files(folder / "files", names).cases
        scratch = folder / "scratch"
        scratch.mkdir(exist_ok=True)
        pool = Pool({}, {case.id: case for case in cases})
        chosen = subjects(entries, pool, (), ("parquet",), base="10", most=10)
        start = start or Releases()
        with Asker(start, REFERENCE, LIMITS, scratch, folder / "cache") as asker:
            searching = Search(asker, versions, lambda _: None, **more)
            results = ranges(searching, searching.run(chosen))
        return {each.history.subject.entry.case.removeprefix("files/"): each for each in results}

    search.notes = folder / "asked"
    return search


@pytest.fixture
def setting(tmp_path):
    """Return a search in a folder of its own."""
    return searcher(tmp_path)


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """Return the results of all failures, and the children of each version by the notes of the fake."""
    search = searcher(tmp_path_factory.mktemp("everything"))
    results = search(sample=10)
    children = {}
    for line in search.notes.read_text().splitlines():
        pid, version, _ = line.split()
        children.setdefault(int(version), set()).add(pid)
    return results, children


@pytest.mark.heavy
def test_ranges_are_found(everything):
    """Each failure has the range of the releases that show it; one with a hole has none."""
    results, _ = everything
    expected = {
        "always": "",
        "three-to-seven": ">=3,<8",
        "from-eight": ">=8",
        "until-four": "<5",
        "vanishes": None,
        "refused-before": ">=6",
        "crashes": ">=5",
        "worded-anew": "",
        "another-reason": ">=5",
    }
    assert {name: each.versions for name, each in results.items()} == expected
    assert "1 to 5 bad, 6 to 7 good, 8 to 10 bad" in results["vanishes"].why


def test_each_release_is_started_once(everything):
    """All failures are asked of one child; one that dies of a case is replaced, for that case alone."""
    _, children = everything
    assert sorted(children) == list(range(1, 11))
    assert all(len(pids) == 1 for version, pids in children.items() if version != 4)


def test_another_failure_is_not_the_same(everything):
    """A release that refuses what others read wrongly does not fail so, and is listed."""
    found = everything[0]["refused-before"]
    assert set(found.otherwise) == {"1", "2", "3", "4", "5"}
    assert "refused_valid: ValueError: this is not the failure" in found.otherwise["5"]
    assert "codec is not supported" in everything[0]["another-reason"].otherwise["4"]


def test_a_crash_is_no_answer(everything):
    """A release that dies of a file that others read wrongly is skipped."""
    assert everything[0]["crashes"].visited["4"] == (State.SKIPPED, "crashed")


@pytest.mark.parametrize(("sample", "versions"), [(2, None), (3, ">=3,<8")])
def test_a_sample_finds_what_comes_and_goes(setting, sample, versions):
    """Where both ends are right, only a release between them shows that a failure came and went."""
    found = setting(["three-to-seven"], ENTRIES[1:2], sample=sample)["three-to-seven"]
    assert found.versions == versions


def test_a_release_is_asked_what_it_can_decide(setting):
    """Behind the sample, what the neighbours agree about is not asked; ranges are as if it were."""
    names = ["always", "until-four", "from-eight"]
    results = setting(names, sample=2)
    assert [results[name].versions for name in names] == ["", "<5", ">=8"]
    lines = [line.split() for line in setting.notes.read_text().splitlines()]
    visited = {name: {version for _, version, file in lines if file == name} for name in names}
    assert visited["always"] == {"1", "10"}
    assert {"4", "5"} <= visited["until-four"]
    assert {"7", "8"} <= visited["from-eight"]


def test_answers_are_cached(setting):
    """What was asked is not asked again, and means the same; more releases are asked."""
    before = setting(["from-eight"], ENTRIES[2:3])["from-eight"]
    notes = setting.notes.read_text()
    again = setting(["from-eight"], ENTRIES[2:3])["from-eight"]
    assert setting.notes.read_text() == notes
    assert again.to_json() == before.to_json()
    setting(["from-eight"], ENTRIES[2:3], sample=10)
    assert setting.notes.read_text().startswith(notes)
    assert setting.notes.read_text() != notes


def test_a_damaged_answer_is_asked_again(setting, tmp_path):
    """A file of the cache that is cut is no answer."""
    before = setting(["always"], ENTRIES[:1])
    for path in (tmp_path / "cache").rglob("*.json"):
        path.write_text(path.read_text()[:100])
    assert setting(["always"], ENTRIES[:1])["always"].visited == before["always"].visited


def test_an_adapter_that_fails_is_skipped(setting):
    """A mistake in Python code says nothing of the release: it is neither good nor fails otherwise."""
    found = setting(
        start=Releases(hurt="1"), names=["always", "refused-before"], entries=[ENTRIES[0], ENTRIES[5]]
    )
    state, description = found["always"].visited["1"]
    assert state is State.SKIPPED
    assert description.startswith("the adapter cannot ask: TypeError: read() got an unexpected keyword")
    assert found["always"].versions == ">=10"
    assert "1" not in found["refused-before"].otherwise


def test_a_release_that_cannot_be_installed(setting):
    """It is skipped, with the reason, and its neighbours tell where the failure begins."""
    found = setting(["from-eight"], ENTRIES[2:3], start=Releases(cannot=("7", "8")))["from-eight"]
    assert found.versions == ">=9"
    assert found.visited["8"] == (State.SKIPPED, "polars 8 cannot be had")
    assert found.gaps == ()


def test_no_release_can_be_asked(setting):
    """Then there is no range, and that is said."""
    found = setting(["always"], ENTRIES[:1], start=Releases(cannot=VERSIONS))["always"]
    assert (found.versions, found.why) == (None, "no tested release shows the finding")


def test_the_budget_ends_between_releases(setting):
    """No release is begun after the end; the range has what was seen, and says what was not asked."""
    times = chain([0.0, 0.0, 0.0], iter(lambda: 99.0, None))
    only = {"names": ["from-eight"], "entries": ENTRIES[2:3]}
    found = setting(**only, ends=50.0, clock=lambda: next(times), sample=3)["from-eight"]
    assert found.versions == ">=10"
    assert found.gaps == (("5", "10", 4),)
    assert setting(**only)["from-eight"].versions == ">=8"


def test_the_oldest_release_is_no_bound_by_chance(setting):
    """Where older releases were not to be asked, the range begins at the first that was seen."""
    found = setting(["always"], ENTRIES[:1], versions=VERSIONS[4:], is_whole=False)
    assert found["always"].versions == ">=5"


def test_an_entry_before_it_takes_its_rows(setting):
    """A failure that an entry further above expects is not that of this entry."""
    broad = Entry("polars", "files/*", "different", "the rest")
    found = setting(["always", "from-eight"], [ENTRIES[0], broad], sample=10)
    assert [witness.case.id for witness in found["*"].history.witnesses] == ["files/from-eight"]
    assert found["*"].versions == ">=8"


def test_entries_without_cases(setting):
    """They have no range, and a reason that says what to do."""
    entries = [
        entry("nowhere"),
        Entry("polars", "writers/spark/*", "different", "written"),
        Entry("polars", "writers/polars/*", "wrote_invalid", "writes"),
    ]
    found = setting(["always"], entries)
    assert found["nowhere"].why == "no case is at hand; give --files"
    assert found["writers/spark/*"].why == "no fixed table that an engine beside colconf writes is meant"
    assert "run --write-generated" in found["writers/polars/*"].why


def test_files_of_writers(tmp_path):
    """The fixed tables of an entry about other engines' files are written, and are cases of that entry."""
    wrong = Entry("polars", "writers/pyarrow/signed/*", "different", "read")
    large = Entry("polars", "writers/pyarrow/many/*", "different", "read")
    others = [
        Entry("polars", "writers/*/drawn-*", "different", "drawn"),
        Entry("polars", "writers/polars/*", "wrote_invalid", "writes"),
        entry("nowhere"),
    ]
    globs = globs_of([wrong, *others])
    assert globs == ["pyarrow/signed"]
    said = []
    cases = list(written_cases(globs, ("orc", "parquet"), LIMITS, tmp_path, said.append))
    assert [line.partition(": ")[2] for line in said] == ["writing 1 tables in parquet"]
    assert {case.id.rpartition("/")[0] for case in cases} == {"writers/pyarrow/signed"}
    assert all(case.file.stat().st_size and case.expectation.table for case in cases)
    for case in list(written_cases(globs_of([large]), ("parquet",), LIMITS, tmp_path, said.append)):
        assert len(case.expectation.table.column(0)) == case.expectation.table.num_rows > 1_000  # in a file
    (subject,) = subjects([wrong], Pool({}, {case.id: case for case in cases}), (), ("parquet",), most=3)
    assert [case.id in {each.id for each in cases} for case in subject.cases] == [True] * 3


def test_cases_of_the_same_finding():
    """An entry about generated files is shown by the checked-in files of its finding."""
    entries = [
        Entry("polars", "parquet/findings/bit-packed-levels", "refused_valid", "levels", finding="one"),
        Entry("polars", "generated/*", "refused_valid", "one", signature="* | refused_valid | *"),
        Entry("polars", "generated/*", "refused_valid", "two", signature="polars:pushdown=off,x=y | *"),
    ]
    found = subjects(entries, Pool.of(), ["one"], ("parquet",), most=10)
    assert [[case.id for case in each.cases] for each in found] == [[entries[0].case]] * 2
    other = subjects(entries, Pool.of(), ["two"], ("parquet",), most=10)[0]
    assert (other.cases, other.config) == ((), "x=y")
    assert other.why.startswith("no checked-in case of its finding")


def test_the_zone_of_a_signature():
    """An entry whose signature names a switch is asked under the switch; a glob means no default."""
    signature = "pyorc:*zone=* | different | *"
    (found,) = subjects(
        [Entry("pyorc", "orc/*", "different", "zones", signature=signature)],
        Pool({}, {}),
        (),
        ("orc",),
        most=1,
    )
    assert found.config == "zone=los_angeles"


def test_a_name_that_is_none():
    """It is an error of one line."""
    with pytest.raises(SubjectError, match="no known failure is called 'nothing'"):
        subjects(ENTRIES, Pool({}, {}), ["nothing"], ("parquet",), most=1)


KNOWN = """# About this engine.

[[failure]]
case = "files/from-eight"
versions = ">=10"
verdict = "different"
reason = "eight"

# It has a hole.
[[failure]]
case = "files/vanishes"
versions = ">=10"
verdict = "different"
reason = "hole"
"""


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Return a call of the command, over the fake's releases."""
    folder = tmp_path / "known"
    folder.mkdir()
    (folder / "polars.toml").write_text(KNOWN, "utf-8")
    cases = files(tmp_path / "files", FILES)
    monkeypatch.setenv("COLCONF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(known_bisect, "PUBLISHED", ())
    monkeypatch.setattr(known_bisect, "import_paths", lambda _: cases)
    monkeypatch.setattr(known_bisect, "every_version", lambda _: [*VERSIONS, "11.0rc1"])
    monkeypatch.setattr(known_bisect, "installed_of", lambda _: ["9", "10"])
    monkeypatch.setattr(known_bisect, "Starting", lambda *_: Releases())
    monkeypatch.setattr(known_bisect, "reference", lambda: REFERENCE)

    def call(*arguments):
        head = ["bisect", "--engine", "polars", "--known", str(folder), "--files", str(tmp_path / "files")]
        return CliRunner().invoke(known, [*head, *arguments])

    call.file = folder / "polars.toml"
    return call


@pytest.mark.heavy
def test_the_command_prints_and_writes(command):
    """It prints by default, and writes ranges only where there is one; other lines stay as they are."""
    done = command("--sample", "10")
    assert done.exit_code == 1, done.output
    assert "fails in >=8 (the entry has >=10)" in done.stdout
    assert "no range: the releases that fail are not one range: 1 to 5 bad, 6 to 7 good" in done.stdout
    assert "1 of 2 known failures have a range" in done.stdout
    assert command.file.read_text("utf-8") == KNOWN
    done = command("--sample", "10", "--write")
    assert (done.exit_code, "(written)" in done.stdout) == (1, True)
    assert command.file.read_text("utf-8") == KNOWN.replace('">=10"', '">=8"', 1)
    assert known_failures.read(command.file)[0].versions == ">=8"


def test_the_command_in_json(command):
    """All that was asked is in the JSON form; the status is 0 where each entry has a range."""
    done = command("--entry", "files/from-*", "--json", "--versions", ">=6,<10")
    assert done.exit_code == 0, done.output
    (found,) = printed("known bisect", done.stdout)
    assert (found["before"], found["versions"], found["gaps"]) == (">=10", ">=8", [])
    assert {each["version"]: each["state"] for each in found["asked"]}["7"] == "good"
    assert found["witnesses"] == ["files/from-eight"]


def test_installed_releases_alone(command):
    """With --installed, nothing else is asked, and the range begins at the first that was seen."""
    done = command("--entry", "files/from-*", "--json", "--installed")
    (found,) = printed("known bisect", done.stdout)
    assert [each["version"] for each in found["asked"]] == ["9", "10"]
    assert found["versions"] == ">=9"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--entry", "nothing"], "no known failure is called 'nothing'"),
        (["--versions", "new"], "'new' is not a range of versions"),
        (["--versions", ">=40"], "no release of polars is in >=40"),
        (["--engine", "reference"], "is part of colconf"),
    ],
)
def test_mistakes_are_one_line(command, arguments, message):
    """What was misspelt is an error of one line."""
    done = command(*arguments)
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert message in line


def test_reads_of_one_folder(tmp_path):
    """Two reads of one folder that must return the same are two questions to a release."""
    cases = [case for case in evolved.stored("parquet") if "/add-inside/" in case.id]
    split = next(case for case in cases if case.read.split_bytes)
    whole = replace(split, id="tables/whole", read=replace(split.read, split_bytes=None))
    fakes = "harness.investigate.minimize.tests.table_fakes"

    def start(version, config, case):  # noqa: ARG001 - the interface
        return process("CrashesInSplits", "polars", fakes)

    with Asker(start, REFERENCE, LIMITS, tmp_path, tmp_path / "cache") as asker:
        replies = asker.ask("1", [Question(case, "") for case in (whole, split)])
    verdicts = [row.row.verdict for reply in replies.values() for row in reply.rows()]
    assert verdicts == ["agree", "crashed"]


def test_an_entry_about_any_file_has_cases():
    """Among the cases that come with colconf, no other file is taken for one: entries about `*` have some."""
    wide = Entry("duckdb", "*", "different", "a reason", feature="parquet/file/empty-name")
    (subject,) = subjects([wide], Pool.of(), (), ("parquet",), most=2)
    assert len(subject.cases) == 2
