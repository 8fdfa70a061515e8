"""The folder for files that colconf can build again: `$COLCONF_CACHE`, or the platform's cache folder."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

VARIABLE = "COLCONF_CACHE"


def folder() -> Path:
    """Return colconf's cache folder, which may not exist yet."""
    given = os.environ.get(VARIABLE)
    return Path(given).expanduser().absolute() if given else platformdirs.user_cache_path("colconf")
