"""Places in the code that may be dodges: each must stand in `corpora/dodges.toml`.

A hit is a place (`file.py:symbol`) and the rule that finds it:

| rule        | hit                                                                                       |
|-------------|-------------------------------------------------------------------------------------------|
| engine-name | a literal of names of engines or lineages, also as a glob; in an engine's folder, of      |
|             | others                                                                                    |
| assume      | a call of `assume` or `reject`, which throw examples away                                 |
| filter      | a call of `.filter` in strategies                                                         |
| mention     | a comment or docstring that gives engines, or what readers can do, as the reason          |
| not-put     | an adapter that says that colconf does not put a question to its engine                   |
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from corpora.dodges import DOCSTRING, names_in
from harness.engines.registry import ENGINES
from harness.tests.trees import nodes_of

ROOT = Path(__file__).resolve().parents[2]
OWN = "reference"  # part of colconf: to name it is no dodge
_LAYERS = ("corpora", "properties", "harness", "reference_impl", "reports")
_STRATEGIES, _ENGINES = "properties", "harness/engines/"
# Where a reason must be about colconf or the format: what makes files and queries.
_MAKERS = (
    *("properties", "corpora/build", "corpora/tables.py", "corpora/table_columns.py"),
    *("harness/investigate/fuzz", "harness/investigate/minimize"),
    *("reference_impl/parquet/plan.py", "reference_impl/orc/plan.py"),
    *("reference_impl/parquet/writer.py", "reference_impl/orc/writer.py"),
    *("reference_impl/parquet/statistics.py", "reference_impl/orc/statistics_writer.py"),
)
_NAMES = r"spark|pyarrow|arrow c\+\+|orc c\+\+|orc java|parquet-java|parquet-mr|duckdb|polars|fastparquet"
_NAMES += r"|datafusion|pyorc|arrow-rs|clickhouse|chdb|daft|arro3|carquet|databend|hyper|hyparquet"
_SOME = r"(?:no|few|many|most|some) (?:known |current )?(?:readers?|engines?)\b"
_DO = r"(?:readers?|engines?) (?:refuses?|knows?|fails?|goes? wrong|distrusts?|changes?|treats?|reads? alike"
_DO += r"|do not look|might)\b"
_REASON = re.compile(rf"\b(?:{_NAMES})(?!\w)|\b{_SOME}|\b{_DO}", re.IGNORECASE)
_LINEAGES = {
    lineage for entry in ENGINES.values() for form in entry.formats for lineage in [entry.lineage_of(form)]
}
_WHOLE = ({*ENGINES} | _LINEAGES) - {OWN}
_NAMED = re.compile("|".join(map(re.escape, _WHOLE)))
_NAME = re.compile(r"[\w*?|@:.,()\[\]^$=<>-]{1,60}")  # a name, a glob, a pattern of names
_PART = re.compile(r"[*?|@:,()\[\]^$]+|(?<=[*|])\.|\.(?=[*|])")
_CALLS = re.compile(r"\bassume\b|\breject\b|\bfilter\b")
_NOT_PUT = re.compile(r"colconf does not ask|is asked for no|not ask", re.IGNORECASE)


class Hit(NamedTuple):
    """A place, and the rule by which it may be a dodge."""

    place: str
    rule: str


def hits(root: Path = ROOT) -> list[Hit]:
    """Return the hits of all modules below `root` that are no tests, a place as often as it is hit."""
    return [
        hit for layer in _LAYERS for path in sorted((root / layer).rglob("*.py")) for hit in _of(root, path)
    ]


def _of(root: Path, path: Path) -> Iterator[Hit]:
    name = path.relative_to(root).as_posix()
    if (
        "tests" in path.parts[len(root.parts) :]
        or path.name.startswith("test_")
        or path.name == "conftest.py"
    ):
        return
    source = path.read_text("utf-8")
    patterns = [_NAMED, *([_NOT_PUT] if _is_adapter(name) else [])]
    patterns += [_CALLS] if name.startswith(_STRATEGIES) else []
    texts = [source, " ".join(source.split())]  # a reason in a docstring may be on two lines
    patterns += [_REASON] if name.startswith(_MAKERS) else []
    if not any(pattern.search(text) for pattern in patterns for text in texts):
        return  # parsing takes most of the time
    tree = ast.parse(source)
    for line, rule in found_in(name, source, tree):
        yield Hit(f"{name}:{symbol_at(tree, line)}", rule)


def found_in(name: str, source: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and rule of each hit in a module."""
    adapter = _is_adapter(name)
    nodes = nodes_of(tree)
    for node in nodes:
        if isinstance(node, ast.Constant) and _is_engine(node.value, _own(name) if adapter else OWN):
            yield node.lineno, "engine-name"
        if isinstance(node, ast.Call) and name.startswith(_STRATEGIES):
            called = node.func
            called_name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
            if called_name in {"assume", "reject"}:
                yield node.lineno, "assume"
            if isinstance(called, ast.Attribute) and called.attr == "filter":
                yield node.lineno, "filter"
        if isinstance(node, ast.Constant) and adapter and _says(_NOT_PUT, node.value):
            yield node.lineno, "not-put"
    if name.startswith(_MAKERS):
        yield from ((line, "mention") for line, text in _texts(source, nodes) if _REASON.search(text))


def _is_adapter(name: str) -> bool:
    return name.startswith(_ENGINES) and name.count("/") > 2


def _own(name: str) -> str:
    """Return the engine of an adapter's module."""
    return name.removeprefix(_ENGINES).partition("/")[0]


def _is_engine(value: object, own: str) -> bool:
    """Return whether a literal without spaces has the name of an engine or of a lineage, other than `own`."""
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        return False
    return not _WHOLE.isdisjoint({*_PART.split(value), value} - {own})


def _says(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and bool(pattern.search(value))


def _texts(source: str, nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield comments, and docstrings, with a line that is theirs."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            text = ast.get_docstring(node)
            if text is not None:
                yield node.body[0].lineno, " ".join(text.split())


def symbol_at(tree: ast.Module, line: int) -> str:
    """Return the symbol whose statement has a line: a method, function, class or constant.

    A comment in front of a definition is its own; what stands in no named statement is the module's.
    """
    return ".".join(_names_at(tree.body, line)) or DOCSTRING


def _names_at(nodes: Sequence[ast.stmt], line: int) -> list[str]:
    holders = [node for node in nodes if node.end_lineno is not None and node.end_lineno >= line]
    if not holders:
        return []
    node = holders[0]
    names = [name for name, stated in names_in([node]).items() if stated is node][:1]
    if isinstance(node, ast.ClassDef) and node.lineno <= line:
        return names + _names_at(node.body, line)
    return names
