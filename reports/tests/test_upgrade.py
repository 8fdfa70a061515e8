"""The reports of an upgrade against files that a person has looked at, and with hostile text in every place.

After a change that is meant: `COLCONF_UPDATE_GOLD=1 pytest reports/tests/test_upgrade.py`, read the diff.
"""

import json
import os
import re
from pathlib import Path

import pytest

from corpora.build.evolution import reads
from harness.investigate.upgrade.account import FILE, lines, load
from harness.judging.results import ResultsError
from reports.upgrade import build, render_html, render_json, write_html, write_json, write_markdown
from reports.upgrade_markdown import render as render_markdown
from reports.upgrade_sentences import Example, own_files, sentence
from reports.upgrade_words import _READS

GOLD = Path(__file__).with_name("gold")
HOSTILE = "</script><img src=x onerror=alert(1)>|`*_\u202e\x00\n\ud800"
BOTH = "Both are allowed: no specification requires that this is read, and any error counts as a refusal."
RENDER = {"html": render_html, "md": render_markdown, "json": render_json}


def group(cls, right, **more):
    """Return a group of an account."""
    return {
        "signature": f"spark | {cls} | something",
        "class": cls,
        "right": right,
        "rights": {right: 3},
        "inputs": {"files-parquet": 2, "corpus-parquet": 1},
        "cases": 3,
        "configs": {"": 3, "vectorized=off": 2},
        "features": ["parquet/codec/snappy"],
        "unstable": 0,
        "restored": [],
        "explained": [],
        "causes": [],
        "smallest": {
            "case": "parquet/logical/date/first-day",
            "format": "parquet",
            "file": "/data/a.parquet",
            "sha256": "0" * 64,
            "size": 300,
            "probe": None,
            "configs": [""],
            "path": "column 'd', row 0",
            "old": '"-719162"',
            "new": '"-719164"',
            "by": "spec",
        },
        "reviewed": None,
        "folder": "cases/001",
        **more,
    }


CAUSE = {
    "id": "spark-rebase-read",
    "says": "Days before 1582 were refused, and are read.",
    "section": "Upgrading from Spark SQL 3.5 to 4.0",
    "issue": "SPARK-46440",
    "option": "spark.sql.parquet.datetimeRebaseModeInRead=EXCEPTION",
}


def account(**more):
    """Return an account with a group of each sort."""
    review = {"signature": "spark | message | *", "reason": "words", "reviewer": "ana", "date": "2027-01-31"}
    return {
        "schema_version": 1,
        "colconf": "0.1.0",
        "started": "2027-01-31T10:00:00Z",
        "finished": "2027-01-31T10:12:00Z",
        "arguments": ["upgrade", "--from", "spark@3.5.9", "--to", "spark@4.3.0"],
        "engine": "spark",
        "engines": [
            {"name": "spark", "version": "3.5.9", "runtime": "Java 17.0.9, Python 3.11.7"},
            {"name": "spark", "version": "4.3.0", "runtime": "Java 17.0.9, Python 3.11.7"},
        ],
        "passed": False,
        "inputs": [
            {
                "input": "files-parquet",
                "format": "parquet",
                "configs": 19,
                "cases": 1200,
                "places": 22_800,
                "differing": 5,
                "seconds": [12.04, 11.5],
            }
        ],
        "groups": [
            group("value", "regressed", rights={"regressed": 2, "both allowed": 1}, unstable=1),
            group("accepts", "improved", causes=[CAUSE], configs={"": 3}),
            group("message", "unspecified", reviewed={**review, "expires": "2027-07-31"}, folder=None),
        ],
        "useless": [{"signature": "spark | rows | *", "why": "it no longer occurs"}],
        "not_asked": [{"engine": "spark@3.5.9", "question": "date filter", "reason": "adapter: TypeError"}],
        **more,
    }


def comparable(content):
    """Return a page without our style, which has no gold but itself."""
    without = re.sub(r"(?s)(<style>).*?(</style>)", r"\1\2", content)
    return re.sub(r"sha256-[\w+/=]{44}", "sha256-…", without)


@pytest.mark.parametrize("name", RENDER)
def test_format(name):
    """The report is the gold file, to the byte."""
    made = comparable(RENDER[name](build(account())))
    gold = GOLD / f"upgrade.{name}"
    if os.environ.get("COLCONF_UPDATE_GOLD"):
        gold.write_text(made, "utf-8")
    assert made == gold.read_text("utf-8")


@pytest.mark.parametrize("name", RENDER)
def test_the_verdict_comes_first(name):
    """Signed off or not is said before anything else, and both ways."""
    passed = RENDER[name](build(account(passed=True, groups=[], useless=[])))
    failed = RENDER[name](build(account()))
    if name != "json":
        assert "igned off" in passed
        assert "ot signed off" in failed
        assert failed.lower().index("not signed off") < failed.index("something")
    else:
        assert json.loads(passed)["passed"] is True


def _spoilt(value):
    if isinstance(value, dict):
        return {name: _spoilt(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_spoilt(one) for one in value]
    return HOSTILE if isinstance(value, str) else value


@pytest.mark.parametrize("name", RENDER)
def test_hostile_text(name):
    """No text of a file, an error or a baseline is syntax anywhere."""
    made = RENDER[name](build(_spoilt(account())))
    made.encode("utf-8")
    if name != "json":
        assert "<img" not in made
    assert "\u202e" not in made
    assert "\x00" not in made


def test_files(tmp_path):
    """Each report is a file of the folder, made of the account that lies there."""
    (tmp_path / FILE).write_text(json.dumps(account()), "ascii")
    names = {write(tmp_path).name for write in (write_html, write_markdown, write_json)}
    assert names == {"report.html", "report.md", "report.json"}


@pytest.mark.parametrize("text", [None, "{", "[]", '{"schema_version": 99}'])
def test_no_account(tmp_path, text):
    """A folder without an account, or with another one, is an error of one line."""
    if text is not None:
        (tmp_path / FILE).write_text(text, "ascii")
    with pytest.raises(ResultsError) as error:
        load(tmp_path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("signature", "cls", "right", "example", "text"),
    [
        (
            "spark:a=b | rows | filter: fewer in decimal(5, 2)",
            "rows",
            "regressed",
            Example("x", "", "", ""),
            "With a=b, for queries such as x, B returns another number of rows. A is right, B is wrong.",
        ),
        (
            "spark | value | string",
            "value",
            "improved",
            Example("", "a", "{old}", "b"),
            "B returns other values in string: a: {old} became b. B is right, A was wrong.",
        ),
        (
            "spark | accepts | Exception: no",
            "accepts",
            "both allowed",
            Example("", "", "refused: org.apache.Exception: no (in: Task 1 | caused by: no)", "reads it"),
            f"B reads what A refuses: Exception: no. {BOTH}",
        ),
        (
            "spark | codec | x",
            "codec",
            "unspecified",
            Example("", "", "", ""),
            "B writes with another codec.",
        ),
        (
            "spark writes parquet | statistics | checksums: written now",
            "statistics",
            "both allowed",
            Example("", "b", "none", "there"),
            "B writes other statistics or indexes: checksums: written now, as in column b.",
        ),
        (
            "spark writes parquet | layout | row groups: 1 → 3",
            "layout",
            "both allowed",
            Example("", "", "1", "3"),
            "B writes another schema or layout: row groups: 1 → 3.",
        ),
        (
            "spark writes parquet | rules | PQ-X-001 broken no more",
            "rules",
            "improved",
            Example("", "PQ-X-001", "[PQ-X-001] column a: no", "keeps it"),
            (
                "Files that B writes break other rules of the specification: PQ-X-001 broken no more:"
                " [PQ-X-001] column a: no."
            ),
        ),
        (
            "spark | nulls | filter: became null in int32",
            "nulls",
            "regressed",
            Example("", "", "", ""),
            ("B returns null where A returns a value, in filter: int32. A is right, B is wrong."),
        ),
        (
            "spark | refuses | Error: Task <n> of a | b <q>",
            "refuses",
            "regressed",
            Example("", "", "", ""),
            "B refuses what A reads: Error: Task … of a | b …. A is right, B is wrong.",
        ),
        (
            "spark | refuses | Error: x",
            "refuses",
            "improved",
            Example("", "", "reads it", "unsupported: a.b.Error: no type."),
            (
                "B refuses what A reads: Error: no type. What A returned was wrong;"
                " B no longer reads this: it says that it has no support for this."
            ),
        ),
        (
            "spark | message | the same error, without a wrapping condition → wrapped in [X]",
            "message",
            "unspecified",
            Example("", "", "refused: Error", "refused: Error (in: [X] while reading: no)"),
            (
                "Both refuse, B with another message, around the same error, before without a wrapping"
                " condition, now wrapped in [X]: Error."
            ),
        ),
        (
            "spark | accepts | Error: Job aborted",
            "accepts",
            "both allowed",
            Example(
                "",
                "",
                "refused: a.Error: Job aborted due to stage failure: Task 1 (TID 7) (h): a.Error: no",
                "reads it",
            ),
            f"B reads what A refuses: Error: no. {BOTH}",
        ),
        (
            "spark | message | Error: x → Error: [X]",
            "message",
            "both allowed",
            Example("", "", "refused: a.Error: x", "refused: a.Error: [X] x"),
            "Both refuse, B with another message: A says “Error: x”, B says “Error: [X] x”.",
        ),
        (
            "spark | refuses | filter: Error",
            "refuses",
            "regressed",
            Example("x = 1", "", "3 rows", "refused: a.Error: no"),
            "For queries such as x = 1, B refuses what A answers: Error: no. A is right, B is wrong.",
        ),
        (
            "spark writes orc | accepts | Error: no",
            "accepts",
            "both allowed",
            Example("", "", "refused: a.Error: no", "writes it"),
            "B writes what A refuses: Error: no. Both answers are allowed.",
        ),
        (
            "spark:vectorized=off | rows | fewer",
            "rows",
            "regressed",
            Example("", "", "", ""),
            "With vectorized=off (spark.x=false), B returns another number of rows. A is right, B is wrong.",
        ),
        ("spark | of a later version | x", "of a later version", "x", Example("", "", "", ""), ""),
    ],
)
def test_a_group_is_a_sentence(signature, cls, right, example, text):
    """The sentence says under which setting and query, what differs, the values, and who is right."""
    settings = {"vectorized=off": "spark.x=false"}
    assert sentence(signature, cls, right, example, ("A", "B"), settings=settings) == text


def test_differences_of_a_cause_stand_together_and_can_be_filtered():
    """Groups of the same cause are folded under it; the script filters by what each group says of itself."""
    groups = [group("accepts", "regressed", causes=[CAUSE], folder=f"cases/{at}") for at in range(2)]
    page = render_html(build(account(groups=[groups[0], group("rows", "regressed"), groups[1]])))
    cause = page.partition('<details class="cause" open>')[2]
    assert f"<summary>{CAUSE['says']}" in cause
    assert "2 differences</span>" in cause
    assert CAUSE["option"] in cause.partition("</summary>")[0]
    assert page.count('<details class="cause"') == 1
    assert page.count('data-right="regressed" data-cls="accepts" data-own="2"') == 2
    assert re.findall(r"<option>([^<]*)</option>", page) == ["regressed", "rows", "accepts"]
    assert page.count("<script>") == 1


def test_own_files_come_first_and_allowed_differences_are_folded():
    """Groups that show in the user's own files stand before others; allowed and improved ones are folded."""
    model = build(account(passed=False))
    page = render_html(model)
    assert model.own == (5, 1_200)
    assert "Your own files: 5 of 1,200 differ" in page
    assert own_files({"files-parquet": 2, "tables-orc": 3, "corpus-parquet": 4}) == 5


def test_differences_of_several_configurations_stand_together():
    """Without a known cause, groups that differ in the configuration alone are one; another right is not."""
    found = [
        group("rows", right, signature=f"spark{config} | rows | fewer", folder=f"cases/{config}")
        for config, right in (("", "regressed"), (":a=b", "regressed"), (":a=b", "both wrong"))
    ]
    page = render_html(build(account(groups=found)))
    assert page.count('<details class="cause"') == 1
    assert "<summary>The same difference in several configurations." in page


def test_what_no_longer_works_is_not_folded():
    """A refusal is shown even if the old answer was wrong, or both are allowed; what works now is folded."""
    groups = [group(cls, right) for cls in ("refuses", "accepts") for right in ("improved", "both allowed")]
    page = render_html(build(account(groups=groups)))
    listed, *folded = page.partition("<main>")[2].split('<details class="folded">')
    refusals = re.findall(r'data-right="([^"]*)" data-cls="refuses"', listed)
    assert set(refusals) == {"no longer reads", "both allowed"}
    assert [re.findall('data-cls="([^"]*)"', part) for part in folded] == [["accepts"], ["accepts"]]


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"causes": [CAUSE], "tried": ["a=1"]}, CAUSE["option"]),
        ({"restored": ["a=1"], "tried": ["a=1", "b=1"]}, "a=1"),
        ({"tried": ["a=1", "b=1"]}, "none of the 2 configurations that were tried restores it"),
        ({}, ""),
    ],
)
def test_a_group_says_what_restores_the_old_behaviour(more, text):
    """An option of the cause, a configuration, that none was found, or nothing where none was tried."""
    (found,) = build(account(groups=[group("rows", "regressed", **more)])).open
    assert found.restoring == text
    page = render_html(build(account(groups=[group("rows", "regressed", **more)])))
    assert page.count("<dt>old behaviour by</dt>") == bool(text)
    assert text in page


def test_what_is_no_longer_read_is_no_improvement():
    """It is counted on a line of its own, in each format and of reading alone; writing stays as it is."""
    groups = [
        group("refuses", "improved"),
        group("value", "improved"),
        group("refuses", "improved", signature="spark writes orc | refuses | x"),
    ]
    model = build(account(groups=groups))
    assert (model.count("no longer reads"), model.count("improved")) == (1, 2)
    page = render_html(model)
    assert (
        '<b class="no-longer-reads">1</b> no longer reads (what the old version returned was wrong)' in page
    )
    assert '<b class="improved">2</b> improved' in page
    assert "(1 no longer reads, 2 improved;" in render_markdown(model)
    assert any("  no longer reads: refuses in" in text for text in lines(account(groups=groups)))


def test_the_legend_has_all_tiles_and_numbers_are_in_order():
    """Each word on a tile is defined, also without a group of it; numbers follow the order of the page."""
    groups = [
        group("value", "improved"),
        group("rows", "both wrong", inputs={"corpus-parquet": 1}),
        group("refuses", "improved", inputs={"corpus-parquet": 1}),
        group("accepts", "both allowed"),
        group("rows", "regressed", inputs={"files-parquet": 1}),
    ]
    page = render_html(build(account(groups=groups)))
    tiles = re.findall(r'<li title="[^"]*"><b class="[^"]*">\d+</b> ([a-z ]+?)(?: \(|</li>)', page)
    assert len(tiles) == 6
    assert set(re.findall(r"<em>([^<]*)</em>:", page)) == {*tiles, "Without a known cause", "reviewed"}
    assert re.findall(r'<summary><span class="soft">(\d+)</span>', page) == list("12345")
    assert re.findall('data-right="([^"]*)"', page) == [
        "regressed",
        "no longer reads",
        "both wrong",
        "both allowed",
        "improved",
    ]


def test_names_are_explained():
    """A table case is no file; the name of its read, a field that no file has, and ways are explained."""
    smallest = {**group("value", "improved")["smallest"], "case": "evolved/parquet/add/missing-inside"}
    found = group(
        "nulls",
        "improved",
        smallest=smallest,
        inputs={"evolved-parquet": 3},
        signature="spark | nulls | was null in struct<never: int(32, signed)>",
        settings={"way=x": "spark.y=false"},
        unstable=1,
        changed=["3.5.9"],
    )
    inputs = [{**account()["inputs"][0], "input": "evolved-parquet", "cases": 437}]
    model = build(account(groups=[found], inputs=inputs))
    page = render_html(model)
    assert "<dt>smallest table case</dt>" in page
    assert "3 table cases</span>" in page
    assert "Compared: 437 table cases (a table case is a folder of files" in page
    assert (
        "<dt><code>missing-inside</code></dt><dd>reads of each struct only a field that no file has" in page
    )
    assert "<dt><code>never</code></dt><dd>a field that no file has</dd>" in page
    assert "<dt><code>way=x</code></dt><dd><code>spark.y=false</code></dd>" in page
    assert "<code>docs/engines.md</code>" in page
    assert "changed when the read was repeated, those of 3.5.9</dd>" in page
    assert "spark 3.5.9: Java 17.0.9, Python 3.11.7; spark 4.3.0: Java" in page
    assert "* smallest table case: " in render_markdown(model)
    assert any("evolved-parquet: 437 table cases," in text for text in lines(account(inputs=inputs)))
    assert build(account()).open[0].notes == ()


def test_names_of_reads_are_those_of_the_corpus():
    """An explained read is one that `corpora/evolved` has."""
    text = Path(reads.__file__).read_text("utf-8")
    assert all(f'"{name}"' in text for name in _READS)


def test_a_users_file_is_named_by_its_path():
    """A report of the gate has the path of a user's file, and the name of a case."""
    smallest = {**group("value", "improved")["smallest"], "case": "files/a.parquet"}
    given = account(groups=[group("value", "improved", smallest=smallest), group("rows", "improved")])
    names = [each.case for each in build(given).open]
    assert sorted(names) == ["/data/a.parquet", "parquet/logical/date/first-day"]
