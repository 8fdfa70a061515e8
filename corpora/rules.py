"""The rules of the specifications: `rules.d/*.toml`, arrays of `[[rule]]` with the fields of `Rule`.

`earliest` and `since` are left out where they are "".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from corpora.case_fields import rows_of
from corpora.cases import LEVELS, CaseError, is_rule_id

FOLDER = Path(__file__).with_name("rules.d")


ROWS = "rows"
_RELEASE = re.compile(r"\d+\.\d+\.\d+")


class Rule(NamedTuple):
    """A checkable sentence of a specification: its id, clause, level (MUST, SHOULD or MAY) and text.

    `earliest` is ROWS if pages or streams alone can break it, so that no reader notices that before it reads
    rows; "" if the footer may show it, or if that depends on the file. `since`: the release of the format
    that the rule came with, where older writers may break it; no file says which release its writer knew.
    """

    id: str
    clause: str
    level: str
    text: str
    earliest: str = ""
    since: str = ""

    @property
    def about_age(self) -> str:
        """The remark about files that may be older than the rule; "" if it is as old as the format."""
        text = f"since release {self.since} of the format; an older writer could not know it"
        return text if self.since else ""


def load(folder: Path = FOLDER) -> Mapping[str, Rule]:
    """Return all rules by id; raises CaseError, which names the file, for a wrong or repeated rule.

    A process reads our own rules once: minimizing a file looks them up for each candidate.
    """
    return _own() if folder == FOLDER else _loaded(folder)


@cache
def _own() -> Mapping[str, Rule]:
    return _loaded(FOLDER)


def _loaded(folder: Path) -> Mapping[str, Rule]:
    rules: dict[str, Rule] = {}
    for path in sorted(folder.glob("*.toml")):
        for rule in read(path):
            if rule.id in rules:
                raise CaseError(f"{path.name}: rule {rule.id} appears twice in {folder.name}")
            rules[rule.id] = rule
    return MappingProxyType(rules)


def read(path: Path) -> list[Rule]:
    """Return the rules of a file; raises CaseError."""
    return [_rule(path, raw) for raw in rows_of(path, "rule")]


def _rule(path: Path, raw: object) -> Rule:
    required = set(Rule._fields) - set(Rule._field_defaults)
    if not isinstance(raw, dict) or not required <= set(raw) <= set(Rule._fields):
        raise CaseError(f"{path.name}: {raw!r:.80} does not have the fields {', '.join(Rule._fields)}")
    if not all(isinstance(text, str) and text for text in raw.values()):
        raise CaseError(f"{path.name}: a field of {raw['id']!r:.40} is empty, or not text")
    rule = Rule(**raw)
    if not is_rule_id(rule.id):
        raise CaseError(f"{path.name}: {rule.id!r:.40} is not of the form PQ-PAGE-003")
    if rule.level not in LEVELS:
        raise CaseError(f"{path.name}: {rule.id} has level {rule.level!r:.40}")
    if rule.earliest not in {"", ROWS}:
        raise CaseError(f"{path.name}: {rule.id} has earliest {rule.earliest!r:.40}, not {ROWS}")
    if rule.since and not _RELEASE.fullmatch(rule.since):
        raise CaseError(f"{path.name}: {rule.id} has since {rule.since!r:.40}, not a release such as 2.13.0")
    return rule
