"""A `uv` that needs no network: it makes environments of the standard library's `venv` with a fake engine.

The releases of the package `plain` are 1.0, 1.5 and 2.0; 1.5 says that it is another version, 2.0 does not
start. `PLAIN_HANGS` in the environment names a file: it is written when an install begins to hang.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from harness.engines.registry import ENGINES, Entry
from harness.environments import uv

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = Entry("plain", "plain_adapter", "Plain", packages=("plain",), switches={"pushdown": ("on", "off")})
TWIN = Entry("twin", "plain_adapter", "Plain", packages=("plain",))

_UV = '''#!{python}
import json, os, pathlib, subprocess, sys, time

ADAPTER = """
import os, sys
from corpora.tagged import STRING, Table
from harness.engines.base import Engine

class Plain(Engine):
    name = "plain"
    queries = ("filter",)

    def __init__(self):
        import plain
        self.plain = plain
        if plain.VERSION == "2.0":
            raise RuntimeError("out of order")

    def version(self):
        return "9.9" if self.plain.VERSION == "1.5" else self.plain.VERSION

    def read(self, file, format, config):
        told = [self.plain.VERSION, sys.prefix, repr(sys.path), repr(sorted(os.environ))]
        return Table.of([("told", STRING)], [[*told, os.environ.get("PATH", "")]])
"""
RELEASES = ["1.0", "1.5", "2.0"]
args = sys.argv[1:]
with open(os.environ["PLAIN_LOG"], "a") as log:
    log.write(" ".join(args[:2]) + chr(10))
if args[:2] == ["pip", "compile"]:
    wanted = sys.stdin.read().strip()
    if wanted.startswith("plain<") or wanted.startswith("plain>"):
        highest = "highest" in args
        sign, bound = wanted[5], wanted[6:]
        found = [one for one in RELEASES if (one < bound if sign == "<" else one > bound)]
        if not found:
            sys.exit("error: nothing")
        print("plain==" + (found[-1] if highest else found[0]))
        sys.exit(0)
    version = wanted.partition("==")[2]
    if version not in RELEASES:
        sys.exit("error: No solution found")
    print('lock-version = "1.0"')
    print("[[packages]]")
    print('name = "plain"')
    print('version = "%s"' % version)
    print('wheels = [{{ url = "x", upload-time = 2024-01-02T03:04:05Z }}]')
elif args[:2] == ["python", "list"]:
    print("[]")
elif args[:2] == ["python", "find"]:
    subprocess.run([args[-1], "-c", "import platform; print(platform.python_version())"], check=True)
elif args[0] == "venv":
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", args[-1]], check=True)
elif args[:2] == ["pip", "install"]:
    python = args[args.index("--python") + 1]
    said = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
                          capture_output=True, text=True, check=True)
    place = pathlib.Path(said.stdout.strip())
    version = next(one for one in args if one.startswith("plain==")).partition("==")[2]
    (place / "plain.py").write_text("VERSION = %r" % version)
    hangs = os.environ.get("PLAIN_HANGS")
    if hangs:
        pathlib.Path(hangs).write_text(str(os.getpid()))
        time.sleep(60)
    (place / "plain_adapter.py").write_text(ADAPTER)
elif args[:2] == ["pip", "list"]:
    print(json.dumps([{{"name": "plain", "version": "1.0"}}]))
'''


def set_up(monkeypatch, folder: Path) -> Path:
    """Have colconf find the fake uv, an empty cache and the engines `plain` and `twin`; answer uv's log."""
    programs = folder / "programs"
    programs.mkdir()
    program = programs / "uv"
    program.write_text(_UV.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLCONF_CACHE", str(folder / "cache"))
    monkeypatch.setenv("PLAIN_LOG", str(folder / "log"))
    monkeypatch.setenv("PYENV_ROOT", str(folder / "no-pyenv"))
    monkeypatch.setattr(uv, "pip_configuration", dict)
    monkeypatch.setitem(ENGINES, "plain", PLAIN)
    monkeypatch.setitem(ENGINES, "twin", TWIN)
    (folder / "log").write_text("")
    return folder / "log"
