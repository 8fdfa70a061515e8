"""`python -m corpora.build [FOLDER]` writes the cases of legal files."""

from __future__ import annotations

import sys
from pathlib import Path

from corpora.build import areas, make, store

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else store.FOLDER
print(store.write(make.all_of(areas.recipes()), folder), "cases", file=sys.stderr)
