"""Configurations of an engine that share their results of the control set.

The control set tests what adapter and binding support with a version. A configuration that does not change
this shares the results of another one.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from harness.engines.registry import ENGINES
from harness.judging.places import Config, Process
from harness.judging.pushdown import PUSHDOWN


class Group(NamedTuple):
    """Configurations that share the results of `config`; each group has its own `key`."""

    key: str
    config: Config
    configs: tuple[Config, ...]


def groups_of(process: Process) -> list[Group]:
    """Return the configurations of an engine, grouped by the behaviour of its adapter and binding.

    Switches that the adapter only passes on to the engine do not change that behaviour. `pushdown` of a heavy
    engine, which takes a second per query, counts as such a switch. A group runs queries if one of its
    configurations does.
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
