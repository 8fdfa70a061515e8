"""The queries of mutants: statistics, indexes and filters matter only where rows are skipped by them.

Queries are derived once from the file that mutants are made from, whose values and bounds most of its mutants
still have. Each mutant gets a few of them, in turns by its digest, as far as they fit its columns; filters
take turns with extremes, slices, counts, joins, distinct, grouped and sorted values.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, cycle
from pathlib import Path

from corpora.answers import answer
from corpora.cases import Expectation, Probe
from corpora.column_queries import Distinct, Groups, Join, Sorted
from corpora.counts import CountRows
from corpora.queries import Aggregate, Fields, Filter, QueryError, Slice
from corpora.tagged import Table
from harness.children.connection import Connection
from harness.engines.registry import ENGINES
from harness.investigate.fuzz.inputs import Input
from harness.judging.places import Config, Process
from harness.judging.pushdown import OFF, PUSHDOWN

QUERIES = 3  # of a mutant
_DERIVED = 48  # of a file that mutants are made from: fewer are filters alone
_OTHERS = (Aggregate, Slice, CountRows, Fields, Join, Distinct, Groups, Sorted)  # beside filters
_FILES = 1_024  # whose queries are remembered


class Questions:
    """The queries of inputs; `folder` is for the files that they are derived from."""

    def __init__(self, format_: str, folder: Path) -> None:
        self._format = format_
        self._folder = folder
        self._derived: OrderedDict[bytes, tuple[Probe, ...]] = OrderedDict()

    def of(self, reference: Connection, item: Input, expectation: Expectation) -> tuple[Probe, ...]:
        """Return the queries of an input: those that it brings, or some of those of its parent."""
        if item.future or expectation.kind == "refuse":
            return ()
        if item.probes:
            return item.probes
        derived = self._of_parent(reference, item)
        if not derived:
            return ()
        first = hashlib.sha256(item.data).digest()[0] % len(derived)
        turns = (*derived[first:], *derived[:first])
        table = expectation.table
        fitting = dict.fromkeys(probe for probe in turns if table is None or _fits(probe, table))
        return tuple(fitting)[:QUERIES]

    def _of_parent(self, reference: Connection, item: Input) -> tuple[Probe, ...]:
        parent = item.parent or item.data
        digest = hashlib.sha256(parent).digest()
        if digest not in self._derived:
            file = self._folder / f"parent.{self._format}"
            file.write_bytes(parent)
            derived, _ = reference.probes(file, self._format, _DERIVED, item.keys)
            self._derived[digest] = tuple(_in_turns(derived.probes))
            if len(self._derived) > _FILES:
                self._derived.popitem(last=False)
        self._derived.move_to_end(digest)
        return self._derived[digest]


def _in_turns(probes: Sequence[Probe]) -> Iterable[Probe]:
    """Return filters and other queries alternately; those of which there are fewer occur again."""
    filters = [probe for probe in probes if isinstance(probe.query, Filter)]
    others = [probe for probe in probes if isinstance(probe.query, _OTHERS)]
    if not filters or not others:
        return filters or others
    fewer, more = sorted((filters, others), key=len)
    return chain.from_iterable(zip(more, cycle(fewer), strict=False))


def with_off(process: Process, format_: str) -> Process:
    """Return an engine with a configuration without pushdown, by which wrong answers are traced."""
    entry = ENGINES.get(process.name)
    if entry is None or PUSHDOWN not in entry.switches or OFF not in entry.values(PUSHDOWN, [format_]):
        return process
    config, *others = process.configs
    if others or config.switches.get(PUSHDOWN) != entry.values(PUSHDOWN, [format_])[0]:
        return process  # who names values of the switch has chosen
    text = ",".join(filter(None, (config.text, f"{PUSHDOWN}={OFF}")))
    off = Config(text, {**config.switches, PUSHDOWN: OFF})
    return replace(process, configs=(config, off))


def _fits(probe: Probe, table: Table) -> bool:
    """Return whether a query can be put to the columns of a table, whatever engine reads them."""
    try:
        answer(probe.query, table, "ieee")
    except QueryError:
        return False
    return True
