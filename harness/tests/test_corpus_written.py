"""`colconf corpus written` builds a corpus of what engines wrote, and compares it with an earlier one."""

from __future__ import annotations

import json
import re
from collections import Counter
from importlib import metadata

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from corpora.build.formats import FORMATS
from corpora.cases import load
from corpora.files import digest
from corpora.known_failures import Entry, Judged
from corpora.own_cases import CHECKED_IN as CORPORA
from corpora.tagged import Table, integer
from harness.cli import main
from harness.commands.corpus import corpus
from harness.investigate import written as investigate_written
from harness.investigate.written import (
    DIGESTS,
    RANDOM,
    WrittenError,
    differences,
    features_of,
    other_values,
    read_digests,
)
from reference_impl.errors import ReferenceError_


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the folder of a small corpus, and what the command printed."""
    folder = tmp_path_factory.mktemp("written")
    return folder, _written(folder)


def _written(folder, *more, tables=3):
    arguments = ["written", "--engine", "fastparquet", "--tables", str(tables), "--out", str(folder), *more]
    return CliRunner().invoke(corpus, arguments)


def test_each_file_has_a_case_and_a_digest(built) -> None:
    """A file has its case beside it, whose digest is that of the file and of digests.json."""
    folder, result = built
    assert result.exit_code == 0, result.output
    entries = read_digests(folder / DIGESTS)
    files = {path.relative_to(folder).with_suffix("").as_posix(): path for path in folder.rglob("*.parquet")}
    assert len(entries) == 3
    assert files
    for name, path in files.items():
        case = load(path.with_suffix(".json"))
        assert case.sha256 == entries[name]["sha256"] == digest(path)
        assert case.source.startswith("writer:fastparquet@")
        assert re.fullmatch(r"writers/fastparquet@[0-9.]+/drawn-1-000000/[0-9]", case.id)


def test_a_file_that_its_writer_damaged_has_features() -> None:
    """What cannot be read whole has the features that its footer shows, and does not end the build."""
    file = CORPORA / "orc/fault/orc-stripe-008/data-twice.orc"
    with pytest.raises(ReferenceError_):
        FORMATS["orc"].features(file.read_bytes(), None)
    assert "orc/codec/none" in features_of(file, "orc", None)


def test_a_known_failure_of_a_writer_is_one_in_files_of_its_releases():
    """An entry about what an engine writes in a run is about what `colconf corpus written` has it write."""
    entry = Entry(
        "fastparquet", "writers/fastparquet/*", "wrote_other", "", signature="fastparquet | wrote_other*"
    )
    for case, is_meant in {
        "writers/fastparquet@2026.9.0/drawn-1-000000/0": True,
        "writers/fastparquet/drawn-1-000000/0": True,
        "writers/pyarrow@22.0.0/drawn-1-000000/0": False,
        "files/fastparquet@1/drawn-1-000000/0": False,
    }.items():
        row = Judged(
            case, "fastparquet", "1", {}, "wrote_other", "fastparquet | wrote_other | value in int96"
        )
        assert entry.covers(row) == is_meant


def test_encrypted_files_have_their_keys_beside_them(tmp_path):
    """Some options of pyarrow encrypt a file: its case has the keys, and the rules are checked with them."""
    arguments = [
        "written",
        "--engine",
        "pyarrow",
        "--format",
        "parquet",
        "--tables",
        "24",
        "--out",
        str(tmp_path),
    ]
    result = CliRunner().invoke(corpus, arguments)
    assert result.exit_code == 0, result.output
    cases = [load(path) for path in (tmp_path / "parquet").rglob("*.json")]
    encrypted = [case for case in cases if case.keys is not None]
    assert 0 < len(encrypted) < len(cases)
    for case in encrypted:
        assert not FORMATS["parquet"].examine(case.file.read_bytes(), case.keys).unchecked


def test_what_is_there_is_not_written_again(built) -> None:
    """A build goes on where it ended: a file that is missing or changed is written as it was."""
    folder, _ = built
    first = next(folder.rglob("*.parquet"))
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.parquet")}
    data = first.read_bytes()
    first.write_bytes(b"cut")
    result = _written(folder)
    assert "there already" in result.output
    assert first.read_bytes() == data
    assert {path for path, time in before.items() if path.stat().st_mtime_ns != time} <= set(before)
    again = _written(folder, "--digests", str(folder / DIGESTS))
    assert (again.exit_code, "0 written, 3 there already" in again.output) == (0, True)


def test_a_file_that_differs_is_named(built, tmp_path) -> None:
    """With the digests of another build, a file that differs is named, and the exit status is 1."""
    folder, _ = built
    entries = read_digests(folder / DIGESTS)
    name = next(iter(entries))
    other = tmp_path / "other.json"
    other.write_text(json.dumps({**entries, name: {"sha256": "0" * 64}}))
    result = _written(folder, "--digests", str(other))
    assert result.exit_code == 1
    assert f"{name}: {'0' * 12} before" in result.output
    assert list(differences(entries, entries)) == []


def test_a_file_with_other_values_is_noticed(tmp_path) -> None:
    """How what the reference reads differs from what the writer was given is stated."""
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": pa.array([1, 2], pa.int32())}), file)
    as_given, other = (Table.of([("a", integer(32))], [values]) for values in (["1", "2"], ["1", "3"]))
    assert not other_values(file, "parquet", None, as_given)
    assert other_values(file, "parquet", None, other) == 'column \'a\', row 1: expected "3", got "2"'
    file.write_bytes(b"PAR1 no file")
    assert not other_values(file, "parquet", None, other)


def test_engines_vote_about_a_file_with_other_values(tmp_path, monkeypatch) -> None:
    """Neither what the writer was given nor what the reference reads is taken for right."""
    monkeypatch.setattr(investigate_written, "other_values", lambda *_: "column 'a': other")
    assert _written(tmp_path, tables=1).exit_code == 0
    (case,) = (load(path) for path in (tmp_path / "parquet").rglob("*.json"))
    assert (case.expectation.kind, case.expectation.source, case.expectation.table) == (
        "accept",
        "vote",
        None,
    )
    (entry,) = read_digests(tmp_path / DIGESTS).values()
    assert entry["holds other values"] == "column 'a': other"


@pytest.mark.parametrize(("rule", "kind"), [("PQ-PAGE-003", "either"), ("PQ-LOGICAL-010", "accept")])
def test_what_a_writer_breaks_may_excuse_a_refusal(tmp_path, monkeypatch, rule, kind) -> None:
    """Readers may refuse a file whose writer breaks a MUST, but not for one that leaves nothing open."""
    monkeypatch.setattr(investigate_written, "broken_rules", lambda *_: [{"rule": rule}])
    assert _written(tmp_path, tables=1).exit_code == 0
    (case,) = (load(path) for path in (tmp_path / "parquet").rglob("*.json"))
    assert case.expectation.kind == kind


def test_encrypted_files_are_not_compared_by_bytes() -> None:
    """A writer encrypts with random numbers: such a file has to be there, with whatever bytes."""
    one, other = ({"a": {"sha256": digit * 64, RANDOM: "encrypted"}} for digit in "01")
    assert list(differences(one, other)) == []
    assert list(differences(one, {"a": {"refused": "no"}})) == ["a: refused before, encrypted now"]


def test_a_list_of_releases_is_written_again(tmp_path, monkeypatch) -> None:
    """`--releases` has those of the list write its tables, and compares; other files are a difference."""
    version = metadata.version("fastparquet")
    build = CliRunner().invoke(
        corpus,
        ["written", "--engine", f"fastparquet@{version}", "--tables", "8", "--out", str(tmp_path / "a")],
    )
    assert build.exit_code == 0, build.output
    entries = read_digests(tmp_path / "a" / DIGESTS)
    listed = tmp_path / "list.json"
    monkeypatch.setattr(investigate_written, "RELEASES", listed)
    for wanted, status in ((entries, 0), ({**entries, next(iter(entries)): {"refused": "no"}}, 1)):
        listed.write_text(json.dumps(wanted))
        result = CliRunner().invoke(corpus, ["written", "--releases", "--out", str(tmp_path / "b")])
        assert result.exit_code == status, result.output


def test_the_checked_in_list() -> None:
    """At least 60 releases of all writers are in it, with the same tables each."""
    entries = read_digests(investigate_written.RELEASES)
    releases = investigate_written.engines_of(entries)
    assert len(releases) >= 60
    names = {release.partition("@")[0] for release in releases}
    assert names == {
        *("pyarrow", "pyarrow_orc", "pyorc", "duckdb"),
        *("polars", "fastparquet", "datafusion", "chdb"),
    }
    assert {name.split("/")[1] for name in entries} == set(releases)
    assert set(Counter(name.rpartition("/")[0] for name in entries).values()) == {
        8
    }  # of a format and release


@pytest.mark.parametrize("arguments", [[], ["--releases", "--engine", "fastparquet"]])
def test_engines_or_releases(tmp_path, capsys, arguments) -> None:
    """One of both says who writes."""
    assert main(["corpus", "written", "--out", str(tmp_path / "x"), *arguments]) == 2
    assert "one of --engine and --releases is required" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "[]", '{"x": 1}', '{"x": {}}', '{"x": {"sha256": 1}}'])
def test_other_files_are_no_digests(tmp_path, text) -> None:
    """A file that holds no digests is refused in a line."""
    path = tmp_path / "digests.json"
    path.write_text(text)
    with pytest.raises(WrittenError, match="is no file of digests"):
        read_digests(path)


def test_an_engine_that_writes_nothing_is_refused(tmp_path, capsys) -> None:
    """An engine that does not write a format is refused in a line, with exit status 2."""
    arguments = [
        "corpus",
        "written",
        "--engine",
        "fastparquet",
        "--format",
        "orc",
        "--out",
        str(tmp_path / "w"),
    ]
    assert main(arguments) == 2
    assert "fastparquet" in capsys.readouterr().err
