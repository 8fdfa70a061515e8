"""Configurations of an engine that share their answers to the control set.

The control set asks what adapter and binding can do with a version. Where a configuration changes none of
that, the answers of another one hold for it too.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from harness.engines.registry import ENGINES
from harness.judging.places import Config, Process
from harness.judging.pushdown import PUSHDOWN


class Group(NamedTuple):
    """Configurations that share the answers to `config`; each group has another `key`."""

    key: str
    config: Config
    configs: tuple[Config, ...]


def groups_of(process: Process) -> list[Group]:
    """Return the configurations of an engine by what adapter and binding do under them.

    Switches that the adapter passes on to the engine change nothing of it; nor does `pushdown` of a heavy
    engine, which takes a second for a query. A group is asked queries if any configuration of it is.
    """
    entry = process.foreign or ENGINES[process.name]
    passed_on = {*entry.passed_on, *((PUSHDOWN,) if process.heavy else ())}
    groups: dict[str, list[Config]] = {}
    for config in process.configs:
        switches = {name: value for name, value in config.switches.items() if name not in passed_on}
        groups.setdefault(json.dumps(switches, sort_keys=True), []).append(config)
    return [
        Group(key, next((config for config in configs if config.probed), configs[0]), tuple(configs))
        for key, configs in groups.items()
    ]
