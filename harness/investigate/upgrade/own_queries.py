"""Queries of the user: on how many cases the answers of both versions were compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from corpora.cases import Case
from corpora.queries import Query

Compared = Counter[str]  # cases by the text of a query


def compared_queries(
    given: Mapping[Query, str], cases: Iterable[Case], compared: Compared
) -> list[dict[str, Any]]:
    """Return `query` (as the user wrote it), `cases` that have it, and `compared` cases.

    `given` are the queries of cases, each with what the user wrote: one text is another query of files with
    other types.
    """
    counts: dict[str, Counter[str]] = {text: Counter() for text in given.values()}
    for case in cases:
        for text in {given[probe.query] for probe in case.probes if probe.query in given}:
            counts[text]["cases"] += 1
    for query, text in {str(query): text for query, text in given.items()}.items():
        counts[text]["compared"] += compared[query]
    return [
        {"query": text, "cases": count["cases"], "compared": count["compared"]}
        for text, count in counts.items()
    ]
