"""What a release changed about findings: introduced, fixed, or only the name under which cases fail."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from reports.site.finding import NOT_ASKED, SHOWS, FindingRecord, State
from reports.site.model import Answer, Site
from reports.site.places import Version


class Renamed(NamedTuple):
    """A finding whose cases still fail in the next release, and the ids or verdicts that they show there."""

    finding: FindingRecord
    now: tuple[str, ...]


class ReleaseChange(NamedTuple):
    """The findings that a release introduced and fixed, and those whose cases now fail in another way."""

    introduced: list[FindingRecord]
    fixed: list[FindingRecord]
    renamed: list[Renamed]


def changes_by_release(site: Site, findings: Sequence[FindingRecord]) -> dict[Version, ReleaseChange]:
    """Return for each release what it changed, compared with the release before that was asked.

    A finding is introduced if a case that shows it was right in the release before. One that no longer shows
    is fixed only if none of the cases that showed it is wrong.
    """
    changes: dict[Version, ReleaseChange] = {}
    for finding in findings:
        states = [state for state in finding.states if state.word != NOT_ASKED]
        for before, after in itertools.pairwise(states):
            change = changes.setdefault(after.version, ReleaseChange([], [], []))
            if before.word != SHOWS and after.word == SHOWS:
                if any(answer.is_right for answer in _under(site, after, before.version)):
                    change.introduced.append(finding)
            elif before.word == SHOWS and after.word != SHOWS:
                answers = list(_under(site, before, after.version))
                if names := names_of(answers):
                    change.renamed.append(Renamed(finding, names))
                elif answers:
                    change.fixed.append(finding)
    return changes


def _under(site: Site, state: State, version: Version) -> Iterable[Answer]:
    """Yield what another release answers to the cases that show a finding, in the same configurations."""
    others = site.by_version[version]
    return (others[key] for key in sorted(state.shows) if key in others and others[key].counts)


def names_of(answers: Iterable[Answer]) -> tuple[str, ...]:
    """Return what wrong answers show, each once: the id of a finding, or the verdict."""
    names = (answer.finding or answer.verdict for answer in answers if answer.counts and not answer.is_right)
    return tuple(dict.fromkeys(names))
