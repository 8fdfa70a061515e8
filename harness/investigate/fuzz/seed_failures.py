"""The failures of checked-in cases themselves, with which those of their mutants are compared.

An entry of the known failures without a signature covers all that its cases show. A mutant can fail by
another cause: it shows a known failure only if the case fails in the same way before it is changed.
"""

from __future__ import annotations

from pathlib import Path

import corpora
from corpora.cases import load
from harness.judging.bench import Bench
from harness.judging.places import Process, Sheet
from harness.judging.signature import signature

_CORPORA = Path(corpora.__path__[0])


class SeedFailures:
    """The signatures of the failures of cases, each of which an engine reads once."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._signatures: dict[tuple[str, str], frozenset[str]] = {}

    def of(self, process: Process, seed: str) -> frozenset[str]:
        """Return the signatures of all rows of an engine about a case; raises BenchError."""
        key = process.key, seed
        if key not in self._signatures:
            case = load(_CORPORA / f"{seed}.json")
            answers = {process.key: self._bench.ask(process, Sheet("seed", (case,)), everything=False)}
            rows = self._bench.judge([case], answers)
            self._signatures[key] = frozenset(signature(row.stored) for row in rows)
        return self._signatures[key]
