"""Scripts that ask one engine, without colconf: those of findings, and those of the upgrade gate.

A script is made of what is the same for every engine (`_MAIN`), of how the engine's values are shown
(`showing.py`), and of how it is asked (`code_*.py`), which is what its adapter does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.engines.duckdb import script as code_sql
from harness.engines.errors import Unsupported
from harness.engines.pyarrow import script as code_arrow
from harness.engines.pyorc import script as code_frames
from harness.engines.registry import ENGINES
from harness.engines.scripts.request import Asked, Code

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
_PRINT = """
if __name__ == "__main__":
    names, kinds, lines = ask()
    for name, one in zip(names, kinds):
        print(f"{name}: {one}")
    print("\\n".join(lines))
"""

__all__ = ["Asked", "Unsupported", "commands", "comment", "printing", "source"]


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
    imports = [*code.showing.imports, *code.imports]
    standard = sorted({"import hashlib", "import os", "import sys", *filter(_is_standard, imports)})
    others = [one for one in dict.fromkeys(imports) if not _is_standard(one)]
    where = f"os.path.join(os.path.dirname(os.path.abspath(__file__)), {file!a})"
    top = [*standard, "", *others, "", f"FILE = {where}", *code.before]
    body = "\n".join(f"    {line}" if line else "" for line in code.body)
    return "\n".join(top) + "\n\n" + code.showing.text + code.helpers + f"\n\ndef ask():\n{body}\n"


def _is_standard(line: str) -> bool:
    return line.split()[1] in {"os", "sys", "time", "decimal", "zoneinfo", "hashlib"}


def commands(engine: str, versions: Iterable[str], script: str) -> list[str]:
    """Return the commands that run a script with versions of an engine and nothing else."""
    package, *others = ENGINES[engine].packages
    beside = "".join(f" --with {one}" for one in others)
    named = (f"{package}=={version}" if version else package for version in versions)
    return [f"uv run --no-project --with {one}{beside} python {script}" for one in named]


def comment(lines: Sequence[str]) -> str:
    """Return lines as comments; what cannot be printed is left out of them."""
    return "".join(f"# {safe(line)}".rstrip() + "\n" for line in lines)


def printing(engine: str, asked: Asked, file: str, head: Sequence[str]) -> str:
    """Return a script that prints what an engine answers; raises Unsupported."""
    return comment(head) + "\n" + source(engine, asked, file) + "\n" + _PRINT


def safe(text: str, most: int = 300) -> str:
    """Return text as one line that a comment may hold."""
    return "".join(one if one.isprintable() else "?" for one in " ".join(text.split()))[:most]
