"""`colconf findings status` and `findings file`: issues upstream, without asking anybody by default."""

import json

import pytest
from click.testing import CliRunner

from corpora.cases import dump, load
from corpora.known_failures import Entry
from harness.commands import upstream as command
from harness.commands.findings import findings
from harness.investigate.findings import upstream
from harness.investigate.findings.upstream import Ledger, State, UpstreamError, ask, issues
from harness.judging.results import Finding
from harness.tests.pages import ROOT
from harness.tests.schemas import check, printed

URL = "https://github.com/apache/arrow/issues/7"
PULL = "https://github.com/apache/arrow/pull/8"
JIRA = "https://issues.apache.org/jira/browse/ORC-763"
ENTRY = Entry("pyarrow", "parquet/x/*", "different", "r", URL, ">=20")


def invoke(*arguments, **more):
    """Run `colconf findings …` in this process."""
    return CliRunner().invoke(findings, [str(argument) for argument in arguments], **more)


@pytest.mark.parametrize(
    ("state", "ends"),
    [
        (State("closed", "25.0.0"), 1),
        (State("merged", "25.0.0"), 1),
        (State("open", "25.0.0"), 0),
        (State("closed", ""), 0),
        (State("closed", "19.0.0"), 0),
        (State(), 0),
    ],
)
def test_an_entry_can_end(state, ends):
    """It can end when the fix is in a release that the entry covers."""
    (issue,) = issues([ENTRY, Entry("pyarrow", "parquet/y", "different", "no address")], {URL: state})
    assert (issue.entries, issue.engines, len(issue.ends)) == (1, ("pyarrow",), ends)
    assert all(end.endswith("(>=20): add <25.0.0") for end in issue.ends)


def test_the_api_of_a_github():
    """Issues and pull requests have their state; a milestone that is a version is the release."""
    replies = {
        "https://api/repos/apache/arrow/issues/7": {
            "state": "closed", "title": "NaN", "milestone": {"title": "25.0.0"}
        },
        "https://api/repos/apache/arrow/issues/8": {
            "state": "closed", "title": "Fix", "pull_request": {"merged_at": "2026-01-01"}, "milestone": None
        },
    }  # fmt: skip
    assert dict(ask([URL, PULL, JIRA], "https://api/", replies.__getitem__)) == {
        URL: State("closed", "25.0.0", "NaN"),
        PULL: State("merged", "", "Fix"),
    }


def test_status(tmp_path, monkeypatch):
    """Nothing is asked without --api; states are saved and read; an entry that can end is status 1."""
    (tmp_path / "known").mkdir()
    entry = f'[[failure]]\ncase = "parquet/x"\nverdict = "different"\nreason = "r"\nurl = "{URL}"\n'
    (tmp_path / "known/pyarrow.toml").write_text(entry)
    known = ("--known", tmp_path / "known")
    monkeypatch.setattr(command, "_get", lambda _: pytest.fail("the network was asked"))
    offline = invoke("status", *known)
    assert offline.exit_code == 0, offline.output
    assert offline.stdout.splitlines()[1].split("\t") == [URL, "pyarrow", "1", "unknown", ""]
    reply = {"state": "closed", "title": "t", "milestone": {"title": "v25.0"}}
    monkeypatch.setattr(command, "_get", lambda _: reply)
    asked = invoke("status", *known, "--api", "https://api", "--save", tmp_path / "states.json")
    assert asked.exit_code == 1
    assert "this entry can end: pyarrow: parquet/x (all versions): add <25.0" in asked.stderr
    again = printed(
        "findings status", invoke("status", *known, "--from", tmp_path / "states.json", "--json").stdout
    )
    check(json.loads((tmp_path / "states.json").read_text()), "finding:1", "states")
    assert (again[0]["state"], again[0]["fixed_in"], len(again[0]["ends"])) == ("closed", "25.0", 1)
    own = invoke("status")
    assert own.exit_code == 0
    assert len(own.stdout.splitlines()) > 20


@pytest.mark.parametrize(
    "text", ["", "[]", '{"u": {"state": "shut"}}', '{"u": {"stat": "open"}}', '{"u": {"state": 3}}']
)
def test_other_files_are_refused(tmp_path, text):
    """What holds no states is one line, status 2."""
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(UpstreamError):
        upstream.read(tmp_path / "x.json")
    result = invoke("status", "--from", tmp_path / "x.json")
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    (tmp_path / "x.json").write_text(text or "{")
    with pytest.raises(UpstreamError):
        Ledger(tmp_path / "x.json")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the folder of a finding, in a folder with a `gh` that notes what it is asked."""
    case = load(ROOT / "corpora/parquet/alp/double/example.json")
    out = tmp_path / "finding"
    out.mkdir()
    (out / "file.parquet").write_bytes(case.file.read_bytes())
    dump(case.__class__(**{**vars(case), "file": (out / "file.parquet").relative_to(out)}), out / "case.json")
    finding = Finding("pyarrow | different | x", "pyarrow", "26", "", "different", case.id, 1, [], None, "")
    (out / "said.json").write_text(json.dumps({"finding": finding.to_json()}))
    (out / "issue.md").write_text("# pyarrow reads x wrong\n\nbody\n")
    (tmp_path / "bin").mkdir()
    script = '#!/bin/bash\nprintf "%s\\n" "$@" >> "$CALLS"\necho https://github.com/o/n/issues/1\n'
    (tmp_path / "bin/gh").write_text(script)
    (tmp_path / "bin/gh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    monkeypatch.chdir(tmp_path)
    return out


def test_an_issue_is_filed_after_a_yes_and_once(folder, tmp_path):
    """Without a yes nothing is asked; after one the issue is opened, noted, and never opened again."""
    file = ("file", folder, "--repo", "o/n")
    assert invoke(*file, input="\n").exit_code == 0
    assert not (tmp_path / "calls").exists()
    opened = invoke(*file, input="y\n")
    assert opened.exit_code == 0, opened.output
    assert "pyarrow reads x wrong" in opened.stdout
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls[:6] == ["issue", "create", "--repo", "o/n", "--title", "pyarrow reads x wrong"]
    check(json.loads((tmp_path / "colconf-filed.json").read_text()), "finding:1", "filed")
    again = invoke(*file, input="y\n")
    assert "is filed already: https://github.com/o/n/issues/1" in again.stdout
    assert (tmp_path / "calls").read_text().splitlines() == calls


def test_what_gh_says_goes_wrong_is_one_line(folder, tmp_path):
    """An error of `gh` is shown, and nothing is noted."""
    (tmp_path / "bin/gh").write_text("#!/bin/bash\necho not logged in >&2\nexit 4\n")
    failed = invoke("file", folder, "--repo", "o/n", input="y\n")
    assert (failed.exit_code, failed.stderr.splitlines()[-1]) == (2, "Error: gh: not logged in")
    (tmp_path / "bin/gh").unlink()
    assert "gh is not installed" in invoke("file", folder, "--repo", "o/n", input="y\n").stderr
    assert not (tmp_path / "colconf-filed.json").exists()
