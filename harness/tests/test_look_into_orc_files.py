"""`colconf validate`, `explain` and `inspect` of ORC files."""

import json

import pytest

from corpora import rules
from harness.commands.explain import explain
from harness.commands.inspect import inspect
from harness.commands.validate import validate
from harness.formats import format_of
from harness.tests.schemas import printed
from harness.tests.test_look_into_files import run
from reference_impl.orc.plan import FilePlan
from reference_impl.orc.schema import Type, TypeKind
from reference_impl.orc.tamper import Tamper
from reference_impl.orc.writer import write

MUST, SHOULD = "ORC-FILE-011", "ORC-FILE-010"
TYPES = (Type(kind=TypeKind.STRUCT, subtypes=(1,), field_names=("x",)), Type(kind=TypeKind.INT))
PLAN = FilePlan(TYPES, ((5,), (None,), (7,)))


class Wrong(Tamper):
    """Breaks one rule of the footer."""

    def __init__(self, **fields):
        self.fields = fields

    def footer(self, footer):
        """Change fields."""
        for name, value in self.fields.items():
            setattr(footer, name, value)
        return footer


@pytest.fixture
def files(tmp_path):
    """Return the paths of a sound file, one that breaks a MUST and one that breaks a SHOULD."""
    made = {
        "sound": write(PLAN),
        MUST: write(PLAN, Wrong(number_of_rows=4)),
        SHOULD: write(PLAN, Wrong(content_length=2)),
    }
    paths = {name: tmp_path / f"{name}.orc" for name in made}
    for name, data in made.items():
        paths[name].write_bytes(data)
    return paths


@pytest.mark.parametrize(("name", "status"), [("sound", 0), (MUST, 1), (SHOULD, 0)])
def test_the_status_says_whether_a_must_is_broken(files, name, status):
    """A SHOULD that is broken is told, and no failure."""
    result = run(validate, files[name])
    assert result.exit_code == status
    assert (name in result.stdout.replace(str(files[name]), "")) == (name != "sound")


def test_a_folder_holds_files_of_both_formats(files, tmp_path):
    """ORC files below a folder are validated as such, beside those of Parquet."""
    (tmp_path / "x.parquet").write_bytes(b"")
    result = run(validate, tmp_path)
    assert result.exit_code == 1
    assert all(rule in result.stdout for rule in (MUST, SHOULD, "PQ-FILE-001"))
    assert result.stdout.count("nothing is broken") == 1
    assert len(files) == 3


def test_json_and_sarif(files):
    """Both name rule, level, clause and place."""
    told = printed("validate", run(validate, "--format", "json", files[MUST]).stdout)
    (one,) = told["files"][0]["violations"]
    assert (one["rule"], one["level"], one["clause"]) == (MUST, "MUST", rules.load()[MUST].clause)
    (part,) = json.loads(run(validate, "--format", "sarif", files[MUST]).stdout)["runs"]
    assert [found["ruleId"] for found in part["results"]] == [MUST]


def test_explain():
    """A rule of ORC is printed with where it stands."""
    result = run(explain, "orc-rle2-003")
    assert result.stdout.startswith("ORC-RLE2-003  MUST")
    assert "Patched Base" in result.stdout
    assert "apache/orc-format" in result.stdout


def test_inspect(files):
    """Text and JSON show every part; a damaged file is shown as far as it can be read, with status 1."""
    result = run(inspect, files["sound"])
    assert (result.exit_code, result.stderr) == (0, "")
    words = (
        "postscript [",
        "footer [",
        "types",
        "stripe 0 [",
        "encoding:",
        "row group 0: positions",
        "PRESENT [",
    )
    assert [word for word in words if word not in result.stdout] == []
    told = printed("inspect", run(inspect, "--json", "--stripe", 0, "--column", "x", files["sound"]).stdout)
    assert [column["path"] for column in told["stripes"][0]["columns"]] == [["x"]]
    result = run(inspect, files[MUST])
    assert (result.exit_code, f"[{MUST}]" in result.stderr) == (1, True)
    assert "stripe 0 [" in result.stdout
    assert run(inspect, "--stripe", 7, files["sound"]).exit_code == 2


@pytest.mark.parametrize(
    ("name", "data", "format_"),
    [
        ("x.orc", b"PAR1", "parquet"),
        ("x.parquet", b"ORC", "orc"),
        ("x.orc", b"", "orc"),
        ("x", b"", "parquet"),
        ("x.bin", b"damaged ORC\x10", "orc"),
    ],
)
def test_which_format_a_file_is_looked_at_as(name, data, format_):
    """What a file begins with counts more than its name, and that more than its end."""
    assert format_of(name, data).name == format_
