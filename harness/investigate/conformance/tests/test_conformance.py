"""`colconf engines check`: an honest reader passes, and each fault has a message of its own."""

import re

import pytest

from harness import cli
from harness.children.limits import Limits
from harness.engines.naming import parse
from harness.engines.registry import ENGINES
from harness.environments.availability import status
from harness.investigate.conformance import checks
from harness.investigate.conformance.control import control, process_of
from harness.investigate.conformance.subject import Subject
from harness.investigate.conformance.talk import Failure
from harness.tests.events import PATIENCE
from harness.tests.foreign_manifests import forget, manifest
from harness.tests.schemas import printed


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    """Forget what a test registers."""
    forget(monkeypatch)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder for the files of all checks of the module."""
    return tmp_path_factory.mktemp("checks")


def subject(folder, tmp_path, fault, seconds=PATIENCE):
    """Return the reader with a fault, as the checks take it."""
    entry = parse(str(manifest(tmp_path, fault))).entry
    limits = Limits(seconds=seconds, close_seconds=PATIENCE if fault == "honest" else 0.5)
    return Subject(status(entry).launch, limits, "parquet", {}, folder)


# A planted fault, the check that finds it, and what is said about it.
FAULTS = {
    "banner": ("handshake", "before the reply to describe, standard output has 'my reader 1.0'"),
    "dies": ("handshake", "describe: the process ended: exit status 1; no licence"),
    "name": ("handshake", "`name` is 'somebody', in the manifest 'my_reader'"),
    "old": ("handshake", "the reply to describe has the version 2"),
    "noise": ("framing", "before the reply to read, standard output has 'debug: read'"),
    "pretty": ("framing", "the reply to read has newlines"),
    "ids": ("framing", "the reply to read has the id 1, not 2"),
    "forgets": ("order", "has another reply when it is read again"),
    "garbage": ("garbage", "a line that is no request: the process ended: exit status 3"),
    "null": ("garbage", "a line that is no request: the process ended: exit status 4"),
    "unknown-op": ("unknown_op", "the op no_such_op is answered with refused"),
    "any-version": ("versions", "a request of version 999 is served"),
    "strict": ("members", "an unknown member of a request changes the reply: misspoke"),
    "clips": ("long_request", "the reply to read has the id -1"),
    "missing": ("errors", "a file that is not there is answered with a table"),
    "crashes": ("errors", r"read: the process ended: signal 6 \(SIGABRT\)"),
    "short": ("big_table", "of a file of 100,000 rows, 16,384 came"),
    "ragged": ("big_table", "column 0 has 100000 values, the table 100001 rows"),
    "numbers": ("big_table", 'is a decimal string such as "-7", not 0'),
    "outside": ("spill", "outside of its folder"),
    "too-long": ("spill", "a reply longer than 67108864 bytes"),
    "loses": ("write", "the file that it wrote holds another table than"),
    "lingers": ("end", "it still runs 0.5 s after its input ended"),
}


def failure(check, subject):
    """Return what a check says is wrong."""
    with pytest.raises(Failure) as caught:
        getattr(checks, check)(subject)
    assert caught.value.mend
    assert "\n" not in caught.value.message + caught.value.mend
    return caught.value


@pytest.fixture(scope="module")
def messages():
    """Return what was said about each fault, to be compared."""
    return {}


@pytest.mark.sweep(8)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named(folder, tmp_path, messages, fault):
    """A reader with a fault fails the check of it, with a message that no other fault has, and a remedy."""
    check, message = FAULTS[fault]
    reader = subject(folder, tmp_path, fault)
    if check == "write":  # it looks at the ops of the handshake
        checks.handshake(reader)
    found = failure(check, reader)
    assert re.search(message, found.message), found.message
    assert found.message not in messages.values()
    messages[fault] = found.message


def test_a_hang_is_told_with_its_remedy(folder, tmp_path):
    """A reader that does not reply in time is told to flush."""
    slow = subject(folder, tmp_path, "hangs", seconds=0.3)
    with slow.talk() as talk, pytest.raises(Failure, match=r"read: no answer after 0\.3 s") as caught:
        talk.read(folder / "hang.parquet", "parquet", {})
    assert "flush" in caught.value.mend


def test_wrong_values_fail_the_control_set(folder, tmp_path):
    """A reader with a planted bug fails on files of the control set, and the first are named."""
    planted = subject(folder, tmp_path, "plant")
    checks.handshake(planted)
    entry = ENGINES["my_reader"]
    with pytest.raises(Failure, match="row-groups: different"):
        control(planted, process_of(entry, status(entry), planted))


@pytest.mark.heavy
@pytest.mark.sweep(2)
@pytest.mark.parametrize("json_", [False, True])
def test_the_honest_reader_passes(tmp_path, capsys, json_):
    """All checks pass, and the exit status is 0; with a fault it is 1, and the line says how to mend it."""
    only = {'formats = ["parquet", "orc"]': 'formats = ["parquet"]'}
    file = manifest(tmp_path, "honest" if json_ else "name")
    for old, new in only.items():
        file.write_text(file.read_text().replace(old, new))
    status_ = cli.main(["engines", "check", str(file), *(["--json"] if json_ else [])])
    out = capsys.readouterr().out
    assert status_ == (0 if json_ else 1)
    if json_:
        done = printed("engines check", out)
        assert done["passes"]
        names = [check["name"] for check in done["checks"]]
        assert names == [*(check.__name__.replace("_", " ") for check in checks.CHECKS), "control"]
    else:
        assert "→ have `describe` and the manifest say the same" in out
        assert "my_reader: 1 of 1 checks fail" in out


@pytest.mark.parametrize("name", ["none.toml", "pyarrow"])
def test_no_manifest(tmp_path, capsys, name):
    """Without a manifest of a reader, the exit status is 2."""
    assert cli.main(["engines", "check", str(tmp_path / name) if "." in name else name]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "No such file" in line or "give the manifest of a reader" in line
