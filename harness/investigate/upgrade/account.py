"""The account of an upgrade as it lies in its folder, for everyone who reads it (`upgrade.json`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.judging.results import ResultsError

SCHEMA_VERSION = 1
FILE = "upgrade.json"


def load(out: Path) -> dict[str, Any]:
    """Read the account in a folder; raises ResultsError if there is none, or one of another version."""
    try:
        account = json.loads((out / FILE).read_bytes())
    except FileNotFoundError as error:
        raise ResultsError(f"{out}: no account of an upgrade is here (no {FILE})") from error
    except (OSError, ValueError, RecursionError) as error:
        raise ResultsError(f"{out / FILE}: cannot be read: {error}") from error
    version = account.get("schema_version") if isinstance(account, dict) else None
    if version != SCHEMA_VERSION:
        raise ResultsError(f"{out}: an account of schema version {version!r:.40}; this is {SCHEMA_VERSION}")
    return dict(account)
