"""Where colconf keeps what it can make again: `$COLCONF_CACHE`, or the platform's cache folder."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

VARIABLE = "COLCONF_CACHE"


def folder() -> Path:
    """Return colconf's cache folder, which need not be there."""
    given = os.environ.get(VARIABLE)
    return Path(given).expanduser().absolute() if given else platformdirs.user_cache_path("colconf")
