"""The status matrix: what cells say of rows, what claims compare to, and each form against a gold file.

After a change that is meant: `COLCONF_UPDATE_GOLD=1 pytest reports/tests/test_status.py`, then read the diff.
"""

import json
import os
import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from click.testing import CliRunner

from corpora.build.formats import FORMATS as CORPORA
from corpora.features import registry
from harness.engines.registry import ENGINES
from harness.judging.results import load as load_results
from reports import claims, status_model
from reports.command import report
from reports.status import build
from reports.status_forms import FORMS, as_json
from reports.status_model import Cell, Feature, Rows
from reports.tests import sample

GOLD = Path(__file__).with_name("gold")
HOSTILE = "</td><script>alert(1)</script>|`*_\u202e\x00"
ROWS = Rows(
    {
        "parquet": (
            Feature(
                "encoding-plain", "PLAIN", "Encodings", read=("plain/*",), write=("parquet/encoding/plain",)
            ),
            Feature("page-crc", "CRC", "Other", read=("crc/*",), refuses=("fault/crc/*",), note="a note"),
            Feature("pruning", "Pruning", "APIs", misled=("lies/*",)),
            Feature("variant", "VARIANT", "Types", features=("parquet/logical/variant",)),
            Feature("index", "Page index", "Other", read=("index/*",), queries=True),
            Feature("page-v2", "Data Page V2", "Other", write=("parquet/page/v2",)),
            Feature("int32", "INT32", "Types", write=("parquet/type/int32",)),
            Feature("summary", "Summary file", "APIs"),
        ),
        "orc": (),
    },
    {"arrow": ("pyarrow",)},
)
CLAIMS = """
engine_id: arrow
support:
  encoding-plain: {status: full, since_version_write: "99.0"}
  page-crc: {status: none}
  variant:
    status: read
  index: {status: full}
---
- engine_id: fastparquet
  support:
    pruning: {status: full, since_version_read: "2025.1"}
    index: {status: unknown}
"""
ONE, TWO = sample.REFERENCE, sample.PYARROW


def _lied(case, engine, misled):
    return sample.row(case, engine, "agree", probes={"asked": 3, "unsupported": 0, "misled": misled})


def _written(case, engine, verdict, writer, features=("parquet/encoding/plain",), **more):
    told = {"kind": "accept", "source": f"writer:{writer}"}
    where = f"writers/{writer.partition('@')[0]}/{case}"
    return sample.row(where, engine, verdict, expectation=told, features=features, **more)


def _rows():
    """Yield rows by which every kind of cell appears."""
    yield sample.row("plain/a", ONE, "agree")
    yield sample.row("plain/b", ONE, "agree")
    yield sample.row("plain/a", TWO, "agree")
    yield sample.row("plain/b", TWO, "refused_valid", outcome="refused")
    yield sample.row("plain/c", TWO, "different")
    yield sample.row("plain/a", sample.DATASET, "crashed")  # not the engine as it comes
    yield sample.row("crc/a", TWO, "agree")
    yield sample.row("fault/crc/broken", TWO, "accepted_invalid", expectation=sample.RULE)
    yield sample.row("crc/a", ONE, "agree")
    yield sample.row("fault/crc/broken", ONE, "refused_as_expected", expectation=sample.RULE)
    yield _lied("lies/one", ONE, 2)
    yield _lied("lies/two", ONE, 0)
    yield _lied("lies/one", sample.FASTPARQUET, 0)
    yield sample.row("any/v", TWO, "equivalent", features=["parquet/logical/variant"])
    yield sample.row("generated/1/2/3", TWO, "different", features=["parquet/logical/variant"])
    yield sample.row("index/a", ONE, "agree")
    yield sample.row("index/a", TWO, "different", probe="x = 1")
    yield sample.row("plain/a", sample.FASTPARQUET, "different", probe="x = 1")
    yield _written("a/v1", ONE, "agree", "pyarrow@26.0.1")
    yield _written("a/v1", sample.FASTPARQUET, "different", "pyarrow@26.0.1")
    yield _written("a/v2", ONE, "agree", "pyarrow@26.0.1")
    yield _written("a/v2", TWO, "wrote_invalid", "pyarrow@26.0.1", phase="write")
    yield _written("b/v2", ONE, "agree", "pyarrow@26.0.1", ["parquet/page/v2"])
    yield _written("b/v2", TWO, "wrote_invalid", "pyarrow@26.0.1", ["parquet/page/v2"], phase="write")
    spelled = "fastparquet@2024.11.0"
    plain, other = ["parquet/encoding/plain"], ["parquet/type/int32"]
    yield _written("a/v1", sample.FASTPARQUET, "unsupported", spelled, plain, phase="write")
    yield _written("a/v2", sample.FASTPARQUET, "unsupported", spelled, plain, phase="write")
    yield _written("b/v1", sample.FASTPARQUET, "unsupported", spelled, other, phase="write")
    yield _written("b/v2", ONE, "agree", spelled, other)


@pytest.fixture
def out(tmp_path):
    """Return the folder of a run."""
    return sample.write(tmp_path / "out", list(_rows()))


@pytest.fixture
def told(tmp_path):
    """Return claims, as a user has them."""
    path = tmp_path / "claims.yaml"
    path.write_text(CLAIMS)
    return claims.load((path,), ROWS.implementations)


def _cells(status, feature):
    (matrix,) = status.matrices
    line = next(line for line in matrix.lines if line.id == feature)
    return {engine.partition("@")[0]: pair for engine, pair in zip(matrix.engines, line.cells, strict=True)}


def test_reading(out):
    """All, some and none of the cases; the proof is one that did not pass, a wrong one first."""
    status = build(load_results(out), rows=ROWS)
    cells = _cells(status, "encoding-plain")
    assert cells["reference"][0] == Cell("full", 2, 2, "plain/a", "agree")
    assert cells["pyarrow"][0] == Cell("partial", 1, 3, "plain/c", "different", wrong=True)
    assert cells["fastparquet"][0].state == "full"  # what is wrong is an answer to a query
    assert _cells(status, "index")["pyarrow"][0] == Cell("none", 0, 1, "index/a", "different", wrong=True)


def test_a_feature_that_must_be_looked_at(out):
    """Who reads pages with a checksum, and does not look at it, does not support it."""
    cells = _cells(build(load_results(out), rows=ROWS), "page-crc")
    assert cells["reference"][0] == Cell("full", 1, 1, "crc/a", "agree")
    assert cells["pyarrow"][0] == Cell("none", 0, 1, "fault/crc/broken", "accepted_invalid", wrong=True)


def test_skipping(out):
    """Who is misled by what lies skips by it; who never is does not."""
    cells = _cells(build(load_results(out), rows=ROWS), "pruning")
    assert cells["reference"][0] == Cell("full", 1, 2, "lies/one", "agree")
    assert cells["fastparquet"][0] == Cell("none", 0, 1, "lies/one", "agree")
    assert cells["pyarrow"][0] == Cell()


def test_features_where_no_case_is_named(out):
    """Cases with the features stand in; generated files, which have all features, do not."""
    cell = _cells(build(load_results(out), rows=ROWS), "variant")["pyarrow"][0]
    assert cell == Cell("full", 1, 1, "any/v", "equivalent", equivalent=True)


def test_writing(out):
    """A file counts when the reference read what was meant; one that breaks a rule only without another."""
    status = build(load_results(out), rows=ROWS)
    cells = _cells(status, "encoding-plain")
    assert cells["pyarrow"][1] == Cell("full", 1, 1, "writers/pyarrow/a/v1", "agree")
    assert cells["reference"][1] == Cell()
    invalid = Cell("none", 0, 1, "writers/pyarrow/b/v2", "wrote_invalid", wrong=True)
    assert _cells(status, "page-v2")["pyarrow"][1] == invalid


def test_refusals_to_write(out):
    """What is refused in every layout that is written at all is not written; a layout alone says nothing."""
    status = build(load_results(out), rows=ROWS)
    assert _cells(status, "encoding-plain")["fastparquet"][1] == Cell(
        "none", 0, 1, "writers/fastparquet/a/v2", "unsupported"
    )
    assert _cells(status, "int32")["fastparquet"][1] == Cell(
        "full", 1, 1, "writers/fastparquet/b/v2", "agree"
    )


def test_claims(out, told):
    """Claims are confirmed, too much, too little, or cannot be told; before `since` nothing is."""
    status = build(load_results(out), told, ROWS)

    def word(feature, engine, way=0):
        cell = _cells(status, feature)[engine][way]
        return cell.claim, cell.comparison

    assert word("encoding-plain", "pyarrow") == ("yes", "over-claimed")
    assert word("encoding-plain", "pyarrow", 1) == ("no", "under-claimed")
    assert word("page-crc", "pyarrow") == ("no", "confirmed")
    assert word("variant", "pyarrow") == ("yes", "confirmed")
    assert word("variant", "pyarrow", 1) == ("no", "unknown")
    assert word("index", "pyarrow") == ("yes", "over-claimed")
    assert word("pruning", "fastparquet") == ("no", "confirmed")
    assert word("index", "fastparquet") == ("", "unknown")
    assert word("index", "reference") == ("", "unknown")
    assert status.matrices[0].count("over-claimed") == 2


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("a: [", "not YAML"),
        ("a: &x [1]\nb: *x", "alias"),
        ("- 1", "not an engine_id"),
        ("support: {a: {status: full}}", "no engine_id"),
        ("engine_id: x\nsupport: {a: {status: perhaps}}", "status 'perhaps'"),
        ("engine_id: x\nsupport: {a: {status: [1]}}", "status [1]"),
        ("[" * 1500, "not YAML"),
        ("!!python/object/apply:os.system [ls]", "not YAML"),
    ],
)
def test_claims_that_are_none(content, problem, out, tmp_path):
    """What is no file of claims is one line, and status 2."""
    path = tmp_path / "bad.yaml"
    path.write_text(content)
    with pytest.raises(claims.ClaimsError, match=re.escape(problem)):
        claims.load((path,), {})
    result = CliRunner().invoke(report, [str(out), "--format", "status", "--claims", str(path)])
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


def test_claims_need_the_status(out, tmp_path):
    """Claims are compared with the status only."""
    path = tmp_path / "claims.yaml"
    path.write_text(CLAIMS)
    assert CliRunner().invoke(report, [str(out), "--claims", str(path)]).exit_code == 2


@pytest.mark.parametrize("suffix", FORMS)
def test_gold(suffix, out, told):
    """Each form is the gold file, to the byte."""
    made = FORMS[suffix](build(load_results(out), told, ROWS))
    if suffix == ".html":
        made = re.sub(r"(?s)<style>.*?</style>", "<style></style>", made)
        made = re.sub(r"sha256-[\w+/=]{44}", "sha256-…", made)
    gold = GOLD / f"status{suffix}"
    if os.environ.get("COLCONF_UPDATE_GOLD"):
        gold.write_text(made, "utf-8")
    assert made == gold.read_text("utf-8")


def test_hostile_text(tmp_path):
    """Names of cases and engines are text in every form, whatever they hold."""
    rows = [sample.row(f"plain/{HOSTILE}", ONE, "agree")]
    rows[0]["version"] = HOSTILE
    status = build(load_results(sample.write(tmp_path, rows)), rows=ROWS)
    for form in FORMS.values():
        made = form(status)
        assert "\x00" not in made
        assert "\u202e" not in made
        if form is not as_json:
            assert "<script>" not in made


@pytest.mark.parametrize("suffix", ["", *FORMS])
def test_the_command(suffix, out, tmp_path):
    """Without a file Markdown is printed; the name of a file says which form it gets."""
    arguments = [str(out), "--format", "status"]
    if not suffix:
        assert CliRunner().invoke(report, arguments).stdout.startswith("# colconf: implementation status")
        return
    file = tmp_path / f"status{suffix}"
    assert CliRunner().invoke(report, [*arguments, "--output", str(file)]).exit_code == 0
    if suffix == ".json":
        assert [len(one["features"]) for one in json.loads(file.read_text())["formats"]] == [64]
    else:
        assert "PLAIN" in file.read_text()


def test_the_rows_are_sound():
    """Ids are there once, features are known, engines are ours, and every glob has a checked-in case."""
    rows = status_model.load()
    assert len(rows.features["parquet"]) == 64
    assert {engine for engines in rows.implementations.values() for engine in engines} <= set(ENGINES)
    known = registry()
    for form, features in rows.features.items():
        folder = CORPORA[form].folder
        cases = [f"{form}/{path.relative_to(folder).with_suffix('')}" for path in folder.rglob("*.json")]
        assert len({one.id for one in features}) == len(features)
        for one in features:
            assert set(one.features) | set(one.write) <= set(known), one.id
            for glob in (*one.read, *one.refuses, *one.misled):
                assert any(fnmatchcase(case, glob) for case in cases), f"{one.id}: {glob}"
