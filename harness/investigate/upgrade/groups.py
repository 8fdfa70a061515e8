"""Differences of one cause as one group: the count, the smallest file, the common evidence.

Lines are those of `pairs.ndjson` and of `upgrade/written.py`, which have the same members.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from harness.investigate.upgrade.classes import Class, Right

_CLASSES = [cls.value for cls in Class]
_RIGHTS = [right.value for right in Right]


@dataclass
class Group:
    """Differences with one signature; `smallest` is the line of the smallest file.

    A line of the default configuration comes before a smaller file. `rights` counts lines by the version that
    is right, `inputs` counts cases by input, `features` are common to all files. A configuration is evidence
    (`restored`, `explained`) if it is in every line that `tried` it: not every input is read under each.
    `changed` are the versions whose answers changed when the read was repeated, where that is known.
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
    changed: set[str] = field(default_factory=set)
    tried: Counter[str] = field(default_factory=Counter)
    restores: Counter[str] = field(default_factory=Counter)
    explains: Counter[str] = field(default_factory=Counter)

    @property
    def restored(self) -> set[str]:
        """Return the configurations under which the new version behaves as the old one does by default."""
        return {config for config, count in self.restores.items() if count == self.tried[config]}

    @property
    def explained(self) -> set[str]:
        """Return the configurations under which the old version behaves as the new one does by default."""
        return {config for config, count in self.explains.items() if count == self.tried[config]}

    @property
    def right(self) -> str:
        """Return `regressed` if any line is, else the most frequent value."""
        if Right.REGRESSED in self.rights:
            return Right.REGRESSED.value
        return max(self.rights, key=lambda right: (self.rights[right], -_RIGHTS.index(right)))

    @property
    def gravity(self) -> tuple[int, int, int, str]:
        """Return the sort key of groups: regressions first, then the class, then the number of files."""
        return _RIGHTS.index(self.right), _CLASSES.index(self.cls), -len(self.cases), self.signature


def gather(lines: Iterable[tuple[str, dict[str, Any]]]) -> list[Group]:
    """Return the groups of lines, the gravest first; each line comes with the name of its input."""
    groups: dict[str, Group] = {}
    for name, line in lines:
        group = groups.get(line["signature"])
        if group is None:
            group = groups[line["signature"]] = Group(line["signature"], line["class"], line)
            group.features = set(line["features"])
        _add(group, name, line)
    return sorted(groups.values(), key=lambda group: group.gravity)


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
    group.changed.update(line.get("changed", ()))
    if _order(line) < _order(group.smallest):
        group.smallest = line


def _order(line: dict[str, Any]) -> tuple[bool, bool, int, str]:
    """Return the sort key of a group's lines: the default configuration, then the smallest file."""
    return "" not in line["configs"], line["unstable"], line["size"], line["case"]
