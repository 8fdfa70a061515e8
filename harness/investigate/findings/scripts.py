"""Scripts that ask one engine without colconf, for findings and for the upgrade gate.

A script consists of a part for every engine (`_PRINT`), functions that render the engine's values
(`rendering.py`), and the calls that the engine's adapter makes too (`script.py` in the engine's folder).

Names of files and columns, and messages of engines about them, come from files of unknown origin. Scripts
hold them in ASCII literals only: `ABOUT` holds the lines to print, and every script begins with `started`.
In a comment, a name could end the line, or declare a coding (https://peps.python.org/pep-0263/) under which
another name ends a line.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from harness.engines.errors import Unsupported
from harness.engines.registry import ENGINES, Entry
from harness.engines.scripts import foreign
from harness.engines.scripts.rendering import SAY
from harness.engines.scripts.request import Code, ScriptRequest
from harness.listings.text import LONG, line

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

__all__ = ["ScriptRequest", "Unsupported", "printing", "source", "started"]


def has(engine: str) -> bool:
    """Return whether scripts can ask an engine."""
    return engine in ENGINES and bool(ENGINES[engine].script or ENGINES[engine].foreign)


def source(engine: str, request: ScriptRequest, file: str) -> str:
    """Return imports, `FILE` and `ask()`, which returns names, types and lines of rows.

    `file` is relative to the script. Raises Unsupported for a request that the engine does not support.
    """
    entry = ENGINES[engine]
    if request.keys is not None and not (entry.script_keys or entry.foreign):
        raise Unsupported(f"scripts for {engine} cannot pass keys; use `colconf replay` with the folder")
    code = _code(entry, request)
    where = f"os.path.join(os.path.dirname(os.path.abspath(__file__)), {file!a})"
    imports, before = {"import hashlib", "import os", "import sys"}, SAY
    if entry.links or code.takes_patterns:
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


def _code(entry: Entry, request: ScriptRequest) -> Code:
    if entry.foreign is not None:
        return foreign.code(request, entry)
    code: Code = importlib.import_module(entry.script).code(request)
    return code


def _is_standard(statement: str) -> bool:
    return statement.split()[1].partition(".")[0] in sys.stdlib_module_names


def started(about: Sequence[str], text: str) -> str:
    """Return a script: the lines to print as `ABOUT`, then `text` with its imports and functions."""
    lines = "".join(f"    {line(sentence, LONG)!a},\n" for sentence in about)
    script = f"{_FIRST}\nABOUT = [\n{lines}]\n\n{text}"
    if not script.isascii():
        raise AssertionError("a script has text outside of literals")
    return script


def printing(engine: str, request: ScriptRequest, file: str, head: Sequence[str]) -> str:
    """Return a script that prints the answer of an engine; raises Unsupported."""
    return started(head, source(engine, request, file) + "\n" + _PRINT)
