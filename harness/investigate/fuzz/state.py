"""The state of a campaign against engines: `engines.json` of its folder."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from corpora.files import write_whole
from harness.judging.results import ResultsError
from harness.judging.signature import Stored

FILE = "engines.json"
VERSION = 1
MEND = "restore it from a copy, or give another --out: what was found stays in `files`"


@dataclass
class Standing:
    """The counts of an engine in one configuration; `seconds` are those of its answers."""

    files: int = 0
    seconds: float = 0.0
    known: int = 0
    verdicts: dict[str, int] = field(default_factory=dict)

    def add(self, row: Stored) -> None:
        """Count a row."""
        self.files += 1
        self.seconds += row.row.seconds
        self.known += row.row.detail.known is not None
        self.verdicts[row.row.verdict] = self.verdicts.get(row.row.verdict, 0) + 1


@dataclass
class CampaignState:
    """The state of a campaign over all its runs; `futures`: engine, feature, grade.

    `closed` holds the signatures of findings that no longer reproduced when the campaign was continued.
    """

    batches: int = 0
    files: int = 0
    seconds: float = 0.0
    left_out: int = 0
    reference_lost: int = 0
    engines: dict[str, Standing] = field(default_factory=dict)
    futures: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    features_done: list[str] = field(default_factory=list)
    news: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)

    def save(self, out: Path) -> None:
        """Write the state, whole or not at all."""
        write_whole(out / FILE, json.dumps({"format_version": VERSION, **asdict(self)}, indent=1) + "\n")


def load_state(out: Path) -> CampaignState:
    """Return the state of the campaign in a folder; raises ResultsError and OSError."""
    if not (out / FILE).exists():
        return CampaignState()
    path = out / FILE
    try:
        data: dict[str, Any] = json.loads(path.read_bytes())
        if (version := data.pop("format_version")) != VERSION:
            raise ValueError(f"format version {version!r:.40}; this is {VERSION}")  # noqa: TRY301 - one message for all
        engines = {name: Standing(**standing) for name, standing in data.pop("engines").items()}
        return CampaignState(**data, engines=engines)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ResultsError(f"{path}: damaged ({error}); {MEND}") from error
