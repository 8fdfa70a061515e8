"""Everything that colconf prints or writes as JSON has a schema, and tests hold real output to it."""

import copy
import json
import re
from pathlib import Path

import click
import jsonschema
import pytest
from click.testing import CliRunner

from harness.cli import colconf
from harness.commands.doctor import doctor
from harness.investigate.upgrade import account, classes
from harness.investigate.upgrade.classes import Class, Right
from harness.judging.control_answers import STATES as CONTROL_STATES
from harness.runs.history import records, store
from harness.runs.nightly.rounds import Round
from harness.tests.pages import DOCS, PACKAGES, ROOT
from harness.tests.schemas import COMMANDS, FILES, SCHEMAS, check, printed

DESCRIBED = {entry["$ref"].rpartition("/")[2] for entry in COMMANDS["anyOf"]}
# What prints JSON of a schema of its own package: `harness` knows nothing of `reports`.
ELSEWHERE = {"report": "report:1"}
# Commands that cost little, with arguments that have them print something.
CHEAP = {
    "doctor": (),
    "engines": (),
    "engines list": (),
    "fuzz list": (),
    "list cases": ("*/fault/*-00[12]/*",),
    "list engines": (),
    "list features": (),
    "list findings": (),
    "list rules": (),
    "list targets": (),
}


def commands(command=colconf, name=()):
    """Yield each command with the words of its name."""
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for below in command.list_commands(ctx):
            yield from commands(command.get_command(ctx, below), (*name, below))
    yield " ".join(name), command


def prints_json(command):
    """Return whether a command has the option --json, or a format that is JSON."""
    return any(
        "--json" in option.opts
        or ("--format" in option.opts and {"json", "ndjson"} & {*getattr(option.type, "choices", ())})
        for option in command.params
    )


def test_each_command_that_prints_json_has_a_schema():
    """A definition of the schema is called after each command with --json, and none after another."""
    printing = {name.replace(" ", "-") for name, command in commands() if prints_json(command)}
    assert len(printing) > 30
    assert printing == DESCRIBED | {*ELSEWHERE}
    assert all(f"urn:colconf:{schema}" in SCHEMAS for schema in ELSEWHERE.values())
    assert prints_json(click.Command("new", params=[click.Option(["--json"])]))
    assert not prints_json(click.Command("new", params=[click.Option(["--format"])]))


def test_each_command_is_held_to_its_schema_by_a_test():
    """Each command is one of those below, or what it printed is checked in a test of it."""
    files = [path for package in PACKAGES for path in (ROOT / package).glob("**/tests/**/test_*.py")]
    texts = "\n".join(path.read_text("utf-8") for path in files if path != Path(__file__))
    checked = set(re.findall(r'printed\(\s*"([\w ]+)"', texts))
    checked |= set(re.findall(r'"commands:1", "([\w-]+)"', texts))
    assert {name.replace(" ", "-") for name in checked | {*CHEAP}} >= DESCRIBED


@pytest.mark.parametrize("words", CHEAP)
def test_what_commands_print(words):
    """What a command prints is of its schema."""
    result = CliRunner().invoke(colconf, [*words.split(), *CHEAP[words], "--json"])
    assert printed(words, result.stdout)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("damage", ["missing", "unknown", "wrong"])
def test_damaged_documents_are_refused(damage):
    """A document without a key, with another key or with a value of another type is of no schema."""
    document = json.loads(CliRunner().invoke(doctor, ["--json"]).stdout)
    check(document, "commands:1", "doctor")
    check_ = document["checks"][-1]
    changed = {name: check_[name] for name in check_ if name != "mend" or damage != "missing"}
    changed |= {"unknown": {"new": 1}, "wrong": {"ok": "yes"}, "missing": {}}[damage]
    document["checks"][-1] = changed
    for name in ("doctor", ""):
        with pytest.raises(jsonschema.ValidationError):
            check(document, "commands:1", name)


def parts(schema):
    """Yield every schema in a schema."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from parts(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from parts(value)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_schemas_are_whole(path):
    """Each is a JSON Schema that is called after its file; its references lead somewhere, a page names it."""
    schema = json.loads(path.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    name, _, version = path.stem.rpartition("-")
    assert schema["$id"] == f"urn:colconf:{name}:{version}"
    for reference in (part["$ref"] for part in parts(schema) if isinstance(part.get("$ref"), str)):
        id_, _, pointer = reference.partition("#/")
        place = SCHEMAS[id_ or schema["$id"]]
        for key in pointer.split("/") if pointer else ():
            place = place[key]
    pages = "\n".join(page.read_text("utf-8") for page in DOCS)
    assert f"`{path.relative_to(ROOT).as_posix()}`" in pages


def test_records_are_strict():
    """A record that our code writes whole has no keys but its own; those of others may have more."""
    of_others = {"urn:colconf:case:1", "urn:colconf:protocol:3"}  # whose readers pass over unknown keys
    for id_ in SCHEMAS.keys() - of_others:
        records_of = [part for part in parts(SCHEMAS[id_]) if isinstance(part.get("properties"), dict)]
        assert records_of
        assert [part for part in records_of if "additionalProperties" not in part] == []


def test_versions_and_closed_sets_are_those_of_the_code():
    """The versions, the fields of records and the closed sets are the schemas'."""
    history, upgrade = SCHEMAS["urn:colconf:history:1"]["$defs"], SCHEMAS["urn:colconf:upgrade:1"]["$defs"]
    assert history["head"]["properties"]["schema_version"] == {"const": store.SCHEMA_VERSION}
    assert upgrade["account"]["properties"]["schema_version"] == {"const": account.SCHEMA_VERSION}
    for name, record in (
        ("round", Round),
        ("finding", records.Record),
        ("seen", records.Seen),
        ("smallest", records.Smallest),
    ):
        assert {*history[name]["properties"]} == {*record.__dataclass_fields__}
    assert {*history["state"]["properties"]["said"]["enum"]} == {"", records.LISTED, *records.STATES}
    assert upgrade["class"]["enum"] == [*Class]
    assert upgrade["right"]["enum"] == [*Right]
    assert {*upgrade["difference"]["properties"]} == {"input", *classes._MEMBERS}
    answer = COMMANDS["$defs"]["control"]["properties"]["answers"]["items"]["properties"]
    assert {*answer["state"]["enum"]} == {*CONTROL_STATES}


def test_a_damaged_history_is_of_no_schema():
    """A finding whose state is none, and a round of another kind, are refused."""
    seen = {"run": "a", "at": "1", "version": "1"}
    about = {"so_far": "", "session": "a", "said": "new"}
    record = records.Record("s", "e", "different", records.Seen(**seen), records.Seen(**seen))
    record.versions["1"] = records.About(so_far="", session="a", state="new")
    line = {"finding": record.to_json()}
    assert line["finding"]["versions"]["1"] == about
    check(line, "history:1")
    damaged = copy.deepcopy(line)
    damaged["finding"]["versions"]["1"]["said"] = "gone"
    round_ = {"round": {**Round("a", 1, "dreams", "parquet", "x").to_json()}}
    for other in (damaged, round_, {**line, "new": 1}):
        with pytest.raises(jsonschema.ValidationError):
            check(other, "history:1")
