"""Scripts that ask one engine, without colconf: those of findings, and those of the upgrade gate.

A script is made of what is the same for every engine (`_PRINT`), of how the engine's values are shown
(`showing.py`), and of how it is asked (`code_*.py`), which is what its adapter does.

Names of files and columns, and what engines say of them, come from files of unknown origin. They stand in
literals of ASCII and nowhere else: `ABOUT` is what a script prints of them, `started` the only way to begin a
script. In a comment, a name can end the line, or be the declaration of a coding
(https://peps.python.org/pep-0263/) under which another name ends a line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.engines.base import Unsupported
from harness.engines.registry import ENGINES
from harness.findings import code_arrow, code_frames, code_sql
from harness.findings.asked import Asked, Code
from harness.findings.showing import SAY
from harness.text import LONG, line, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_CODE: dict[str, Callable[[Asked], Code]] = {
    "pyarrow": code_arrow.pyarrow,
    "pyarrow_orc": code_arrow.pyarrow_orc,
    "datafusion": code_arrow.datafusion,
    "duckdb": code_sql.duckdb,
    "spark": code_sql.spark,
    "polars": code_frames.polars,
    "fastparquet": code_frames.fastparquet,
    "pyorc": code_frames.pyorc,
}
_KEYED = ("pyarrow", "duckdb")
_FIRST = "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n"
_PLAIN_NAME = '''

def plain_name(file):
    """A name without what the engine takes for a pattern, a URL or hidden: a link, if need be."""
    if re.match("(/[A-Za-z0-9-][A-Za-z0-9_.-]*)+$", file):
        return file
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    link = os.path.join(folder, "link" + SUFFIX)
    os.symlink(file, link)
    return link
'''
_LINKED = ("datafusion", "duckdb", "fastparquet", "spark")
_PRINT = """
if __name__ == "__main__":
    say(*ABOUT)
    names, kinds, lines = ask()
    say(*(f"{name}: {kind}" for name, kind in zip(names, kinds)))
    say(*lines)
"""

__all__ = ["Asked", "Unsupported", "commands", "printing", "source", "started"]


def has(engine: str) -> bool:
    """Return whether there are scripts for an engine."""
    return engine in _CODE


def source(engine: str, asked: Asked, file: str) -> str:
    """Return imports, `FILE` and `ask()`, which answers names, types and lines of rows.

    `file` is relative to the script. Raises Unsupported for what the engine cannot be asked.
    """
    if asked.keys is not None and engine not in _KEYED:
        raise Unsupported(f"no script tells {engine} keys: `colconf replay` of the folder asks it again")
    code = _CODE[engine](asked)
    where = f"os.path.join(os.path.dirname(os.path.abspath(__file__)), {file!a})"
    imports, before = {"import hashlib", "import os", "import sys"}, SAY
    if engine in _LINKED:
        imports |= {"import atexit", "import re", "import shutil", "import tempfile"}
        before += _PLAIN_NAME.replace("SUFFIX", ascii(f".{asked.format}"))
        where = f"plain_name({where})"
    needed = dict.fromkeys([*code.showing.imports, *code.imports])
    standard = sorted(imports.union(filter(_is_standard, needed)))
    others = [name for name in needed if not _is_standard(name)]
    top = "\n".join([*standard, "", *others])
    constants = "\n".join([f"FILE = {where}", *code.before])
    body = "\n".join(f"    {statement}" if statement else "" for statement in code.body)
    functions = code.showing.text + code.helpers
    return f"{top}\n{before}\n\n{constants}\n\n{functions}\n\ndef ask():\n{body}\n"


def _is_standard(line: str) -> bool:
    return line.split()[1] in {"os", "sys", "time", "decimal", "zoneinfo", "hashlib"}


def commands(engine: str, versions: Iterable[str], script: str) -> list[str]:
    """Return the commands that run a script with versions of an engine and nothing else."""
    package, *others = ENGINES[engine].packages
    beside = "".join(f" --with {one}" for one in others)
    named = (quoted(f"{package}=={version}" if version else package) for version in versions)
    return [f"uv run --no-project --with {one}{beside} python {script}" for one in named]


def started(about: Sequence[str], text: str) -> str:
    """Return a whole script: `text`, which has its imports and functions, and `ABOUT`, visible lines."""
    lines = "".join(f"    {line(sentence, LONG)!a},\n" for sentence in about)
    script = f"{_FIRST}\nABOUT = [\n{lines}]\n\n{text}"
    if not script.isascii():
        raise AssertionError("a script has text that is no literal")
    return script


def printing(engine: str, asked: Asked, file: str, head: Sequence[str]) -> str:
    """Return a script that prints what an engine answers; raises Unsupported."""
    return started(head, source(engine, asked, file) + "\n" + _PRINT)
