"""The switch `pushdown` of a configuration: what an engine may skip rows by when it is asked a query.

It says nothing about reading a whole file. So configurations that differ in it alone share one read, and
each of them is asked the queries of its own. `off` and the first value (the engine's default) are asked every
query, so that a wrong answer can be traced to pushdown; of the finer values one takes each query, in turns by
a digest, unless the run is to ask everything.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpora.queries import Query
    from harness.pipeline.plan import Config

PUSHDOWN = "pushdown"
OFF = "off"
ON = "on"


def reader(configs: Sequence[Config], number: int) -> int:
    """Answer the number of the configuration whose read counts for configuration `number` too."""
    return next(_alike(configs, number))


def off(configs: Sequence[Config], number: int) -> int | None:
    """Answer the configuration like `number`, without pushdown: None if it is not there, or is `number`."""
    for other in _alike(configs, number):
        if other != number and configs[other].switches.get(PUSHDOWN) == OFF:
            return other
    return None


def asks(configs: Sequence[Config], number: int, query: Query, salt: str, *, everything: bool) -> bool:
    """Say whether a configuration is asked a query of the sheet `salt`."""
    value = configs[number].switches.get(PUSHDOWN)
    if everything or value in {None, ON, OFF}:
        return True
    finer = [one for one in _alike(configs, number) if configs[one].switches[PUSHDOWN] not in {ON, OFF}]
    digest = hashlib.sha256(f"{salt} {query}".encode("utf-8", "surrogatepass")).digest()
    return finer[digest[0] % len(finer)] == number


def apart(config: Config) -> str:
    """Answer the text of a configuration without its pushdown: what its read and its filters depend on."""
    return ",".join(part for part in config.text.split(",") if not part.startswith(f"{PUSHDOWN}="))


def _alike(configs: Sequence[Config], number: int) -> Iterator[int]:
    """Yield the configurations that differ from `number` in nothing but pushdown, itself included."""
    wanted = _others(configs[number])
    return (index for index, config in enumerate(configs) if _others(config) == wanted)


def _others(config: Config) -> dict[str, str]:
    return {switch: value for switch, value in config.switches.items() if switch != PUSHDOWN}
