"""A request to the upgrade gate, and its outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpora.cases import Case
from corpora.queries import Query
from harness.children.connection import Limits
from harness.engines.naming import EngineName
from harness.investigate.upgrade.baseline import Reviewed
from harness.investigate.upgrade.groups import Group
from harness.runs.pipeline.context import Generate


@dataclass(frozen=True)
class Input:
    """An input of both versions: `cases`, generated files, or (neither) files that the versions write.

    `every`: under all switches of the gate, otherwise under those of a run. `own`: the files are the user's.
    `large`: the files are compared by digests, under the first configuration alone.
    """

    name: str
    format: str
    cases: tuple[Case, ...] = ()
    generate: Generate | None = None
    writes: bool = False
    every: bool = False
    own: bool = False
    large: bool = False


@dataclass(frozen=True)
class UpgradeRequest:
    """A request to the gate; `reviewed` is the baseline, `layouts` the number of layouts of a written table.

    `repeat` is how often both versions read each file of the user's to compare their speed; 0 for never.
    `overwrite`: nothing of an earlier comparison in `out` is used. `given` are queries that
    cases of the user's files have first, each with what the user wrote.
    """

    old: EngineName
    new: EngineName
    inputs: tuple[Input, ...]
    out: Path
    limits: Limits
    layouts: int
    arguments: tuple[str, ...]
    reviewed: tuple[Reviewed, ...] = ()
    master: str | None = None
    repeat: int = 0
    overwrite: bool = False
    given: Mapping[Query, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """The account that `upgrade.json` holds, and the unreviewed groups."""

    account: dict[str, Any]
    unreviewed: list[Group]
