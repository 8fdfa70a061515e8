"""A baseline is strict: what is not reviewed in full is not reviewed."""

import datetime as dt
import io
import tomllib
from contextlib import redirect_stdout

import pytest

from harness.investigate.upgrade.account import lines, show
from harness.investigate.upgrade.baseline import BaselineError, proposal, read, sign_off
from harness.investigate.upgrade.classes import plain
from harness.investigate.upgrade.groups import gather
from harness.tests.hostile_names import SHORT

TODAY = dt.date(2027, 1, 31)
ENTRY = 'signature = "e | value | a"\nreason = "seen"\nreviewer = "ana"\ndate = 2027-01-01\n'
SOON = '"soon"'


def line(signature, **more):
    """Return a line of differences."""
    return {
        "signature": signature,
        "class": signature.split(" | ")[1],
        "right": "regressed",
        "case": "files/a",
        "file": "/in/a",
        "size": 1,
        "configs": [""],
        "features": [],
        "tried": [],
        "restored": [],
        "explained": [],
        "unstable": False,
        "path": "column 'a', row 0",
        "old": "1",
        "new": "2",
        **more,
    }


def groups(*signatures):
    """Return the groups of one line each."""
    return gather(("files", line(one)) for one in signatures)


def written(tmp_path, text):
    """Return the path of a baseline."""
    file = tmp_path / "baseline.toml"
    file.write_text(text, "utf-8")
    return file


def test_reviewed(tmp_path):
    """An entry covers its signature, and no other."""
    entries = read(written(tmp_path, f"[[reviewed]]\n{ENTRY}"))
    found, useless = sign_off(groups("e | value | a", "e | value | ab"), entries, TODAY)
    assert list(found) == ["e | value | a"]
    assert not useless


def test_a_star_is_any_text_and_nothing_else_is_special(tmp_path):
    """`*` stands for any text; brackets and question marks are themselves."""
    text = ENTRY.replace("e | value | a", "e | message | *[A?]*")
    entries = read(written(tmp_path, f"[[reviewed]]\n{text}"))
    found, _ = sign_off(groups("e | message | x [A?] y", "e | message | x A y"), entries, TODAY)
    assert list(found) == ["e | message | x [A?] y"]


def test_an_entry_that_no_longer_occurs_is_reported(tmp_path):
    """An entry that covers nothing is named, and does not count as a review."""
    entries = read(written(tmp_path, f"[[reviewed]]\n{ENTRY}"))
    found, useless = sign_off(groups("e | rows | a"), entries, TODAY)
    assert not found
    assert [(one.signature, why) for one, why in useless] == [("e | value | a", "it no longer occurs")]


def test_expiry(tmp_path):
    """On its last day an entry counts, on the next it does not, and says so."""
    entries = read(written(tmp_path, f"[[reviewed]]\n{ENTRY}expires = {TODAY}\n"))
    assert sign_off(groups("e | value | a"), entries, TODAY)[0]
    found, useless = sign_off(groups("e | value | a"), entries, TODAY + dt.timedelta(days=1))
    assert not found
    assert [why for _, why in useless] == [f"it expired on {TODAY}"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[reviewed]\n", "restore it from a copy, or"),
        ("", "it is empty; restore it from a copy, or"),
        ("\0\0", "it is empty"),
        (f"[[reviewed]]\n{ENTRY}"[:-20], "restore it from a copy, or"),
        ("[[failure]]\n", "only reviewed is known"),
        ("reviewed = 1\n", "no list"),
        ("reviewed = [1]\n", "not a table"),
        (f"[[reviewed]]\n{ENTRY.replace('seen', ' ')}", "reason is empty"),
        (f"[[reviewed]]\n{ENTRY.replace('ana', '')}", "reviewer is empty"),
        (f"[[reviewed]]\n{ENTRY.replace('2027-01-01', SOON)}", "not a date"),
        (f"[[reviewed]]\n{ENTRY.replace('date', 'day')}", "lacks date"),
        (f"[[reviewed]]\n{ENTRY}expire = 2027-01-01\n", "unknown fields expire"),
        (f"[[reviewed]]\n{ENTRY}expires = 2027-01-01T00:00:00Z\n", "not a date"),
        (f"[[reviewed]]\n{ENTRY}[[reviewed]]\n{ENTRY}", "appears twice"),
    ],
)
def test_what_is_no_baseline(tmp_path, text, said):
    """Anything but full entries is an error of one line that names the file."""
    with pytest.raises(BaselineError, match=said) as error:
        read(written(tmp_path, text))
    assert "baseline.toml" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there(tmp_path):
    """A missing file is an error of one line."""
    with pytest.raises(BaselineError, match="No such file"):
        read(tmp_path / "none.toml")


def test_a_proposal_has_to_be_reviewed_first(tmp_path):
    """What is proposed is refused until it says who and why, and covers its groups once it does."""
    found = groups('e | value | "a" \\ \x7f é', "e | rows | b")
    file = written(tmp_path, proposal(found, TODAY))
    with pytest.raises(BaselineError, match="reason is empty"):
        read(file)
    text = file.read_text("utf-8").replace('reason = ""', 'reason = "ok"')
    file.write_text(text.replace('reviewer = ""', 'reviewer = "ana"'), "utf-8")
    signed, useless = sign_off(found, read(file), TODAY)
    assert len(signed) == 2
    assert not useless


def test_a_users_file_is_named_by_its_path():
    """A proposal has the path that a reviewer can open."""
    (group,) = groups("e | value | a")
    assert "; /in/a\n" in proposal([group], TODAY)
    listed = {"signature": group.signature, "class": "value", "right": "regressed", "cases": 1, "causes": []}
    listed |= {"inputs": {"files-parquet": 1}, "smallest": group.smallest, "reviewed": None}
    account = {"groups": [listed], "engines": [], "inputs": [], "useless": [], "passed": False}
    assert "      /in/a column 'a', row 0: 1 → 2" in lines(account)
    group.smallest["case"] = "parquet/plain/int32"
    assert "; parquet/plain/int32\n" in proposal([group], TODAY)


def test_hostile_names():
    """A proposal is TOML with the signature of its group, and visible; so is the summary."""
    for key, name in SHORT.items():
        (group,) = groups(f"e | value | {plain(name)}")
        group.smallest = {**group.smallest, "case": f"files/{name}", "file": f"/in/{name}"}
        group.smallest |= {"path": name, "old": name, "new": name}
        text = proposal([group], TODAY)
        (entry,) = tomllib.loads(text)["reviewed"]
        assert entry["signature"] == group.signature, key
        assert all(line.isprintable() for line in text.split("\n")), key
        shown = {"signature": group.signature, "class": "value", "right": "regressed", "cases": 1}
        shown["inputs"] = {"files-parquet": 1}
        shown |= {"smallest": group.smallest, "causes": [{"says": name}], "reviewed": None}
        engine = {"name": name, "version": name}
        useless = [{"signature": name, "why": name}]
        account = {"groups": [shown], "engines": [engine], "inputs": [], "useless": useless}
        out = io.StringIO()
        with redirect_stdout(out):
            show(account, [name])
        assert all(line.isprintable() for line in out.getvalue().split("\n")), key
