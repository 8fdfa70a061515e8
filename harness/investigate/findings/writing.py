"""A script in which an engine alone writes a file that breaks a rule.

The script compares the new file with `file.<format>`, which the engine wrote and the validator read: equal
bytes break the same rule. If the bytes differ, the script checks the rule itself where it can (`CHECKS`), and
else prints that it cannot tell.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from corpora.tagged import Table
from harness.engines.errors import Unsupported
from harness.engines.registry import ENGINES
from harness.engines.scripts.rendering import SAY
from harness.engines.scripts.writing import Written
from harness.investigate.findings.checks import CHECKS, THRIFT

_STANDARD = ("os", "sys", "decimal")
_MAIN = """

def main():
    say(*ABOUT)
    say({expected})
    write()
    with open(FILE, "rb") as written, open(KNOWN, "rb") as known:
        data, before = written.read(), known.read()
    say(f"actual: {{len(data)}} bytes in {{FILE}}")
    if data == before:
        say("the same bytes as " + os.path.basename(KNOWN) + ": " + BROKEN)
        print("the bug shows")
        return 1
{otherwise}

if __name__ == "__main__":
    sys.exit(main())
"""
_CHECKED = """    found = check(data)
    say(*found or ["the rule is kept"])
    print("the bug shows" if found else "the bug does not show")
    return 1 if found else 0
"""
_UNKNOWN = """    say("other bytes than in " + os.path.basename(KNOWN) + ", where this is broken: " + BROKEN)
    print("this script cannot tell whether they break the rule, too; `colconf validate` can")
    return 2
"""


def source(engine: str, table: Table, options: Mapping[str, Any]) -> Written:
    """Return the source text that writes a table as the engine's adapter does; raises Unsupported."""
    module = ENGINES[engine].write_script if engine in ENGINES else ""
    if not module:
        raise Unsupported(f"no script writes with {engine}")
    written: Written = importlib.import_module(module).written(table, dict(options))
    return written


def script(written: Written, format_: str, rule: tuple[str, str], broken: str) -> str:
    """Return a script without its head; `rule` is an id and a text, `broken` how the file breaks the rule."""
    number, text = rule
    checked = CHECKS.get(number, "")
    standard = sorted(
        {"os", "sys", *(statement.split()[1] for statement in written.imports if _is_standard(statement))}
    )
    others = [statement for statement in dict.fromkeys(written.imports) if not _is_standard(statement)]
    top = [
        *(f"import {statement}" for statement in standard),
        *(["import struct"] if checked else []),
        "",
        *others,
        "",
    ]
    folder = "os.path.dirname(os.path.abspath(__file__))"
    top += [f'FILE = os.path.join({folder}, "written.{format_}")']
    top += [f'KNOWN = os.path.join({folder}, "file.{format_}")', f"BROKEN = {broken!a}"]
    body = "\n".join(f"    {line}" for line in written.body)
    main = _MAIN.format(
        expected=ascii(f"expected: a file that keeps {number}: {text}"),
        otherwise=_CHECKED if checked else _UNKNOWN,
    )
    checks = THRIFT + checked if checked else ""
    return "\n".join(top) + "\n" + SAY + written.helpers + f"\n\ndef write():\n{body}\n" + checks + main


def _is_standard(line: str) -> bool:
    return line.split()[1] in _STANDARD
