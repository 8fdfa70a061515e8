"""The stored state of a finding, and how one more run changes it.

A finding is identified by its signature, which has no version; its state is stored per engine version. A
version without a state takes that of the nearest lower version, or else of the nearest higher one.

| so far        | seen        | seen, and not each time | its case is fine | listed in `corpora/known` |
|---------------|-------------|-------------------------|------------------|---------------------------|
| nothing       | `new`       | `intermittent`          |                  |                           |
| open          | `known`     | `known`                 | `fixed`          | listed                    |
| fixed, listed | `regressed` | `intermittent`          |                  | listed                    |
| flaky         | `new`       | `intermittent`          | (stays flaky)    | listed                    |

A crash, a hang or wrong rows are a problem however rarely they show: an intermittent finding fails the run,
and its record counts how many reads showed it. In the version that showed it, it stays open for ever; in
another, it is fixed after so many fine reads that they would hardly miss it (`harness/judging/odds.py`).
Where only the kind of the error differs from read to read, the state is `flaky` in place of `intermittent`.

The runs of a night are one session: a finding that is new in its first run stays new until the session ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from corpora.versions import version_key
from harness.judging.odds import ALWAYS, Share
from harness.judging.results import Finding

NEW, KNOWN, REGRESSED, FIXED, FLAKY, LISTED = "new", "known", "regressed", "fixed", "flaky", "listed"
INTERMITTENT = "intermittent"
STATES = (NEW, REGRESSED, INTERMITTENT, FLAKY, KNOWN, FIXED)  # as reports name them, the worst first
UNEXPECTED = frozenset({NEW, REGRESSED, INTERMITTENT})
EXPECTED = frozenset({KNOWN, FLAKY})  # findings that a run shows and its exit status passes over
OPEN = "open"
_BY_PUSHDOWN = " | pushdown: "  # the kind of difference, in a signature (`harness/runs/pipeline/store.py`)
_AFTER = dict.fromkeys((NEW, KNOWN, REGRESSED, INTERMITTENT), OPEN) | {
    state: state for state in (FIXED, FLAKY, LISTED)
}
_SEEN = {"": NEW, OPEN: KNOWN, FIXED: REGRESSED, LISTED: REGRESSED, FLAKY: NEW}


@dataclass(frozen=True)
class Seen:
    """An observation of a finding: the run or session, its start (ISO 8601) and the engine version."""

    run: str
    at: str
    version: str


@dataclass
class About:
    """The state in one version: `so_far` before `session`, and the `state` that the session reports.

    `share` counts the reads of an intermittent finding, `fine` those without it since it last showed.
    """

    so_far: str
    session: str
    state: str
    share: Share = ALWAYS
    fine: int = 0

    @property
    def now(self) -> str:
        """Return the state after the session."""
        return _AFTER.get(self.state, self.so_far)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, in which only intermittent findings have counts."""
        data = {"so_far": self.so_far, "session": self.session, "said": self.state}
        counts = {**self.share._asdict(), "fine": self.fine}
        return {**data, **(counts if any(counts.values()) else {})}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> About:
        """Read the JSON form; raises TypeError and KeyError for anything else."""
        share = Share(data.get("failed", 0), data.get("reads", 0))
        return About(data["so_far"], data["session"], data["said"], share, data.get("fine", 0))


@dataclass(frozen=True)
class Smallest:
    """The smallest case of a finding; `probe` is the query that fails, None for the whole file."""

    case: str
    sha256: str
    format: str
    config: str
    probe: str | None
    size: int


@dataclass
class Record:
    """One finding over all runs; `runs` is the number of sessions in which it was seen.

    `smallest` is None if its case could not be stored. `became` is the signature with which the case fails
    now, "" if the signature is unchanged. `replayed` is the start of the last session that replayed its case,
    `replayed_by` that session's id.
    """

    signature: str
    engine: str
    verdict: str
    first: Seen
    last: Seen
    runs: int = 1
    versions: dict[str, About] = field(default_factory=dict)
    smallest: Smallest | None = None
    became: str = ""
    replayed: str = ""
    replayed_by: str = ""

    @staticmethod
    def of(finding: Finding, seen: Seen) -> Record:
        """Return the record of a finding that was observed for the first time."""
        return Record(finding.signature, finding.engine, finding.verdict, seen, seen)

    @property
    def is_open(self) -> bool:
        """Return whether the finding is open or flaky in any version."""
        return any(about.now in {OPEN, FLAKY} for about in self.versions.values())

    @property
    def share(self) -> Share:
        """Return how often the finding showed in the versions that showed it now and then."""
        return sum((about.share for about in self.versions.values() if about.share.failed), Share())

    def share_in(self, version: str) -> Share:
        """Return how often the finding showed in a version, 0 of 0 if each time or never."""
        about = self.versions.get(version)
        return about.share if about and about.share.is_intermittent else Share()

    @property
    def by_pushdown(self) -> bool:
        """Return whether the answers with and without pushdown differ."""
        return _BY_PUSHDOWN in self.signature

    def saw(self, seen: Seen) -> None:
        """Record that the finding was observed."""
        self.runs += seen.run != self.last.run
        self.last = seen
        about = self._about(seen.version, seen.run)
        if about.state not in {NEW, KNOWN, REGRESSED, FLAKY, INTERMITTENT}:
            about.state = _SEEN[about.so_far]
        about.fine = 0
        self.became = ""

    def wavered(self, version: str, session: str, share: Share) -> None:
        """Record that `share` of the reads under the same conditions showed the finding."""
        about = self._about(version, session)
        if about.so_far != OPEN:
            about.state = INTERMITTENT
        about.share += share

    def changed_text(self, version: str, session: str) -> None:
        """Record that another read of the case was refused with an error of another kind."""
        about = self._about(version, session)
        if about.so_far != OPEN:
            about.state = FLAKY

    def was_fine(self, version: str, session: str, became: str = "") -> None:
        """Record that its case was read again without this problem, but with the problem `became` if any."""
        about = self._about(version, session)
        if about.so_far != OPEN or about.state:
            return
        if self.share.is_intermittent:
            if became:  # the same problem in another form
                return
            about.fine += 1
            if about.share.failed:
                about.share += Share(0, 1)
                return
            if not self.share.is_gone(about.fine):
                return
        about.state, self.became = FIXED, became

    def was_listed(self, version: str, session: str) -> None:
        """Record that its case fails as listed in `corpora/known`."""
        about = self._about(version, session)
        if not about.state:
            about.state = LISTED

    def state_in(self, version: str, session: str) -> str:
        """Return the state that a session reports for a version, "" if none."""
        about = self.versions.get(version)
        return about.state if about and about.session == session else ""

    def _about(self, version: str, session: str) -> About:
        about = self.versions.get(version)
        if about is None:
            about = self.versions[version] = About(self._nearest(version), session, "")
        elif about.session != session:
            about = self.versions[version] = replace(about, so_far=about.now, session=session, state="")
        return about

    def so_far(self, version: str) -> str:
        """Return the state of a version: `open`, `fixed`, `flaky`, `listed`, or "" for none."""
        about = self.versions.get(version)
        return about.now if about else self._nearest(version)

    def _nearest(self, version: str) -> str:
        """Return the state that a version without a state takes from the nearest version."""
        wanted = version_key(version)
        known = sorted(self.versions, key=version_key)
        below = [candidate for candidate in known if version_key(candidate) <= wanted]
        nearest = below[-1] if below else known[0] if known else None
        return self.versions[nearest].now if nearest else ""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        versions = {version: about.to_json() for version, about in self.versions.items()}
        return {**asdict(self), "versions": versions}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Record:
        """Read the JSON form; raises TypeError and KeyError for anything else."""
        smallest = data["smallest"]
        return Record(
            **{
                **data,
                "first": Seen(**data["first"]),
                "last": Seen(**data["last"]),
                "versions": {version: About.from_json(about) for version, about in data["versions"].items()},
                "smallest": Smallest(**smallest) if smallest else None,
            }
        )
