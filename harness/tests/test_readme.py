"""The README's words: commands that exist, and code that runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from harness.cli import colconf

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
_COMMAND = re.compile(r"^(?:    )?(?:\.venv/bin/)?colconf (.+)$", re.MULTILINE)
_CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PATH = "out/nightly/written/pyarrow/lists/snappy-v1-plain.parquet"  # of a run of `make nightly`


def _words(line: str) -> list[str]:
    return shlex.split(line.replace("…", "").replace("[", " ").replace("]", " "), comments=True)


def _options(words: list[str]) -> set[str]:
    """Return all options of the command that `words` name."""
    context = click.Context(colconf)
    command = colconf.get_command(context, words[0])
    if isinstance(command, click.Group):  # of `fuzz`, targets may stand for a command
        command = command.get_command(context, words[1]) or command.get_command(context, "run")
    assert command is not None
    return {name for given in command.params for name in (*given.opts, *given.secondary_opts)}


@pytest.mark.parametrize("line", sorted(set(_COMMAND.findall(TEXT))))
def test_commands(line: str) -> None:
    """Every command line of the README is of a command that exists, with options that it has."""
    words = _words(line)
    options = _options(words)
    asked = {word.partition("=")[0] for word in words if word.startswith("--")}
    assert asked <= {*options, "--help"}


def test_library(capsys: pytest.CaptureFixture[str]) -> None:
    """The README's code runs as it stands, on a file of the corpora."""
    (code,) = _CODE.findall(TEXT)
    assert code.count(_PATH) == 1
    path = next((ROOT / "corpora/parquet/page-index").rglob("*.parquet"))
    exec(compile(code.replace(_PATH, str(path)), "README.md", "exec"), {})
    assert "DATA_PAGE" in capsys.readouterr().out
