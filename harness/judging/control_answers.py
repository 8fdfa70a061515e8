"""Results of the control set with an engine's version, and the reads and queries that they rule out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from corpora.build.control import controls
from corpora.build.control.controls import READ
from harness.judging.places import Barred

ANSWERED, LACKED, FAILED, NOT_ASKED = STATES = ("answered", "unsupported", "failed", "not_asked")


class Answer(NamedTuple):
    """The answer to a question about a control file.

    `subject` and `question` are those of `controls.questions`, or the file's name and `read`. `state`:
    `answered`, `unsupported` (the engine lacks it), `failed` (the engine's own error or wrong values: a
    finding, if a run meets it) or `not_asked` (Python code of adapter or binding failed). `reason` is a line.
    """

    control: str
    subject: str
    question: str
    state: str
    reason: str


@dataclass(frozen=True)
class Answers:
    """The answers of one configuration of an engine's version to the control files of a format."""

    engine: str
    version: str
    config: str
    format: str
    answers: tuple[Answer, ...]
    basis: str = ""

    @property
    def key(self) -> str:
        """Return `name@version`, with the configuration if it is not the default."""
        return f"{self.engine}@{self.version}" + (f":{self.config}" if self.config else "")

    def barred(self) -> Iterator[Barred]:
        """Yield what this configuration is not to be asked."""
        yield from self._barred_files()
        failed: dict[tuple[str, str], str] = {}
        for answer in self.answers:
            if answer.state == NOT_ASKED and answer.question != READ:
                failed.setdefault((answer.subject, answer.question), answer.reason)
        for (subject, question), reason in failed.items():
            yield Barred(self.config, subject, question, reason)

    def _barred_files(self) -> Iterator[Barred]:
        """Yield the features of files that cannot be read: those of no file that can be."""
        reads = {answer.control: answer for answer in self.answers if answer.question == READ}
        features = controls.features(self.format)
        fine = [features[name] for name, answer in reads.items() if answer.state != NOT_ASKED]
        common = frozenset(chain.from_iterable(fine))
        first = next(iter(features))
        if first in reads and reads[first].state == NOT_ASKED:
            yield Barred(self.config, "", READ, reads[first].reason)
            return
        for name, answer in reads.items():
            if answer.state == NOT_ASKED:
                for feature in sorted(features[name] - common):
                    yield Barred(self.config, feature, READ, answer.reason)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**vars(self), "answers": [answer._asdict() for answer in self.answers]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Answers:
        """Read the JSON form; raises TypeError and KeyError."""
        return cls(**{**data, "answers": tuple(Answer(**answer) for answer in data["answers"])})


def described(barred: Barred) -> str:
    """Return the question, for people."""
    if barred.question == READ:
        return f"to read files with {barred.subject}" if barred.subject else "to read any file"
    return " ".join(filter(None, (barred.subject, barred.question)))
