"""README and docs/: each command line is one that colconf takes, each link and file is there, the code runs.

Commands are parsed by the real command line, which checks names, options and values, and are not run.
"""

from __future__ import annotations

import configparser
import itertools
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import click
import pytest

from corpora import known_failures, rules
from harness.cli import colconf
from harness.engines import naming
from harness.judging.equivalences import EQUIVALENCES
from harness.listings.examples import EXAMPLES
from harness.runs.history.store import FILE as STORE
from harness.testing.plugin import OPTION_NAMES
from harness.tests import pages
from harness.tests.foreign_manifests import forget
from harness.tests.pages import ROOT
from properties.fuzz import targets

MANUAL = [ROOT / "README.md", *pages.DOCS]
_SHELL = ("console", "sh")
_PROMPT = re.compile(r"(?:\.venv/bin/)?colconf\b")
_INLINE = re.compile(r"`colconf ((?:[a-z]+ ?)+)((?: ?--[a-z-]+)*)`")
# Where click has the first argument that a group leaves; its public name is deprecated since 8.2.
_REST = "_protected_args" if hasattr(click.Context(colconf), "_protected_args") else "protected_args"
_LIBRARY_FILE = "out/nightly/written/pyarrow/lists/snappy-v1-plain.parquet"  # of a run of `make nightly`
# Programs of others, which the pages call in these words alone.
_OTHERS = ("podman build", "podman run", "git clone", "git diff", "cd colconf", ". .venv/bin/activate")


def command_lines() -> list[tuple[str, str]]:
    """Return page and text of each simple command in a console block."""
    return [
        (pages.name_of(page), command.strip())
        for page in [*MANUAL, ROOT / "CONTRIBUTING.md"]
        for language, text in pages.blocks(page.read_text("utf-8"))
        if language in _SHELL
        for line in text.splitlines()
        for command in re.sub(r"(^|\s)#.*", "", line).split("&&")
        if command.strip()
    ]


LINES = command_lines()


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder of a test, which has the files that the pages' examples name."""
    for folder in ("path/to/files", "out/nightly", "out/mine", "results/run", "fuzzed", "colconf-fuzz"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "folders/duckdb-nan-left-out-2.0.0").mkdir(parents=True)
    file = next((ROOT / "corpora/parquet/page-index").rglob("*.parquet"))
    shutil.copy(file, tmp_path / "path/to/file.parquet")
    for name in ("keys.json", "reviewed.toml", "claims.yaml"):
        (tmp_path / name).touch()
    (tmp_path / "corpora").symlink_to(ROOT / "corpora")
    (tmp_path / "my-reader.toml").write_text(manifest_of_the_page())
    forget(monkeypatch)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def manifest_of_the_page() -> str:
    """Return the manifest that the page about the protocol shows."""
    shown = pages.blocks((ROOT / "docs/protocol.md").read_text("utf-8"))
    (text,) = [text for language, text in shown if language == "toml"]
    return text


def parse(words: list[str]) -> tuple[str, dict[str, object]]:
    """Return the command and the parameters that `colconf` takes from words; raise what it refuses."""
    context = colconf.make_context("colconf", list(words))
    command: click.Command = colconf
    while isinstance(command, click.Group):
        rest = [*getattr(context, _REST), *context.args]
        if not rest and command.invoke_without_command:
            break
        name, chosen, rest = command.resolve_command(context, rest)
        assert chosen is not None
        context = chosen.make_context(name, rest, parent=context)
        command = chosen
    return context.command_path, context.params


def _texts(value: object) -> list[str]:
    """Return the texts of a parameter that is given once, several times or not at all."""
    values = value if isinstance(value, tuple) else (value,)
    return [str(text) for text in values if text is not None]


@cache
def _finding_ids() -> set[str]:
    return {entry.finding for entry in known_failures.load() if entry.finding}


def _is_id(text: str) -> bool:
    """Return whether a finding is named by its id, and not by a run, a case or a file."""
    return "/" not in text and not Path(text.partition(":")[0]).exists()


def check_value(command: str, name: str, text: str) -> None:
    """Raise for a value that a command would refuse once it runs: engine, target, finding, rule or file."""
    if name in {"engine", "engines", "old", "new"} or (name == "names" and "engines install" in command):
        naming.parse(text)
    elif name == "names" and "fuzz" in command:
        targets.module_of(text)
    elif name in {"finding", "what"} and _is_id(text):
        assert text in _finding_ids()
    elif name == "rule":
        assert text in rules.load()
    elif name in {"paths", "path"} or (name, command) == ("files", "colconf run"):
        assert Path(text).exists()


def _targets_of_make() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_nightly_runs_the_profile():
    """A sample without a word, and the whole job with PROFILE=nightly."""
    for arguments, profile in (([], "sample"), (["PROFILE=nightly"], "nightly")):
        environment = {
            name: value for name, value in os.environ.items() if name not in ("PROFILE", "MAKEFLAGS")
        }
        command = ["make", "-n", "nightly", *arguments]
        printed = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        assert f"colconf run --profile {profile} --out" in printed.stdout


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_site_finds_the_history(tmp_path):
    """The history in the folder of the runs has the files of findings; a folder without one is no error."""
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    for name, option in (("none", ""), ("nights", f"--history {tmp_path}/nights/history")):
        (tmp_path / name).mkdir()
        if option:
            (tmp_path / name / "history").mkdir()
            (tmp_path / name / "history" / STORE).touch()
        command = ["make", "-n", "site", f"HISTORY={tmp_path}/{name}", "SITE=www"]
        printed = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        assert f'colconf site "{tmp_path}/{name}" --out "www" {option}'.strip() in printed.stdout
        assert printed.stdout.count("--history") == bool(option)


def _environments_of_tox() -> set[str]:
    parser = configparser.ConfigParser()
    parser.read(ROOT / "tox.ini")
    named = {section.partition(":")[2] for section in parser.sections()}
    return named | {name.strip() for name in parser["tox"]["env_list"].split(",")}


def check(command: str) -> None:
    """Raise for a command that a reader could not run."""
    words = shlex.split(command)
    while re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words = words[1:]
    program = words[0].removeprefix(".venv/bin/")
    if program == "colconf":
        path, parameters = parse(words[1:])
        for name, value in parameters.items():
            for text in _texts(value):
                check_value(path, name, text)
    elif program == "make":
        assert {word for word in words[1:] if "=" not in word} <= _targets_of_make()
    elif program == "tox":
        chosen = [name for flag, name in itertools.pairwise(words) if flag == "-e"]
        assert set(chosen) <= _environments_of_tox()
    elif program in {"python", "pytest"}:
        values = {value for option, value in itertools.pairwise(words) if option.startswith("--")}
        paths = [word for word in words[1:] if "/" in word and word not in values]
        assert all((ROOT / path).exists() for path in paths)
        given = {word for word in words if word.startswith("--colconf")}
        assert given <= {f"--colconf-{name}" for name in OPTION_NAMES}
    else:
        assert command.startswith(_OTHERS)


@pytest.mark.usefixtures("workplace")
def test_commands(for_each: Callable[..., None]) -> None:
    """Every command line of the pages is one that its program takes: command, options and their values."""
    assert LINES
    for_each([(f"{page}: {command}", command) for page, command in LINES], check)


@pytest.mark.parametrize(
    "command",
    [
        "colconf ran --files path/to/files",
        "colconf run --file path/to/files",
        "colconf run --files path/to/nothing",
        "colconf run --profile nightlly",
        "colconf run --engine pyarow",
        "colconf run --generate many",
        "colconf known updated out/nightly",
        "colconf fuzz parquet_foter --time-budget 1m",
        "colconf bisect x --engine spark --between 3.3.4",
        "colconf minimize",
        "colconf replay duckdb-nan-left-outt",
        "colconf explain PQ-STATS-404",
        "make nightlly",
        "tox -e lints",
        "python -m pytest reports/tests/test_golden.py",
        "pytest --colconf-engines pyarrow",
        "rm -rf out",
    ],
)
@pytest.mark.usefixtures("workplace")
def test_wrong_commands_are_seen(command: str) -> None:
    """An unknown command, option, value, file, target or program fails the test of a page."""
    refusals = (click.ClickException, naming.NamingError, targets.UnknownTarget, AssertionError)
    with pytest.raises(refusals):
        check(command)


@pytest.mark.usefixtures("workplace")
def test_examples(for_each: Callable[..., None]) -> None:
    """Each example that a command's help ends with is one that the command takes."""
    for_each([(f"{name}: {line}", line) for name, lines in EXAMPLES.items() for line in lines], check)


def test_each_command_has_examples() -> None:
    """The help of each command, or of one that stands below it, ends with examples."""
    assert set(colconf.list_commands(click.Context(colconf))) == {name.split()[0] for name in EXAMPLES}


@pytest.mark.parametrize("page", pages.PAGES, ids=pages.name_of)
def test_commands_in_sentences(page: Path) -> None:
    """A command that a sentence names exists, with the options that are named."""
    for names, options in _INLINE.findall(page.read_text("utf-8")):
        command: click.Command = colconf
        for name in names.split():
            assert isinstance(command, click.Group)
            if (found := command.get_command(click.Context(command), name)) is None:
                break  # an argument, such as a target of `fuzz`
            command = found
            if not isinstance(command, click.Group):
                break
        assert command is not colconf, names
        commands = [command]
        if isinstance(command, click.Group):
            commands += [command.commands[name] for name in command.commands]
        known = {option for each in commands for given in each.params for option in given.opts}
        assert set(options.split()) <= known | {"--help"}, (names, options)


@pytest.mark.parametrize("page", MANUAL, ids=pages.name_of)
def test_no_command_is_passed_over(page: Path) -> None:
    """A block with a command line says that it is one."""
    others = [text for language, text in pages.blocks(page.read_text("utf-8")) if language not in _SHELL]
    assert not [line for text in others for line in text.splitlines() if _PROMPT.match(line)]


@pytest.mark.parametrize("page", pages.PAGES, ids=pages.name_of)
def test_pages_are_merged(page: Path) -> None:
    """No page has the marks of a merge that was not finished."""
    assert not re.findall(r"^(?:<{7}|>{7}) .*", page.read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("page", pages.PAGES, ids=pages.name_of)
def test_links_and_files(page: Path) -> None:
    """Every relative link leads to a file, and every file that a page names is there."""
    text = page.read_text("utf-8")
    assert not pages.broken_links(page, text)
    assert page.name == "CHANGELOG.md" or not pages.missing_paths(text)  # a change may have removed a file


def test_a_missing_file_is_seen() -> None:
    """A link to nothing and a path of nothing are found; what is there is not."""
    links = "[a](docs/none.md) [b](docs/results.md)"
    text = "`harness/none.py` `harness/{cli,none}.py` `harness/<name>.py` `pipeline/plan.py` `no/plan.py`"
    assert pages.broken_links(ROOT / "README.md", links) == ["docs/none.md"]
    assert pages.missing_paths(text) == ["harness/none.py", "no/plan.py"]


def test_readme_leads_to_every_page() -> None:
    """README links to each page of docs/, and is short."""
    text = (ROOT / "README.md").read_text("utf-8")
    assert not [page.name for page in pages.DOCS if f"(docs/{page.name})" not in text]
    assert len(text.splitlines()) < 130


def test_library(capsys: pytest.CaptureFixture[str]) -> None:
    """The pages' code runs as it stands, on a file of the corpora."""
    texts = [text for page in MANUAL for text in pages.blocks(page.read_text("utf-8"))]
    (code,) = [text for language, text in texts if language == "python" and _LIBRARY_FILE in text]
    assert code.count(_LIBRARY_FILE) == 1
    path = next((ROOT / "corpora/parquet/page-index").rglob("*.parquet"))
    exec(compile(code.replace(_LIBRARY_FILE, str(path)), "reference-library.md", "exec"), {})
    assert "DATA_PAGE" in capsys.readouterr().out


@pytest.mark.usefixtures("workplace")
def test_manifest() -> None:
    """The manifest that a page shows is read, and its claim is an equivalence."""
    entry = naming.parse("my-reader.toml:api=columns").entry
    assert entry.command == ("node", str(Path.cwd() / "reader.js"))
    assert entry.foreign is not None
    assert set(entry.pages) <= set(EQUIVALENCES)


def test_settings() -> None:
    """The settings that a page shows are options of `colconf run`."""
    blocks = [text for page in MANUAL for text in pages.blocks(page.read_text("utf-8"))]
    tables = [tomllib.loads(text) for language, text in blocks if language == "toml"]
    (settings,) = [table for table in tables if "protocol" not in table]
    run = colconf.get_command(click.Context(colconf), "run")
    assert run is not None
    assert {f"--{name}" for name in settings} <= {option for given in run.params for option in given.opts}
