"""Keys of encrypted files: they open files through the commands, and stay where they came from."""

import base64
import hashlib
import json
import secrets
from dataclasses import replace

import pytest

from corpora.cases import Case, Expectation, dump
from corpora.keys import TEST_KEYS, Keys, KeysError, load, suite_key
from corpora.tagged import Table, integer
from harness.children.protocol import ProtocolError, decode_request, encode
from harness.cli import main
from harness.commands import keyed
from harness.engines.pyarrow import kms
from reference_impl.parquet.encryption import material
from reference_impl.parquet.plan import Column, ColumnKey, Encryption, FilePlan
from reference_impl.parquet.schema import FieldRepetitionType, SchemaElement, Type
from reference_impl.parquet.writer import write


def element(name):
    """A required column of integers."""
    return SchemaElement(name=name, type=Type.INT32, repetition_type=FieldRepetitionType.REQUIRED)


def plan(encryption):
    """Two columns of integers."""
    schema = (SchemaElement(name="schema", num_children=2), element("a"), element("b"))
    rows = tuple({"a": row, "b": -row} for row in range(5))
    return FilePlan(schema, rows, (Column(), Column()), encryption=encryption)


@pytest.fixture
def planted(tmp_path):
    """A file of two keys that are nobody's, and the keys."""
    keys = secrets.token_bytes(16), secrets.token_bytes(32)
    encryption = Encryption(keys[0], columns=(ColumnKey(keys[1]), None), aad_prefix=b"here")
    (tmp_path / "secret.parquet").write_bytes(write(plan(encryption)))
    uniform = Encryption(keys[0], plaintext_footer=True)
    (tmp_path / "signed.parquet").write_bytes(write(plan(uniform)))
    # A case that expects other values, so that there is a finding.
    data, none = (tmp_path / "signed.parquet").read_bytes(), Table.of([("a", integer(32))], [[]], 0)
    digest = hashlib.sha256(data).hexdigest()
    wrong = Expectation.accept(none, "generator")
    case = Case("files/signed", "parquet", tmp_path / "signed.parquet", digest, wrong, source="generator")
    dump(case, tmp_path / "signed.json")
    told = {"files": {"secret.*": {"footer": keys[0].hex(), "columns": {"a": keys[1].hex()}}}}
    told["files"]["*"] = {"footer": keys[0].hex()}
    (tmp_path / "keys.json").write_text(json.dumps(told))
    return keys


@pytest.fixture
def run(capsys):
    """Run a command: its status, and what it wrote."""

    def ask(*arguments):
        status = main(list(map(str, arguments)))
        return status, *capsys.readouterr()

    return ask


def test_a_planted_secret(tmp_path, planted, run):
    """A key that is not the suite's own is in no file of a run, in no output, and in no case."""
    out = tmp_path / "out"
    files = [tmp_path / "secret.parquet", tmp_path / "signed.parquet"]
    asked = ["--keys", tmp_path / "keys.json", "--engine", "reference", "--no-spark", "--out", out]
    status, said, told = run("run", "--files", *files, *asked)
    assert status == 1, told
    rows = [json.loads(line) for line in (out / "results.ndjson").read_text().splitlines()]
    assert [row["outcome"] for row in rows] == ["table"] * 4  # with and without pushdown
    derived = [row["detail"]["probes"]["asked"] for row in rows if row["case"].endswith("secret.parquet")]
    assert len(derived) == 2
    assert all(count > 10 for count in derived)  # of the values and bounds that the keys open
    forms = [form for key in planted for form in (key, key.hex().encode(), base64.b64encode(key))]
    found = [path for path in out.rglob("*") if path.is_file()]
    assert {"cases.ndjson", "results.ndjson"} <= {path.name for path in found}
    for path in found:
        assert not any(form in path.read_bytes() for form in forms), path
    assert not any(form.decode() in said + told for form in (*forms[1:3], *forms[4:]))


def test_no_keys(tmp_path, planted, run):
    """Where keys are missing, one line says how they are given."""
    file = tmp_path / "secret.parquet"
    for command in ("validate", "inspect"):
        assert "--keys FILE" in run(command, file)[2]
        assert not run(command, file, "--keys", tmp_path / "keys.json")[2]
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"footer": planted[0].hex()}))
    assert "lacks keys that the files need" in run("validate", file, "--keys", other)[2]


def test_wrong_keys(tmp_path, planted, run):
    """A file that its keys do not open is named, the others are read, and the status is 2."""
    wrong = {"footer": secrets.token_bytes(16).hex()}
    ring = {"files": {"secret.*": wrong, "*": {"footer": planted[0].hex()}}}
    (tmp_path / "wrong.json").write_text(json.dumps(ring))
    files = [tmp_path / "secret.parquet", tmp_path / "signed.parquet"]
    asked = ["--engine", "reference", "--no-spark", "--keys", tmp_path / "wrong.json"]
    status, _, told = run("run", "--files", *files, *asked, "--out", tmp_path / "out")
    assert status == 2
    assert f"{files[0]}: not opened by its keys: " in told
    rows = [json.loads(line) for line in (tmp_path / "out" / "results.ndjson").read_text().splitlines()]
    assert {row["case"] for row in rows if row["outcome"] == "table"} == {"files/signed"}
    status, _, told = run("run", "--files", files[0], *asked, "--out", tmp_path / "none")
    assert (status, f"opens none of the files: {files[0]}: not opened by its keys" in told) == (2, True)
    said = run("validate", files[0], "--keys", tmp_path / "wrong.json")[2]
    assert "has other keys than theirs" in said


@pytest.mark.parametrize(
    ("content", "is_kept"),
    [({"footer": "00" * 16}, False), ({"files": {"other-*.parquet": {"footer": "00" * 16}}}, True)],
)
def test_keys_of_other_files_leave_those_of_a_case(tmp_path, content, is_kept):
    """A case keeps its keys where the file of keys has none for it."""
    ring = tmp_path / "keys.json"
    ring.write_text(json.dumps(content))
    file = tmp_path / "x.parquet"
    case = Case("files/x", "parquet", file, "0" * 64, Expectation.by_vote(), keys=Keys(footer=b"1" * 16))
    assert (keyed.case_with(str(ring), case).keys == case.keys) == is_kept


def test_a_plain_file_gets_no_keys(tmp_path, planted, run):
    """Beside encrypted files, a plain file is read without keys, which pyarrow would refuse."""
    (tmp_path / "plain.parquet").write_bytes(write(plan(None)))
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps({"footer": planted[0].hex()}))
    engines = ["--engine", "reference", "--engine", "pyarrow", "--no-spark", "--queries", "none"]
    files = [tmp_path / "plain.parquet", tmp_path / "signed.parquet"]
    run("run", "--files", *files, *engines, "--keys", keys, "--out", tmp_path / "out")
    rows = [json.loads(line) for line in (tmp_path / "out" / "results.ndjson").read_text().splitlines()]
    plain = {row["verdict"] for row in rows if row["case"] == "files/plain.parquet"}
    assert plain == {"agree"}
    assert {row["outcome"] for row in rows if row["case"] == "files/signed"} == {"table"}
    assert run("replay", files[0], "--engine", "pyarrow", "--keys", keys)[1].count("agree") == 2


def test_the_right_key_of_a_file_without_aad(tmp_path, run):
    """A file whose writer left out the AAD is read and named as broken; its key is not called wrong."""
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    file, out = tmp_path / "x.parquet", tmp_path / "out"
    with duckdb.connect() as connection:
        connection.execute("SET force_mbedtls_unsafe = 'true'")  # else it loads an extension to write
        connection.execute("PRAGMA add_parquet_key('k', '0123456789012345')")
        connection.execute(f"COPY (SELECT 1 AS a) TO '{file}' (ENCRYPTION_CONFIG {{footer_key: 'k'}})")
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps({"footer": b"0123456789012345".hex()}))
    arguments = ["--engine", "reference", "--engine", "pyarrow", "--no-spark", "--keys", keys, "--out", out]
    status, printed, _ = run("run", "--files", file, *arguments)
    assert status == 0
    assert "PQ-CRYPT-020" in printed
    status, _, errors = run("validate", file, "--keys", keys)
    assert (status, errors) == (1, "")
    assert "other keys" not in run("inspect", file, "--keys", keys)[2]


@pytest.mark.parametrize(
    "text", ["", "[]", '{"footer": "00"}', '{"footer": 1}', '{"foot": "00"}', '{"files": {"*": []}}']
)
def test_files_of_keys_that_are_none(tmp_path, text, run):
    """A file of keys that is none is a mistake of one line, status 2."""
    (tmp_path / "keys.json").write_text(text)
    (tmp_path / "a.parquet").write_bytes(write(plan(None)))
    status, _, told = run("validate", tmp_path / "a.parquet", "--keys", tmp_path / "keys.json")
    assert status == 2
    assert len(told.splitlines()) == 1


def test_json_of_keys(tmp_path):
    """Public keys are written out, others refer to their file, or are refused; a repr shows none."""
    own = Keys(footer=suite_key("footer"), columns={"a": suite_key("column 1", 32)}, aad_prefix=b"\xff")
    assert Keys.from_json(own.to_json()) == own
    secret = replace(own, footer=secrets.token_bytes(16))
    assert secret.footer.hex() not in repr(secret) + str(secret.redacted())
    with pytest.raises(KeysError):
        secret.to_json()
    (tmp_path / "keys.json").write_text(json.dumps({"files": {"a/*": secret.to_wire()}}))
    ring = load(tmp_path / "keys.json")
    found = ring.for_file("/data/a/x.parquet")
    assert ring.for_file("/data/b/x.parquet") is None
    assert found.to_json() == {"file": str(tmp_path / "keys.json"), "entry": "a/*"}
    assert Keys.from_json(found.to_json()) == found
    assert all(len(key) in (16, 24, 32) for key in TEST_KEYS)


def test_requests_with_keys():
    """Keys may go with what is asked of files, and with nothing else; a message about them shows none."""
    read = {"op": "read", "id": 1, "file": "a", "format": "parquet", "config": {}, "spill": "s"}
    assert decode_request(encode({**read, "keys": {}}))["keys"] == {}
    with pytest.raises(ProtocolError):
        decode_request(encode({"op": "stop", "id": 1, "keys": {}}))
    with pytest.raises(ProtocolError) as caught:
        decode_request(encode({**read, "keys": "00112233"}))
    assert "00112233" not in str(caught.value)


@pytest.mark.parametrize("size", [16, 24, 32])
def test_the_kms(size):
    """The KMS of adapters opens what `cryptography` has sealed, and nothing that was changed."""
    key, master = secrets.token_bytes(size), secrets.token_bytes(size)
    wrapped = material.wrap(key, master, b"name", secrets.token_bytes(12))
    assert kms.unwrap({"name": master}, wrapped, "name") == key
    again = kms.wrap(master, key, "name")
    assert kms.unwrap({"name": master}, again, "name") == key
    assert kms.unwrap({"name": master}, json.dumps({"encryptedKey": wrapped}), "name") == key
    sealed = base64.b64decode(wrapped)
    changed = base64.b64encode(sealed[:-1] + bytes([sealed[-1] ^ 1])).decode()
    for masters, text in (
        ({}, wrapped),
        ({"name": key[::-1]}, wrapped),
        ({"name": master}, changed),
        ({"name": master}, "?"),
    ):
        with pytest.raises(kms.KmsError):
            kms.unwrap(masters, text, "name")
