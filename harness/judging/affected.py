"""Files whose result a configuration cannot change, because they lack the features that its switches affect.

A manifest says which features a file must have for a switch to matter (`Entry.affects`). The upgrade gate,
which compares two versions under dozens of switches, does not read a file without these features under the
switch. It still reads one in sixteen of these files, to check the manifest.

Of generated files that a version cannot read by default, many are refused for the same reason: the other
configurations of the gate read one in four of them. A heavy engine reads one in four sheets of generated
files in each other way, because ways differ by schema, and the files of a sheet share it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection

from corpora.features import TABLES
from corpora.known_failures import GENERATED
from harness.engines.registry import ENGINES
from harness.judging import pushdown, ways
from harness.judging.places import Config, Process

_SHARE = 16
_SHARE_OF_UNREAD, _SHARE_OF_WAYS = 4, 4
_TYPES = "/type/"  # part of a feature that each file with a column has, if the reference can open it


def is_left_out(
    process: Process, number: int, format_: str, case: str, features: Collection[str], *, unread: bool = False
) -> bool:
    """Return whether a configuration does not read a case, given the features of its file.

    This holds for configurations of other formats, and for those that only read; not for the first
    configuration, and not for tables, whose types are not those of their files. `case` is the id. `unread`:
    the first configuration could not read the file.
    """
    config, first = process.configs[number], process.configs[0]
    if not config.is_for(format_):
        return True
    if config.probed or not number or TABLES[format_] in features:
        return False
    digest = hashlib.sha256(f"{config.text} {case}".encode("utf-8", "surrogatepass")).digest()
    if case.startswith(GENERATED):
        if unread and digest[1] % _SHARE_OF_UNREAD:
            return True
        if process.heavy and ways.is_unusual(process, config) and not _has_way(config, case):
            return True
    if not any(_TYPES in feature for feature in features):
        return False
    affects = ENGINES[process.name].affects.get(format_, {}) if process.name in ENGINES else {}
    changed = [
        switch
        for switch, value in config.switches.items()
        if value != first.switches.get(switch) and switch != pushdown.PUSHDOWN
    ]
    if not all(switch in affects and not _any(affects[switch], features) for switch in changed):
        return False
    return digest[0] % _SHARE > 0


def _has_way(config: Config, case: str) -> bool:
    """Return whether a heavy engine reads the sheet of a generated file in another way."""
    sheet = case.rpartition("/")[0]
    return hashlib.sha256(f"{config.text} {sheet}".encode()).digest()[0] % _SHARE_OF_WAYS == 0


def _any(wanted: Collection[str], features: Collection[str]) -> bool:
    return any(
        feature.startswith(pattern[:-1]) if pattern.endswith("*") else feature == pattern
        for pattern in wanted
        for feature in features
    )
