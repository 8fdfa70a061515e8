"""The inventory of dodges, `dodges.toml`: code that generates files or queries, and leaves out legal ones.

    [[dodge]]
    place = "properties/strategies/layouts.py:_ENCODINGS"   # the symbol that leaves it out
    leaves_out = "pages in ALP"                             # also: choices that are rare, or too narrow
    why = "one line"       # why it stays so: a reason about colconf or the format, never about an engine
    state = "one line"     # instead of `why`: what is still to be done
    hits = ["mention"]     # optional: the rules of `harness/tests/dodge_scan.py` that find the place

    [[mention]]            # a place that the scan finds, and that leaves nothing out
    place = "…"
    note = "one line"
    hits = ["mention"]

A dodge that was removed has no entry. An adapter that raises Unsupported is not a dodge by itself: the
verdict reports it. It is a dodge if the engine could run the query, and its result would differ from SQL.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from corpora.case_fields import tables_of
from corpora.cases import CaseError
from corpora.known_failures import FOLDER

FILE = Path(__file__).with_name("dodges.toml")
TREE = FILE.parents[1]
_PLACE = re.compile(r"(?P<file>[\w./-]+\.py):(?P<symbol>[A-Za-z_][\w.]*)")
_DODGE = {"place", "leaves_out", "why", "state", "hits"}
_MENTION = {"place", "note", "hits"}
# What reads files, beside the engines of `known/`, by the names that a reason may not rest on.
_OTHERS = (
    *("arrow", "arrow-rs", "pandas", "orc c++", "orc java", "parquet-java", "parquet-mr"),
    *("reader", "readers", "engine", "engines"),
)


class Dodge(NamedTuple):
    """Code that leaves out legal choices: the reason why it stays (`why`), or what is to do (`state`).

    Of a `[[mention]]`, `leaves_out` is "", and `why` is its note.
    """

    place: str
    leaves_out: str
    why: str = ""
    state: str = ""
    hits: tuple[str, ...] = ()


def load(path: Path = FILE) -> list[Dodge]:
    """Return all entries, those of `[[mention]]` last; raises CaseError, which names the file."""
    dodges, mentions = tables_of(path, "dodge", "mention")
    return [*(_dodge(path, raw) for raw in dodges), *(_mention(path, raw) for raw in mentions)]


def problems(path: Path = FILE, tree: Path = TREE) -> Iterator[str]:
    """Yield the errors in the inventory of the modules below `tree`."""
    try:
        entries = load(path)
    except CaseError as error:
        yield str(error)
        return
    seen: set[tuple[str, str]] = set()
    for entry in entries:
        where = f"{path.name}: {entry.place}:"
        if (entry.place, entry.leaves_out) in seen:
            yield f"{where} {entry.leaves_out!r:.60} appears twice"
        seen.add((entry.place, entry.leaves_out))
        if not _is_there(tree, entry.place):
            yield f"{where} no such symbol"
        if entry.leaves_out and (name := _engines().search(entry.why)):
            yield f"{where} the reason is about {name[0]}, not about colconf"


@cache
def _engines() -> re.Pattern[str]:
    names = [*_OTHERS, *(path.stem for path in FOLDER.glob("*.toml"))]
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)


def _is_there(tree: Path, place: str) -> bool:
    parts = _PLACE.fullmatch(place)
    if parts is None:
        return False
    file = tree / parts["file"]
    return file.is_file() and is_defined(file.read_text("utf-8"), parts["symbol"])


def _dodge(path: Path, raw: Any) -> Dodge:
    entry = Dodge(**_fields(path, raw, _DODGE, {"place", "leaves_out"}))
    if bool(entry.why) == bool(entry.state):
        raise CaseError(f"{path.name}: {entry.place}: one of why and state is needed")
    return entry


def _mention(path: Path, raw: Any) -> Dodge:
    fields = _fields(path, raw, _MENTION, _MENTION)
    return Dodge(fields["place"], "", fields["note"], hits=fields["hits"])


def _fields(path: Path, raw: Any, allowed: set[str], required: set[str]) -> dict[str, Any]:
    """Return the fields of an entry; raises CaseError."""
    if not isinstance(raw, dict) or not required <= set(raw) <= allowed:
        raise CaseError(f"{path.name}: {raw!r:.80} does not have the fields {', '.join(sorted(allowed))}")
    hits = raw.get("hits", [])
    texts = [value for name, value in raw.items() if name != "hits"]
    if not isinstance(hits, list) or not all(isinstance(text, str) and text for text in (*texts, *hits)):
        raise CaseError(f"{path.name}: a field of {raw['place']!r:.80} is empty, or of a wrong type")
    return {**raw, "hits": tuple(hits)}


DOCSTRING = "__doc__"  # the symbol of what a module itself says


def names_in(nodes: Sequence[ast.stmt]) -> dict[str, ast.stmt]:
    """Return what statements give a name to: classes, functions, constants and fields."""
    names: dict[str, ast.stmt] = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[node.name] = node
        elif isinstance(node, ast.Assign):
            names |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign | ast.AugAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = node
    return names


def is_defined(text: str, symbol: str) -> bool:
    """Return whether a module of this source defines a symbol, which may be `Class.member`."""
    tree = ast.parse(text)
    if symbol == DOCSTRING:
        return ast.get_docstring(tree) is not None
    nodes: Sequence[ast.stmt] = tree.body
    for name in symbol.split("."):
        node = names_in(nodes).get(name)
        if node is None:
            return False
        nodes = node.body if isinstance(node, ast.ClassDef) else []
    return True
