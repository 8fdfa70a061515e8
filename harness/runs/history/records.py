"""What is remembered of a finding, and what one more run says of it.

A finding is told by its signature, in which the version has no part; what is so of it is remembered by
version. Of a version that nobody has seen, the nearest one below says it, or else the nearest above.

| so far        | seen        | seen, and not the third time | its case is fine | listed in `corpora/known` |
|---------------|-------------|------------------------------|------------------|---------------------------|
| nothing       | `new`       | `flaky`                      |                  |                           |
| open          | `known`     | `known`                      | `fixed`          | listed                    |
| fixed, listed | `regressed` | `flaky`                      |                  | listed                    |
| flaky         | `new`       | `flaky`                      | (stays flaky)    | listed                    |

Runs of one night are one session: what is called new in its first run stays new until the session has ended.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from corpora.known_failures import version_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.judging.results import Finding

NEW, KNOWN, REGRESSED, FIXED, FLAKY, LISTED = "new", "known", "regressed", "fixed", "flaky", "listed"
STATES = (NEW, REGRESSED, FLAKY, KNOWN, FIXED)  # as reports name them, the worst first
UNEXPECTED = frozenset({NEW, REGRESSED})
OPEN = "open"
_BY_PUSHDOWN = " | pushdown: "  # the kind of difference, in a signature (`harness/runs/pipeline/store.py`)
_AFTER = {NEW: OPEN, KNOWN: OPEN, REGRESSED: OPEN, FIXED: FIXED, FLAKY: FLAKY, LISTED: LISTED}
_SEEN = {"": NEW, OPEN: KNOWN, FIXED: REGRESSED, LISTED: REGRESSED, FLAKY: NEW}


@dataclass(frozen=True)
class Seen:
    """When a finding was seen: in which run or session, when that began (ISO 8601), in which version."""

    run: str
    at: str
    version: str


@dataclass
class About:
    """What is so of one version: `so_far` before `session`, and what that session `said`."""

    so_far: str
    session: str
    said: str

    @property
    def now(self) -> str:
        """Return what is so after the session."""
        return _AFTER.get(self.said, self.so_far)


@dataclass(frozen=True)
class Smallest:
    """The smallest case of a finding; `probe` is the query that the finding is about, None for the file."""

    case: str
    sha256: str
    format: str
    config: str
    probe: str | None
    size: int


@dataclass
class Record:
    """One finding over all runs; `runs` is the number of sessions in which it was seen.

    `smallest` is None if its case could not be had. `became` is the signature by which its case fails now, ""
    if that is no other. `replayed` is the start of the last session in which its case was looked at.
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

    @staticmethod
    def of(finding: Finding, seen: Seen) -> Record:
        """Return the record of a finding that is seen for the first time."""
        return Record(finding.signature, finding.engine, finding.verdict, seen, seen)

    @property
    def is_open(self) -> bool:
        """Return whether any version fails so, as far as is known."""
        return any(about.now in {OPEN, FLAKY} for about in self.versions.values())

    @property
    def by_pushdown(self) -> bool:
        """Return whether the finding is that an answer is wrong with pushdown, and another one without."""
        return _BY_PUSHDOWN in self.signature

    def saw(self, seen: Seen) -> None:
        """Note that the finding was seen."""
        self.runs += seen.run != self.last.run
        self.last = seen
        about = self._about(seen.version, seen.run)
        if about.said not in {NEW, KNOWN, REGRESSED, FLAKY}:
            about.said = _SEEN[about.so_far]
        self.became = ""

    def wavered(self, version: str, session: str) -> None:
        """Note that the finding was seen, and then not, for all that was the same."""
        about = self._about(version, session)
        if about.so_far != OPEN:
            about.said = FLAKY

    def was_fine(self, version: str, session: str, became: str = "") -> None:
        """Note that its case was read again, and that this problem was not there."""
        about = self._about(version, session)
        if about.so_far == OPEN and not about.said:
            about.said, self.became = FIXED, became

    def was_listed(self, version: str, session: str) -> None:
        """Note that its case fails, as `corpora/known` says that it does."""
        about = self._about(version, session)
        if not about.said:
            about.said = LISTED

    def said(self, version: str, session: str) -> str:
        """Return what the session says of the finding in a version, "" if nothing."""
        about = self.versions.get(version)
        return about.said if about and about.session == session else ""

    def _about(self, version: str, session: str) -> About:
        about = self.versions.get(version)
        if about is None:
            about = self.versions[version] = About(self._nearest(version), session, "")
        elif about.session != session:
            about = self.versions[version] = About(about.now, session, "")
        return about

    def so_far(self, version: str) -> str:
        """Return what is so of a version: `open`, `fixed`, `flaky`, `listed`, or "" if nothing is known."""
        about = self.versions.get(version)
        return about.now if about else self._nearest(version)

    def _nearest(self, version: str) -> str:
        """Return what is so of a version that nobody has seen."""
        wanted = version_key(version)
        known = sorted(self.versions, key=version_key)
        below = [one for one in known if version_key(one) <= wanted]
        nearest = below[-1] if below else known[0] if known else None
        return self.versions[nearest].now if nearest else ""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Record:
        """Read the JSON form; raises TypeError and KeyError for anything else."""
        smallest = data["smallest"]
        return Record(
            **{
                **data,
                "first": Seen(**data["first"]),
                "last": Seen(**data["last"]),
                "versions": {version: About(**about) for version, about in data["versions"].items()},
                "smallest": Smallest(**smallest) if smallest else None,
            }
        )
