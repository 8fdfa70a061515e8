import datetime as dt
import shutil

import pytest

from corpora import lint
from corpora.cases import Case, Expectation, dump
from corpora.files import digest

TODAY = dt.date(2026, 6, 1)
RULE = '[[rule]]\nid = "PQ-PAGE-003"\nclause = "parquet.thrift"\nlevel = "MUST"\ntext = "A page ends."\n'
FAILURE = '[[failure]]\ncase = "x/*"\nverdict = "hung"\nreason = "a loop"\nurl = "u"\nexpires = 2026-05-31\n'
ALIVE = FAILURE.replace("2026-05-31", "2099-01-01")
DODGE = """mention = []
[[dodge]]
place = "corpora/lint.py:problems"
leaves_out = "all"
why = "a bound on time"
"""
SHA_LINE = "sha256 = "


@pytest.fixture
def root(tmp_path):
    """Copy the package's data to where a test may break it."""
    for name in ("features.toml", "dodges.toml", "importers/parquet_testing.toml"):
        target = tmp_path / name
        target.parent.mkdir(exist_ok=True)
        shutil.copy(lint.ROOT / name, target)
    for name in ("known", "rules.d", "parquet"):
        (tmp_path / name).mkdir()
    (tmp_path / "rules.d" / "page.toml").write_text(RULE)
    return tmp_path


def _case(root, **changes):
    file = root / "parquet" / "one.parquet"
    file.write_bytes(b"PAR1 and so on, PAR1")
    fields = {
        "id": "parquet/page/one",
        "sha256": digest(file),
        "expectation": Expectation.refuse(rule="PQ-PAGE-003"),
        "features": ("parquet/page/v1",),
        "spec": "parquet.thrift, PageHeader",
        "source": "spec",
        "file": file,
    }
    case = Case(format="parquet", **{**fields, **changes})
    dump(case, root / "parquet" / "one.json")


def test_the_package_is_sound():
    """The data of this package has no problem."""
    assert lint.problems() == []


def test_a_sound_copy(root):
    """A case that is checked in, with its file and its rule, has no problem."""
    _case(root)
    assert lint.problems(root, today=TODAY) == []


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"sha256": "0" * 64}, "sha256 is not that of one.parquet"),
        ({"spec": ""}, "no clause"),
        ({"features": ()}, "no features"),
        ({"features": ("parquet/page/v9",)}, "unknown feature parquet/page/v9"),
        ({"expectation": Expectation.refuse(rule="PQ-PAGE-004")}, "rule PQ-PAGE-004 is not in rules.d"),
        ({"source": "vote"}, "not a vote"),
        ({"expectation": Expectation.either("why not")}, "either without a clause or a rule"),
    ],
)
def test_wrong_cases(root, changes, problem):
    """Each thing that can be wrong with a case is one line, which names the case's file."""
    _case(root, **changes)
    (found,) = lint.problems(root, today=TODAY)
    assert found.startswith("parquet/one.json: ")
    assert problem in found


def test_files_of_cases(root):
    """A missing file, a file elsewhere, an id used twice, and a JSON file that is no case are found."""
    _case(root)
    shutil.copy(root / "parquet" / "one.json", root / "parquet" / "two.json")
    assert lint.problems(root, today=TODAY) == ["case id parquet/page/one is used 2 times"]
    (root / "parquet" / "two.json").write_text("{}")
    (root / "parquet" / "one.parquet").unlink()
    found = lint.problems(root, today=TODAY)
    assert len(found) == 2
    assert "lacks" in found[0]
    assert found[1] == "parquet/one.json: its file one.parquet is missing"
    _case(root, file=root / "elsewhere.parquet")
    assert "parquet/one.json: its file is in another folder" in lint.problems(root, today=TODAY)


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("rules.d/more.toml", RULE, "rule PQ-PAGE-003 appears twice in rules.d"),
        ("rules.d/more.toml", RULE.replace("MUST", "SHALL"), "level 'SHALL'"),
        ("rules.d/more.toml", RULE.replace("PQ-PAGE-003", "page 3"), "not of the form"),
        ("rules.d/more.toml", RULE.replace("A page ends.", ""), "is empty"),
        ("rules.d/more.toml", "[rule]", "not rule"),
        ("known/spark.toml", FAILURE, "expired on 2026-05-31"),
        ("known/spark.toml", FAILURE.replace("x/*", "x/[*"), "not a glob"),
        ("known/spark.toml", ALIVE + "feature = 'orc/nothing/*'\n", "no feature matches orc/nothing/*"),
        ("known/spark.toml", ALIVE + "column = ['orc/value/nan', 'orc/no']\n", "no feature matches orc/no"),
        ("features.toml", "[[feature]]\nid = 'x'", "not id, text and clause"),
        ("dodges.toml", DODGE.replace("lint.py:", "lint.py:no_"), "no such symbol"),
        ("dodges.toml", DODGE.replace("a bound on time", "Spark fails"), "the reason is about Spark"),
        ("dodges.toml", DODGE.replace("why", "wy"), "does not have the fields"),
        ("dodges.toml", DODGE.replace("why", "hits"), "of a wrong type"),
        ("dodges.toml", DODGE + 'state = "open"', "one of why and state"),
        ("dodges.toml", f"{DODGE}[[dodge]]{DODGE.rpartition('[[dodge]]')[2]}", "appears twice"),
    ],
)
def test_wrong_tables(root, name, text, problem):
    """Each thing that can be wrong with rules, known failures or features is one line."""
    (root / name).write_text(text)
    (found,) = lint.problems(root, today=TODAY)
    assert problem in found
    assert "\n" not in found


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("parquet/type/int96", "parquet/type/int97", "unknown feature parquet/type/int97"),
        ('clause = "parquet.thrift, Type"', 'clause = ""', "no clause"),
        ('reason = "the physical type of the column is -7"', "", "refuse without a reason"),
        ('"int_value:int32"', '"int_value:int31"', "has no known type"),
        (SHA_LINE, "sha265 = ", "missing or unknown fields sha256, sha265"),
    ],
)
def test_wrong_importer_table(root, old, new, problem):
    """Each thing that can be wrong with the table of parquet-testing is found."""
    path = root / "importers" / "parquet_testing.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert any(problem in found for found in lint.problems(root, today=TODAY))
