"""`colconf corpus release` and `fetch`: the same to the byte, read by others, refused when not whole."""

import gzip
import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import jsonschema
import pytest
from click.testing import CliRunner

from corpora import archives, own_cases, released
from corpora.archives import ArchiveError
from corpora.released import ROOT
from harness.commands import corpus_release
from harness.commands.corpus import corpus
from harness.tests.schemas import check

PAGES = {"README.md": "a page", "LICENSE": "a licence"}
SOME = ("parquet/alp/double/*", "orc/findings/*", "evolved/orc/add/*", "parquet/fault/*")
SCHEMA = json.loads((ROOT / "schemas/case-1.json").read_text("utf-8"))
RELEASE = ("manifest", "cases", "rules", "features")


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Return a folder like that of the corpora, with some cases of each kind."""
    root = tmp_path_factory.mktemp("corpora")
    for record in [each for glob in SOME for each in list(own_cases.records([glob]))[:8]]:
        case = json.loads(record.read_text("utf-8"))
        target = root / record.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(record, target)
        source = record.parent / case["file"]
        if source.is_dir():
            shutil.copytree(source, target.parent / case["file"], dirs_exist_ok=True)
        else:
            shutil.copy(source, target.parent)
    shutil.copytree(ROOT / "rules.d", root / "rules.d")
    shutil.copy(ROOT / "features.toml", root)
    return root


@pytest.fixture(scope="module")
def archive(small, tmp_path_factory):
    """Return an archive of some cases."""
    return released.release(tmp_path_factory.mktemp("archives"), "1", PAGES, root=small)


@pytest.fixture(scope="module")
def unpacked(archive, tmp_path_factory):
    """Return the folder that an archive is unpacked into."""
    out = tmp_path_factory.mktemp("unpacked") / "corpus"
    assert released.fetch(archive, out) > 16
    return out


@pytest.mark.heavy
def test_it_is_the_same_to_the_byte(small, archive, tmp_path):
    """Made again, of files with other times and in another folder, it has the same bytes."""
    again = tmp_path / "other"
    shutil.copytree(small, again, copy_function=shutil.copyfile)
    assert released.release(tmp_path, "1", PAGES, root=again).read_bytes() == archive.read_bytes()


def test_its_contents(unpacked, archive):
    """Each file is in the manifest, each case in the index, by its recipe."""
    manifest = json.loads((unpacked / "manifest.json").read_text())
    there = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    assert {entry["path"] for entry in manifest["files"]} == there - {"manifest.json"}
    assert {"LICENSE", "README.md", "CHANGES.md", "readers/reader.js", "readers/Reader.java"} < there
    index = json.loads((unpacked / "cases.json").read_text())
    assert manifest["cases"] == len(index)
    assert all((unpacked / entry["file"]).exists() and entry["made_by"] == "colconf 1" for entry in index)
    assert {entry["recipe"] for entry in index if entry["format"] == "parquet"} > {"alp/double/example"}
    assert len(json.loads((unpacked / "rules.json").read_text())) > 100
    assert archive.name == "colconf-corpus-1.tar.gz"


def test_cases_are_of_the_schema(unpacked):
    """The cases are of the published schema, which sees a missing digest and an unknown key."""
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for entry in json.loads((unpacked / "cases.json").read_text()):
        case = json.loads((unpacked / entry["json"]).read_text())
        validator.validate(case)
        assert not validator.is_valid({name: value for name, value in case.items() if name != "sha256"})
    assert not validator.is_valid({**case, "new": 1})


def test_other_files_are_of_their_schema(unpacked):
    """Manifest, index, rules and features are of the schema in the archive, which sees a damaged manifest."""
    assert (unpacked / "release.schema.json").read_text() == (ROOT / "schemas/release-1.json").read_text()
    files = {name: json.loads((unpacked / f"{name}.json").read_text()) for name in RELEASE}
    for name, content in files.items():
        check(content, "release:1", name)
    manifest = files["manifest"]
    for damage in ({"format": 2}, {"cases": "many"}, {"files": [{"path": "x", "bytes": 1}]}, {"new": 1}):
        with pytest.raises(jsonschema.ValidationError):
            check({**manifest, **damage}, "release:1", "manifest")


@pytest.mark.heavy
@pytest.mark.sweep(2)
@pytest.mark.parametrize("command", [["node", "reader.js"], ["java", "Reader.java"]], ids=["node", "java"])
def test_readers_in_other_languages(command, unpacked, tmp_path):
    """Both count the same cases, rows and values as Python does, and see a file that was changed."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    reader = [command[0], str(unpacked / "readers" / command[1])]
    printed = subprocess.run([*reader, unpacked], capture_output=True, text=True, check=True).stdout
    records = [json.loads(path.read_text()) for path in (unpacked / "cases").rglob("*.json")]
    tables = [case["expectation"]["table"] for case in records if "table" in case["expectation"]]
    counts = dict(part.split(" ") for part in printed.strip().split(", "))
    assert int(counts["cases"]) == len(records)
    assert int(counts["rows"]) == sum(table["rows"] for table in tables)
    assert int(counts["values"]) == sum(
        len(values) for t in tables for block in t["blocks"] for values in block
    )
    other = tmp_path / "other"
    shutil.copytree(unpacked, other)
    (other / "cases/parquet/alp/double/example.parquet").write_bytes(b"PAR1")
    failed = subprocess.run([*reader, other], capture_output=True, text=True, check=False)
    assert failed.returncode != 0
    assert "not of the documented form: cases/parquet/alp/double/example.parquet" in failed.stderr


def test_changes_by_case(small, archive, tmp_path):
    """The changelog names new and removed cases, other files, and other meanings of the same file."""
    root = tmp_path / "corpora"
    shutil.copytree(small, root)
    first, second, third, *_ = sorted((root / "parquet/alp/double").rglob("*.json"))
    case = json.loads(first.read_text())
    first.write_text(json.dumps({**case, "notes": "another"}))
    data = second.with_suffix(".parquet").read_bytes() + b"x"
    second.with_suffix(".parquet").write_bytes(data)
    case = json.loads(second.read_text())
    second.write_text(json.dumps({**case, "sha256": hashlib.sha256(data).hexdigest()}))
    third.unlink()
    later = released.release(tmp_path / "out", "2", PAGES, root=root, since=archive)
    released.fetch(later, tmp_path / "unpacked")
    changes = (tmp_path / "unpacked/CHANGES.md").read_text()
    assert changes.startswith("# Changes of 2 since 1\n")
    assert "## New: 0" in changes
    names = {path: path.relative_to(root).with_suffix("").as_posix() for path in (first, second, third)}
    for title, path in (
        ("Removed", third), ("With another file", second), ("With another meaning, of the same file", first)
    ):  # fmt: skip
        assert f"## {title}: 1\n\n* `{names[path]}`" in changes


def packed(path, members):
    """Write an archive with these members, whose contents are bytes, or the target of a link as text."""
    with tarfile.open(path, "w:gz") as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            if isinstance(content, str):
                member.type, member.linkname = tarfile.SYMTYPE, content
                tar.addfile(member)
            else:
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    return path


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"a/../../x": b""}, "is nothing that an archive of corpora has"),
        ({"/etc/x": b""}, "is nothing that an archive of corpora has"),
        ({"a/x": "/etc/passwd"}, "is nothing that an archive of corpora has"),
        ({"a/x": b"", "b/x": b""}, "is nothing that an archive of corpora has"),
        ({"a//dev/null/x": b""}, "is nothing that an archive of corpora has"),
        ({"a/./x": b""}, "is nothing that an archive of corpora has"),
        ({".": b""}, "is nothing that an archive of corpora has"),
        ({"a/\x1b[2J": b""}, "is nothing that an archive of corpora has"),
        ({"a/manifest.json": b"[" * 100_000}, "is no archive of colconf's corpora"),
        (
            {"a/manifest.json": b'{"format": 1, "cases": Infinity, "files": []}'},
            "inf is no number of cases",
        ),
        ({"a/x": b""}, "is no archive of colconf's corpora"),
        ({"a/manifest.json": b"{}"}, "is no archive of colconf's corpora"),
        ({"a/manifest.json": b'{"format": 2, "cases": 0, "files": []}'}, "of format 2; this colconf knows 1"),
        (
            {"a/manifest.json": b'{"format": 1, "cases": 0, "files": []}', "a/x": b""},
            "x is not as the manifest",
        ),
        (
            {"a/manifest.json": b'{"format": 1, "cases": 0, "files": [{"path": "y", "sha256": "0"}]}'},
            "y is not as the manifest",
        ),
    ],
)
def test_what_is_no_archive_is_refused(tmp_path, members, message):
    """A member that would leave the folder, a link, and what the manifest lacks leave nothing behind."""
    with pytest.raises(ArchiveError, match=message):
        released.fetch(packed(tmp_path / "x.tar.gz", members), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["x.tar.gz"]


@pytest.mark.parametrize("kind", [tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE])
def test_only_files_are_unpacked(tmp_path, kind):
    """A hard link, a FIFO, a device and a folder of its own are refused."""
    with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as tar:
        member = tarfile.TarInfo("a/x")
        member.type, member.linkname = kind, "/etc/passwd"
        tar.addfile(member)
    with pytest.raises(ArchiveError, match="is nothing that an archive of corpora has"):
        released.fetch(tmp_path / "x.tar.gz", tmp_path / "out")


def test_it_is_unpacked_up_to_a_bound(tmp_path, monkeypatch):
    """Neither the size of a file nor that of a header, which tar reads whole, decides the memory."""
    monkeypatch.setattr(archives, "_MOST_BYTES", 1 << 16)
    large = packed(tmp_path / "x.tar.gz", {"a/x": bytes(1 << 17)})
    with pytest.raises(ArchiveError, match="'a/x' is nothing that an archive of corpora has"):
        released.fetch(large, tmp_path / "out")
    header = tarfile.TarInfo("a/x")
    header.type, header.size = tarfile.XHDTYPE, 1 << 40
    (tmp_path / "y.tar.gz").write_bytes(gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 18)))
    with pytest.raises(ArchiveError, match="has more than 65,536 bytes"):
        released.fetch(tmp_path / "y.tar.gz", tmp_path / "out")


CUT = gzip.compress(b"x" * 600, mtime=0)[:-9]


@pytest.mark.parametrize("content", [b"", b"no archive", gzip.compress(b"no tar", mtime=0), CUT])
def test_damaged_archives_are_refused(tmp_path, content):
    """What is no gzip, no tar, or cut off is one line."""
    (tmp_path / "x.tar.gz").write_bytes(content)
    with pytest.raises(ArchiveError, match="is no archive of colconf's corpora"):
        released.fetch(tmp_path / "x.tar.gz", tmp_path / "out")
    assert not (tmp_path / "out").exists()


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that logs nothing."""

    def log_message(self, *_):
        """Log nothing."""


def fetched(*arguments):
    """Run `corpus fetch` in this process."""
    return CliRunner().invoke(corpus, ["fetch", *map(str, arguments)])


@pytest.mark.parametrize(
    "address", ["http://[", "http://", "http://x y/", "http://127.0.0.1:99999", "ftp://x"]
)
def test_bad_addresses_are_one_line(address, tmp_path):
    """What is no address, or one of nothing, is one line, status 2."""
    result = fetched("1", "--from", address, "--out", tmp_path / "out")
    assert (result.exit_code, result.output.count("\n")) == (2, 1)


def test_fetch(archive, tmp_path, monkeypatch):
    """A version is taken from a folder, an archive or an address; what is wrong or too long is one line."""
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    done = fetched("1", "--from", archive.parent, "--out", tmp_path / "a", "--sha256", digest)
    assert done.exit_code == 0, done.output
    again = fetched("1", "--from", archive, "--out", tmp_path / "a")
    assert (again.exit_code, again.output) == (2, f"Error: {tmp_path / 'a'}: exists; name another folder\n")
    wrong = fetched("1", "--from", archive, "--out", tmp_path / "b", "--sha256", "0" * 64)
    assert f"its SHA-256 is {digest}, not 000" in wrong.output
    missing = fetched("2", "--from", archive.parent, "--out", tmp_path / "b")
    assert "colconf-corpus-2.tar.gz: No such file or directory" in missing.output
    handler = partial(Quiet, directory=archive.parent)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            address = f"http://127.0.0.1:{server.server_port}"
            by_address = fetched("1", "--from", address, "--out", tmp_path / "c")
            absent = fetched("9", "--from", address, "--out", tmp_path / "d")
            monkeypatch.setattr(corpus_release, "_MOST_BYTES", 100)
            long = fetched("1", "--from", address, "--out", tmp_path / "e")
        finally:
            server.shutdown()
            thread.join()
    assert by_address.exit_code == 0, by_address.output
    assert (absent.exit_code, long.exit_code) == (2, 2)
    assert long.output == f"Error: {address}/colconf-corpus-1.tar.gz: the response has more than 100 bytes\n"
    assert absent.output == f"Error: {address}/colconf-corpus-9.tar.gz: 404 File not found\n"


def test_release(archive, tmp_path, monkeypatch, small):
    """The command prints the digest of the archive, with the pages of the checkout."""
    monkeypatch.setattr(released, "release", partial(released.release, root=small))
    done = CliRunner().invoke(
        corpus, ["release", "--out", str(tmp_path), "--version", "2", "--since", str(archive)]
    )
    assert done.exit_code == 0, done.output
    digest, path = done.stdout.split()
    assert digest == hashlib.sha256((tmp_path / "colconf-corpus-2.tar.gz").read_bytes()).hexdigest()
    assert path.endswith("colconf-corpus-2.tar.gz")
