"""What a wheel has in place of the files of the cases: one archive (`corpora/packed.py`)."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Hook(BuildHookInterface):
    """Packs the cases of the checkout for a wheel; an editable installation reads them where they are."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the archive, and have the wheel include it."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from corpora import packed  # noqa: PLC0415 - of this checkout

        self._folder = TemporaryDirectory(prefix="colconf-build-")
        archive = Path(self._folder.name, packed.ARCHIVE)
        packed.pack(Path(self.root, "corpora"), archive)
        build_data["force_include"][str(archive)] = f"corpora/{packed.ARCHIVE}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - the interface
        """Remove the archive."""
        if version != "editable":
            self._folder.cleanup()
