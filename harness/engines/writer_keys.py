"""Master keys of files that engines encrypt, and the draws of settings and of columns with own keys.

The keys are the suite's own, which results and scripts may show. Standard library only, Python 3.9.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from corpora.keys import suite_key
from corpora.tagged import Table
from harness.engines.writer_options import Chosen, Draw, any_type, by_column, paths, plain

FOOTER = "footer"
MASTERS = {FOOTER: suite_key("master"), **{f"kc{at}": suite_key(f"column {at}") for at in range(3)}}
SHARE = 0.2  # of the files that an option is drawn for: most engines cannot be given keys


def some_of(settings: Sequence[Mapping[str, Any]]) -> Draw:
    """Return the draw of at most two settings, perhaps none, in a share of the files."""

    def draw(source: random.Random, _: Table) -> Any:
        if source.random() >= SHARE:
            return None
        chosen: dict[str, Any] = {}
        for setting in source.sample(settings, source.randint(0, 2)):
            chosen.update(setting)
        return chosen

    return draw


def draw_own_keys(source: random.Random, table: Table) -> Any:
    """Draw master keys for some columns, at any depth, in a share of the files."""
    if source.random() >= SHARE:
        return None
    own = [name for name in MASTERS if name != FOOTER]
    return by_column(paths(any_type, inner=True), lambda *_: own)(source, table)


def columns_by_key(chosen: Chosen, option: str) -> dict[str, list[str]]:
    """Return the columns that an option gives keys of their own, by master key."""
    columns: dict[str, list[str]] = {}
    for path, name in plain(chosen.get(option, {})).items():
        columns.setdefault(name, []).append(path)
    return columns
