"""Differences of one cause as one group: its count, its smallest file, the evidence that all have in common.

Lines are those of `pairs.ndjson` and of `upgrade/written.py`, which have the same members.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harness.investigate.upgrade.classes import Class, Right

if TYPE_CHECKING:
    from collections.abc import Iterable

_CLASSES = [one.value for one in Class]
_RIGHTS = [one.value for one in Right]


@dataclass
class Group:
    """What differs alike. `smallest` is the line of the smallest file, by default configuration if any is.

    `rights` counts lines by who is right, `inputs` cases by where they came from, `features` are what all
    files have. A configuration is evidence (`restored`, `explained`) if it is in every line that `tried` it:
    not every input is read under each.
    """

    signature: str
    cls: str
    smallest: dict[str, Any]
    rights: Counter[str] = field(default_factory=Counter)
    inputs: Counter[str] = field(default_factory=Counter)
    cases: set[str] = field(default_factory=set)
    configs: Counter[str] = field(default_factory=Counter)
    features: set[str] = field(default_factory=set)
    unstable: int = 0
    tried: Counter[str] = field(default_factory=Counter)
    restores: Counter[str] = field(default_factory=Counter)
    explains: Counter[str] = field(default_factory=Counter)

    @property
    def restored(self) -> set[str]:
        """Return the configurations under which the new version does what the old one does by default."""
        return {config for config, count in self.restores.items() if count == self.tried[config]}

    @property
    def explained(self) -> set[str]:
        """Return the configurations under which the old version does what the new one does by default."""
        return {config for config, count in self.explains.items() if count == self.tried[config]}

    @property
    def right(self) -> str:
        """Return `regressed` if any of its lines is, else what is said of most."""
        if Right.REGRESSED in self.rights:
            return Right.REGRESSED.value
        return max(self.rights, key=lambda one: (self.rights[one], -_RIGHTS.index(one)))

    @property
    def gravity(self) -> tuple[int, int, int, str]:
        """Return what groups are sorted by: regressions first, then the class, then how many files."""
        return _RIGHTS.index(self.right), _CLASSES.index(self.cls), -len(self.cases), self.signature


def gather(lines: Iterable[tuple[str, dict[str, Any]]]) -> list[Group]:
    """Return the groups of lines, each with the name of its input, the gravest first."""
    found: dict[str, Group] = {}
    for name, line in lines:
        group = found.get(line["signature"])
        if group is None:
            group = found[line["signature"]] = Group(line["signature"], line["class"], line)
            group.features = set(line["features"])
        _add(group, name, line)
    return sorted(found.values(), key=lambda one: one.gravity)


def _add(group: Group, name: str, line: dict[str, Any]) -> None:
    group.rights[line["right"]] += 1
    if line["case"] not in group.cases:
        group.inputs[name] += 1
        group.cases.add(line["case"])
    group.configs.update(line["configs"])
    group.features &= set(line["features"])
    group.tried.update(line["tried"])
    group.restores.update(line["restored"])
    group.explains.update(line["explained"])
    group.unstable += line["unstable"]
    if _order(line) < _order(group.smallest):
        group.smallest = line


def _order(line: dict[str, Any]) -> tuple[bool, bool, int, str]:
    """Return what the line to look at is chosen by: the default configuration, then the smallest file."""
    return "" not in line["configs"], line["unstable"], line["size"], line["case"]
