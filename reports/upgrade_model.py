"""The model of the report on an upgrade: the groups of differences between two versions of an engine."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from harness.investigate.upgrade.account import unit
from reports.upgrade_sentences import own_files

_GRAVE = ("regressed", "both wrong", "unspecified")
_FAILS = ("refuses", "dies")


@dataclass(frozen=True)
class Cause:
    """A known cause of differences, its place in the migration guide, and the option that undoes it."""

    says: str
    section: str
    issue: str
    option: str


@dataclass(frozen=True)
class Group:
    """A group of files that differ in the same way.

    `configs` is empty where only the default configuration ran; `reviewed` is "" or reason and reviewer.
    `sentence` is the difference in words, `own` the number of the user's own files among `cases`. `place`
    says where the values of the smallest file differ. `tried` is the number of other configurations in which
    both versions read the files, `restoring` what restores the old behaviour, in words. `word` is `right`, or
    that the new version no longer reads what the old one read wrongly. `unit` is what the cases are, `notes`
    explain names of the smallest one. `changed` are the versions whose answers changed when repeated.
    """

    number: int
    signature: str
    cls: str
    meaning: str
    right: str
    rights: str
    cases: int
    inputs: str
    configs: str
    restored: str
    features: str
    unstable: int
    causes: tuple[Cause, ...]
    case: str
    path: str
    old: str
    new: str
    probe: str
    folder: str
    reviewed: str
    sentence: str = ""
    own: int = 0
    place: str = ""
    tried: int = 0
    word: str = ""
    unit: str = "file"
    changed: str = ""
    notes: tuple[tuple[str, str], ...] = ()

    @property
    def is_grave(self) -> bool:
        """Return whether the group is never folded: a lost feature matters, whichever version is right."""
        return self.right in _GRAVE or self.cls in _FAILS

    @property
    def restoring(self) -> str:
        """Return what to set for the old behaviour, "" if nothing was tried."""
        options = dict.fromkeys(cause.option for cause in self.causes if cause.option)
        if options:
            return "; ".join(options)
        if self.restored:
            return self.restored
        return f"none of the {self.tried} configurations that were tried restores it" if self.tried else ""

    @property
    def alike(self) -> str:
        """Return a text that is the same for groups that differ only in the configuration."""
        signature = self.signature.split(" | ", 1)
        return f"{self.right} | {signature[-1]}"


@dataclass(frozen=True)
class Input:
    """The numbers of files, compared answers, configurations and differing files of an input."""

    name: str
    files: int
    answers: int
    configs: int
    differing: int
    seconds: tuple[float, float]


@dataclass(frozen=True)
class Upgrade:
    """The content of a report on an upgrade; the groups in `open` have not been reviewed.

    `uncompared` says of which of the files and tables nothing could be compared.
    `not_asked` has the engine, the question and the reason of what colconf cannot put to a version,
    `settings` what configurations set in the engine.
    """

    old: str
    new: str
    runtimes: tuple[str, str]
    passed: bool
    started: str
    finished: str
    arguments: str
    colconf: str
    open: tuple[Group, ...]
    reviewed: tuple[Group, ...]
    inputs: tuple[Input, ...]
    useless: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str], ...] = ()
    not_asked: tuple[tuple[str, str, str], ...] = ()
    uncompared: tuple[str, ...] = ()

    def count(self, word: str) -> int:
        """Return how many groups that are not reviewed have this judgement."""
        return sum(group.word == word for group in self.open)

    @property
    def compared(self) -> str:
        """Return how many files and table cases were compared, in words."""
        counts: Counter[str] = Counter()
        for entry in self.inputs:
            counts[unit([entry.name])] += entry.files
        texts = [f"{count:,} {name}{'s' * (count != 1)}" for name, count in sorted(counts.items())]
        return " and ".join(texts)

    @property
    def own(self) -> tuple[int, int]:
        """Return how many of the user's own files differ, and how many there are."""
        own = [entry for entry in self.inputs if own_files({entry.name: 1})]
        return sum(entry.differing for entry in own), sum(entry.files for entry in own)

    @property
    def unexplained(self) -> int:
        """Return how many groups that are not reviewed have no known cause."""
        return sum(not group.causes for group in self.open)
