"""Configurations that avoid a finding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from reports.site.finding import SHOWS, State
from reports.site.model import Answer, Site

_OFF = "pushdown=off"


def avoided(site: Site, states: Sequence[State]) -> tuple[str, ...]:
    """Return the configurations in which the last release that shows a finding is right about all its cases.

    "" is the default one. Others are asked fewer queries, so that a right answer proves nothing of them; but
    where a judgement says that an answer differs without pushdown, `pushdown=off` was asked the same query.
    """
    bad = [state for state in states if state.word == SHOWS]
    if not bad:
        return ()
    cases = {case for case, _ in bad[-1].shows}
    answers: defaultdict[str, dict[str, Answer]] = defaultdict(dict)
    for case in cases & site.cases.keys():
        for place, answer in site.cases[case].answers.items():
            if place.version == bad[-1].version and answer.counts:
                answers[place.config][case] = answer
    differences = [answers[config][case].difference for case, config in bad[-1].shows]
    is_of_pushdown = all(difference and difference.kind == "pushdown" for difference in differences)
    proven = ("", _OFF) if is_of_pushdown else ("",)
    return tuple(config for config in proven if _is_right(answers.get(config, {}), cases))


def _is_right(answers: dict[str, Answer], cases: set[str]) -> bool:
    return answers.keys() == cases and all(answer.is_right for answer in answers.values())
