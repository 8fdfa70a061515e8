"""Reads the manifest of an engine, a TOML file, into an `Entry`.

`docs/protocol.md` describes the manifest of a foreign engine, which has a `command`. A manifest in this
folder has the tables `adapter`, `colconf`, `carriers`, `gate`, `affects` and `hints` instead: what only
colconf itself has use for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomllib

from corpora.constants import ORDERS
from harness.children.foreign import Foreign
from harness.children.protocol import VERSION
from harness.engines.entry import Entry, Hint
from harness.engines.manifest_table import ManifestError, Table

FORMATS = ("parquet", "orc")
FOREIGN_PLACE = 1_000  # foreign engines stand behind those of colconf
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_PAGE = re.compile(r"https?://[^\s/]+\S*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = frozenset({"TMPDIR", "LC_CTYPE", "COLCONF_CHILD", "COLCONF_LEASH"})
_HERE = "{here}"
_COLCONF_TEXTS = ("artifact", "extra", "script", "write_script", "write_options")
_COLCONF_FLAGS = ("needs_java", "writes", "script_keys", "links")


def read(file: Path, *, own: bool = False) -> Entry:
    """Read a manifest, `own`: of an engine that colconf has an adapter for; raises ManifestError."""
    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ManifestError(f"{file}: {error.strerror}") from error
    except ValueError as error:  # no UTF-8, no TOML
        raise ManifestError(f"{file}: not TOML: {error}") from error
    try:
        return entry_of(data, file.absolute(), own=own)
    except ManifestError as error:
        raise ManifestError(f"{file}: {error}") from error


def is_manifest(file: Path) -> bool:
    """Return whether a TOML file means to be a manifest; one that is no TOML might."""
    try:
        return bool({"protocol", "command"} & set(tomllib.loads(file.read_text("utf-8"))))
    except (OSError, ValueError):
        return True


def entry_of(data: Mapping[str, Any], file: Path, *, own: bool = False) -> Entry:
    """Return the entry of a manifest's content; `file` is its absolute path. Raises ManifestError."""
    table = Table(data)
    entry = _own(table, file) if own else _foreign(table, file)
    table.close()
    return entry


def _common(table: Table) -> dict[str, Any]:
    """Return the fields that both kinds of manifests have."""
    name = table.text("name")
    if not NAME.fullmatch(name):
        mend = "use lowercase letters, digits and _, such as my_reader, at most 40"
        raise ManifestError(f"name is {name!r:.60}; {mend}")
    formats = table.texts("formats", FORMATS)
    if not formats:
        raise ManifestError('formats is empty; write formats = ["parquet"]')
    switches = {switch: table.inner("switches").texts(switch) for switch in table.inner("switches")}
    for switch, values in switches.items():
        _check_switch(switch, values)
    fields: dict[str, Any] = {
        "name": name,
        "formats": formats,
        "switches": switches,
        "narrowed": _narrowed(table, switches, formats),
        "rare": _values(table.inner("rare"), switches),
        "heavy": table.flag("heavy"),
        "lineage": {key: table.inner("lineage").text(key) for key in table.inner("lineage")},
        **_ways(table.inner("ways"), switches),
    }
    unknown = [key for key in fields["lineage"] if key not in formats]
    if unknown:
        raise ManifestError(f"lineage names {unknown[0]!r}, which is not one of formats")
    return fields


def _check_switch(switch: str, values: tuple[str, ...]) -> None:
    for text in (switch, *values):
        if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", text):
            mend = "use lowercase letters, digits, _ and -"
            raise ManifestError(f"the switch {switch!r:.40} has {text!r:.40}; {mend}")
    if len(set(values)) < 2 or len(set(values)) != len(values):
        raise ManifestError(f"the switch {switch} needs two different values or more, the default first")
    if switch == "pushdown" and "off" not in values:
        raise ManifestError('the switch pushdown needs the value "off": nothing is skipped by statistics')


def _values(table: Table, switches: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return some values of switches; raises ManifestError if they are none of them."""
    chosen = {}
    for switch in table:
        if switch not in switches:
            raise ManifestError(f"{table.name} names {switch!r:.40}, which is not one of switches")
        chosen[switch] = table.texts(switch, switches[switch])
    return chosen


def _narrowed(
    table: Table, switches: Mapping[str, tuple[str, ...]], formats: tuple[str, ...]
) -> dict[str, dict[str, tuple[str, ...]]]:
    inner = table.inner("narrowed")
    unknown = [name for name in inner if name not in formats]
    if unknown:
        raise ManifestError(f"narrowed names {unknown[0]!r:.40}, which is not one of formats")
    return {name: _values(inner.inner(name), switches) for name in inner}


def _ways(table: Table, switches: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    given = {}
    for key in ("read", "query", "unordered"):
        if key in table:
            if "way" not in switches:
                raise ManifestError(
                    f"ways.{key} is about the switch way; add way to [switches], or leave it out"
                )
            given[key] = table.texts(key, switches["way"])
    return {
        "read_ways": given.get("read"),
        "query_ways": given.get("query", ()),
        "unordered": given.get("unordered", ()),
        "ways_of_tables": table.flag("of_tables"),
    }


def _own(table: Table, file: Path) -> Entry:
    """Return the entry of an engine that colconf has an adapter for."""
    adapter, colconf = table.inner("adapter"), table.inner("colconf")
    fields = _common(table)
    fields |= {key: colconf.text(key, "") for key in _COLCONF_TEXTS}
    fields |= {key: colconf.flag(key) for key in _COLCONF_FLAGS}
    gate, affects, carriers = (table.inner(name) for name in ("gate", "affects", "carriers"))
    return Entry(
        **fields,
        module=adapter.text("module"),
        class_name=adapter.text("class"),
        packages=colconf.texts("packages") if "packages" in colconf else (),
        place=colconf.number("place"),
        passed_on=colconf.texts("passed_on", fields["switches"]) if "passed_on" in colconf else (),
        gate={name: _values(gate.inner(name), fields["switches"]) for name in gate},
        affects={name: _affects(affects.inner(name), fields["switches"]) for name in affects},
        carriers={version: carriers.text(version) for version in carriers},
        hints=tuple(_hint(hint) for hint in table.tables("hints")),
        manifest=str(file),
    )


def _affects(table: Table, switches: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    unknown = [switch for switch in table if switch not in switches]
    if unknown:
        raise ManifestError(f"{table.name} names {unknown[0]!r:.40}, which is not one of switches")
    return {switch: table.texts(switch) for switch in table}


def _hint(table: Table) -> Hint:
    newest = table.text("newest_python", "")
    parts = tuple(map(int, newest.split("."))) if newest else ()
    python = (parts[0], parts[1]) if parts else None
    return Hint(table.text("versions"), python, table.texts("bounds"), table.text("url"))


def _foreign(table: Table, file: Path) -> Entry:
    """Return the entry of a reader that speaks the protocol itself."""
    protocol = table.number("protocol")
    if protocol != VERSION:
        mend = f"write protocol = {VERSION}"
        raise ManifestError(f"protocol is {protocol}, this colconf speaks {VERSION}; {mend}")
    here = file.parent
    program, *arguments = table.texts("command") or ("",)
    if not program:
        raise ManifestError('command is empty; write command = ["./my-reader"]')
    fields = _common(table)
    pages = _pages(table)
    return Entry(
        **fields,
        command=(_program(program, here), *(_placed(part, here) for part in arguments)),
        needs=tuple(_program(part, here) for part in table.texts("needs")) if "needs" in table else (),
        install=table.text("install", ""),
        variables=_variables(table.inner("variables"), here),
        pages=pages,
        foreign=_manners(table, fields, tuple(pages)),
        manifest=str(file),
        place=FOREIGN_PLACE,
    )


def _manners(table: Table, fields: Mapping[str, Any], claims: tuple[str, ...]) -> Foreign:
    traits, limits = table.inner("traits"), table.inner("limits")
    orders = {key: traits.choice(key, values) for key, values in ORDERS.items() if key in traits}
    memory = limits.size("memory_mib", 1)
    return Foreign(
        fields["name"],
        fields["formats"],
        passed=_passed(table),
        equivalences=claims,
        **orders,
        file_order=traits.flag("file_order"),
        row_order="row_order" not in traits or traits.flag("row_order"),
        start_seconds=limits.size("start_seconds"),
        seconds=limits.size("seconds"),
        memory_bytes=None if memory is None else int(memory * (1 << 20)),
    )


def _pages(table: Table) -> dict[str, str]:
    """Return the page of each equivalence."""
    pages: dict[str, str] = {}
    for claim in table.tables("equivalences"):
        name, page = claim.text("name"), claim.text("page")
        if not _PAGE.fullmatch(page):
            mend = "give the address that documents it"
            raise ManifestError(f"the page of the equivalence {name} is {page!r:.60}; {mend}")
        if name in pages:
            raise ManifestError(f"the equivalence {name} is there twice; give it once, with one page")
        pages[name] = page
    return pages


def _passed(table: Table) -> tuple[str, ...]:
    names = table.texts("environment") if "environment" in table else ()
    for name in names:
        _check_variable(name)
    return names


def _variables(table: Table, here: Path) -> dict[str, str]:
    for name in table:
        _check_variable(name)
    return {name: table.text(name).replace(_HERE, str(here)) for name in table}


def _check_variable(name: str) -> None:
    if not _VARIABLE.fullmatch(name):
        raise ManifestError(f"{name!r:.60} is not the name of an environment variable")
    if name in _RESERVED:
        mend = "use LC_ALL or LANG" if name == "LC_CTYPE" else "leave it out"
        raise ManifestError(f"the variable {name} is set by colconf; {mend}")


def _program(part: str, here: Path) -> str:
    """Return a program: with a slash, a path from the manifest's folder, else a name."""
    placed = _placed(part, here)
    return str(here / placed) if "/" in placed else placed


def _placed(part: str, here: Path) -> str:
    """Return an element of a command, with a relative path from the manifest's folder."""
    if part.startswith(("./", "../")):
        return str(here / part)
    return part.replace(_HERE, str(here))
