"""The questions that an engine of a version is not asked: colconf cannot put them to it.

The control set (`control.py`) shows which they are. Whoever asks an engine for a sheet passes them over:
their outcome is `misspoke`, without a request, and their verdict `not_asked`.
"""

from __future__ import annotations

from collections.abc import Sequence

from corpora.build.control.controls import READ, questions
from corpora.cases import Case
from corpora.queries import Query
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.children.protocol import ADAPTER
from harness.judging.case_files import features_in
from harness.judging.places import Barred, Config, Process

NOT_SENT = "control"  # the phase of such an outcome


class Bars:
    """The questions that one engine process is not asked, for the files of a sheet."""

    def __init__(self, process: Process, cases: Sequence[Case]) -> None:
        self._process = process
        self._cases = cases
        self._features: dict[int, frozenset[str]] = {}

    def read(self, config: Config, index: int) -> Outcome | None:
        """Return the outcome of reading a case that is not to be read, None if it is."""
        for barred in self._of(config):
            if barred.question == READ and (not barred.subject or barred.subject in self.features(index)):
                return _outcome(barred)
        return None

    def query(self, config: Config, index: int, query: Query) -> Outcome | None:
        """Return the outcome of a query that is not to be asked, None if it is."""
        table = self._cases[index].expectation.table
        by_question = {(barred.subject, barred.question): barred for barred in self._of(config)}
        if not by_question or table is None:
            return None
        about = (by_question.get(question) for question in questions(query, table))
        return next((_outcome(barred) for barred in about if barred), None)

    def _of(self, config: Config) -> list[Barred]:
        return [barred for barred in self._process.barred if barred.config == config.text]

    def features(self, index: int) -> frozenset[str]:
        """Return the features of a case and of its file."""
        if index not in self._features:
            case = self._cases[index]
            self._features[index] = frozenset((*case.features, *features_in(case)))
        return self._features[index]


def _outcome(barred: Barred) -> Outcome:
    detail = Detail(message=f"not asked: {barred.reason}", phase=NOT_SENT, origin=ADAPTER)
    return Outcome(OutcomeKind.MISSPOKE, detail=detail)
