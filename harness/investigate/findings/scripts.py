"""Scripts that ask one engine, without colconf: those of findings, and those of the upgrade gate.

A script is made of what is the same for every engine (`_PRINT`), of how the engine's values are shown
(`rendering.py`), and of how it is asked (`script.py` in its folder), which is what its adapter does.

Names of files and columns, and what engines say of them, come from files of unknown origin. They stand in
literals of ASCII and nowhere else: `ABOUT` is what a script prints of them, `started` the only way to begin a
script. In a comment, a name can end the line, or be the declaration of a coding
(https://peps.python.org/pep-0263/) under which another name ends a line.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from harness.engines.errors import Unsupported
from harness.engines.registry import ENGINES
from harness.engines.scripts.rendering import SAY
from harness.engines.scripts.request import ScriptRequest
from harness.listings.text import LONG, line, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.engines.scripts.request import Code

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
_PRINT = """
if __name__ == "__main__":
    say(*ABOUT)
    names, kinds, lines = ask()
    say(*(f"{name}: {kind}" for name, kind in zip(names, kinds)))
    say(*lines)
"""

__all__ = ["ScriptRequest", "Unsupported", "commands", "printing", "source", "started"]


def has(engine: str) -> bool:
    """Return whether there are scripts for an engine."""
    return engine in ENGINES and bool(ENGINES[engine].script)


def source(engine: str, request: ScriptRequest, file: str) -> str:
    """Return imports, `FILE` and `ask()`, which answers names, types and lines of rows.

    `file` is relative to the script. Raises Unsupported for what the engine cannot be asked.
    """
    if request.keys is not None and not ENGINES[engine].script_keys:
        raise Unsupported(f"no script tells {engine} keys: `colconf replay` of the folder asks it again")
    code: Code = importlib.import_module(ENGINES[engine].script).code(request)
    where = f"os.path.join(os.path.dirname(os.path.abspath(__file__)), {file!a})"
    imports, before = {"import hashlib", "import os", "import sys"}, SAY
    if ENGINES[engine].links:
        imports |= {"import atexit", "import re", "import shutil", "import tempfile"}
        before += _PLAIN_NAME.replace("SUFFIX", ascii(f".{request.format}"))
        where = f"plain_name({where})"
    needed = dict.fromkeys([*code.rendering.imports, *code.imports])
    standard = sorted(imports.union(filter(_is_standard, needed)))
    others = [name for name in needed if not _is_standard(name)]
    top = "\n".join([*standard, "", *others])
    constants = "\n".join([f"FILE = {where}", *code.before])
    body = "\n".join(f"    {statement}" if statement else "" for statement in code.body)
    functions = code.rendering.text + code.helpers
    return f"{top}\n{before}\n\n{constants}\n\n{functions}\n\ndef ask():\n{body}\n"


def _is_standard(line: str) -> bool:
    return line.split()[1] in {"os", "sys", "time", "decimal", "zoneinfo", "hashlib", "datetime"}


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


def printing(engine: str, request: ScriptRequest, file: str, head: Sequence[str]) -> str:
    """Return a script that prints what an engine answers; raises Unsupported."""
    return started(head, source(engine, request, file) + "\n" + _PRINT)
