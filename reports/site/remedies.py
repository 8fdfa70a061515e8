"""Configurations that avoid a finding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from reports.site.finding import SHOWS, State
from reports.site.model import Site


def avoided(site: Site, states: Sequence[State]) -> tuple[str, ...]:
    """Return the configurations in which the last release that shows a finding is right about all its cases.

    A configuration that was asked some of the cases proves nothing, and is left out. "" is the default one.
    """
    bad = [state for state in states if state.word == SHOWS]
    if not bad:
        return ()
    cases = {case for case, _ in bad[-1].shows}
    answers: defaultdict[str, dict[str, bool]] = defaultdict(dict)
    for case in cases & site.cases.keys():
        for place, answer in site.cases[case].answers.items():
            if place.version == bad[-1].version and answer.counts:
                answers[place.config][case] = answer.is_right
    return tuple(
        sorted(config for config, right in answers.items() if right.keys() == cases and all(right.values()))
    )
