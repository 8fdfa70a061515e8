"""The detail of a row of results, and its JSON form, which `results.ndjson` holds.

Versions of the form only ever add: a key that an older version lacks is read as its default here, and a key
that is not known is ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import NoneType
from typing import Any, NamedTuple, Self

from corpora.cases import CERTAIN, MUST
from harness.judging.order import Order
from harness.judging.verdicts import Cost


class RecordedExpectation(NamedTuple):
    """The expectation of a case without its table; all None for a file that no engine was to read.

    `certainty` is None for `certain`, too. `has_table` is None of kinds other than `either`, and in older
    results: without a table, any values pass.
    """

    kind: str | None = None
    source: str | None = None
    rule: str | None = None
    clause: str | None = None
    reason: str | None = None
    votes: str | None = None
    certainty: str | None = None
    why: str | None = None
    breach: str | None = None
    writer: str | None = None
    has_table: bool | None = None

    def to_json(self) -> dict[str, str | bool | None]:
        """Return the JSON form; without certainty and why if the expectation was recorded.

        Only a file that breaks a rule and is still read has a breach, and its writer. Only of a file that may
        be read or refused it says whether there is a table.
        """
        data = self._asdict()
        if self.breach is None:
            del data["breach"], data["writer"]
        if self.certainty in {None, CERTAIN} and self.why is None:
            del data["certainty"], data["why"]
        if self.has_table is None:
            del data["has_table"]
        return data


class ProbeCounts(NamedTuple):
    """Counts of queries: all, and those that were unsupported, misled, not run, or refused by choice.

    A misled result lacks the rows that false statistics in the file exclude, as the result of a reader that
    skips rows may. A query is refused by choice if the engine may either refuse or run it.
    """

    queries: int = 0
    unsupported: int = 0
    misled: int = 0
    not_asked: int = 0
    by_choice: int = 0

    def to_json(self) -> dict[str, int]:
        """Return the JSON form, which has `not_asked` and `by_choice` where there are some."""
        data = {"asked": self.queries, "unsupported": self.unsupported, "misled": self.misled}
        some = {"not_asked": self.not_asked, "by_choice": self.by_choice}
        return {**data, **{name: count for name, count in some.items() if count}}

    @classmethod
    def from_json(cls, data: Mapping[str, int]) -> Self:
        """Read the JSON form; raises KeyError."""
        later = (data.get(name, 0) for name in ("misled", "not_asked", "by_choice"))
        return cls(data["asked"], data["unsupported"], *later)


NO_PROBES = ProbeCounts()


class KnownReason(NamedTuple):
    """Why a failure is known, and where that is reported."""

    reason: str
    url: str


@dataclass(frozen=True)
class RowDetail:
    """The detail of a row; the fields from `error_class` to `step` are those of its outcome.

    `probe` is the text of the query whose answer the verdict is about, None if it is about the whole file.
    `read` is then the outcome of reading the whole file, "" if that was a table.
    `difference` has `path`, `expected`, `actual`, `kind`. `signature` is that of a finding, else "";
    `known_bug` names the known failure of other cases that it looks like, else "". `order` says what was read
    before, of an answer that depends on it. `level` is that of the case's clause. `cost` is that of an
    amplified answer. `options` are the drawn ones under which an engine wrote the file, None for other files.
    `others` counts the other queries of the case that the engine fails, known failures left out, where the
    row is about a query; `other_queries` names the first. `column_features` are those of the columns
    that a problem is about: of the one that differs, or else of those that the query tests.
    """

    file: str = ""
    expectation: RecordedExpectation = field(default_factory=RecordedExpectation)
    features: tuple[str, ...] = ()
    error_class: str = ""
    message: str = ""
    phase: str = ""
    signal: int | None = None
    exit_status: int | None = None
    stderr: str = ""
    origin: str = ""
    step: str = ""
    difference: dict[str, str] | None = None
    equivalences: tuple[str, ...] = ()
    probe: str | None = None
    read: str = ""
    probes: ProbeCounts = NO_PROBES
    known: KnownReason | None = None
    finding: bool = False
    signature: str = ""
    known_bug: str = ""
    order: Order | None = None
    level: str = MUST
    cost: Cost | None = None
    options: dict[str, Any] | None = None
    others: int = 0
    other_queries: tuple[str, ...] = ()
    column_features: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, which lacks most of the fields at their defaults."""
        data = {
            **vars(self),
            "expectation": self.expectation.to_json(),
            "features": list(self.features),
            "equivalences": list(self.equivalences),
            "probes": self.probes.to_json(),
            "known": self.known and self.known._asdict(),
            "order": self.order and self.order.to_json(),
            "cost": self.cost and self.cost._asdict(),
            "other_queries": list(self.other_queries),
            "column_features": list(self.column_features),
        }
        if not self.others:
            del data["others"], data["other_queries"]
        for name in ("read", "signature", "known_bug", "origin", "step", "order", "cost", "column_features"):
            if not data[name]:
                del data[name]
        if self.options is None:
            del data["options"]
        if self.level == MUST:
            del data["level"]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON form; raises TypeError, KeyError and AttributeError."""
        for name, types in _DOCUMENTED.items():
            if not isinstance(data.get(name, ...), types):
                raise TypeError(f"{name} of its detail is not as documented")
        known = data["known"]
        parsed = {
            "expectation": RecordedExpectation(*map(data["expectation"].get, RecordedExpectation._fields)),
            "features": tuple(data["features"]),
            "equivalences": tuple(data["equivalences"]),
            "probes": ProbeCounts.from_json(data["probes"]) if "probes" in data else NO_PROBES,
            "known": KnownReason(*map(known.get, KnownReason._fields)) if known else None,
            "order": Order.from_json(data["order"]) if data.get("order") else None,
            "cost": Cost(**data["cost"]) if data.get("cost") else None,
            "other_queries": tuple(data.get("other_queries", ())),
            "column_features": tuple(data.get("column_features", ())),
        }
        return cls(**{name: data[name] for name in _FIELDS if name in data} | parsed)


_FIELDS = tuple(entry.name for entry in fields(RowDetail))
_DOCUMENTED: dict[str, tuple[type, ...]] = {
    "expectation": (dict,),
    "features": (list,),
    "equivalences": (list,),
    "difference": (dict, NoneType),
    "known": (dict, NoneType),
}
