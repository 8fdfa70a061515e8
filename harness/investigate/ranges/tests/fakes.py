"""A fake engine of many versions; the variable FAKE_VERSION says which of them a child is.

Its failures are named by the files that show them.
"""

from __future__ import annotations

import os
from pathlib import Path

from harness.tests.fakes import Healthy, WrongValue

WRONG = {  # the versions that answer a wrong value
    "always": range(1, 11),
    "three-to-seven": range(3, 8),
    "from-eight": range(8, 11),
    "until-four": range(1, 5),
    "vanishes": (1, 2, 3, 4, 5, 8, 9, 10),
    "refused-before": range(6, 11),
}
_HURT = "FAKE_HURTS"  # a version whose adapter is broken


class Versioned(Healthy):
    """An engine of the version; it notes what it is asked in the folder above the files."""

    name = "polars"

    def version(self):
        """Return the version."""
        return os.environ["FAKE_VERSION"]

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        """Return a right or a wrong table, or refuse."""
        version, name = int(self.version()), Path(file).name
        with (Path(file).parent.parent / "asked").open("a") as notes:
            notes.write(f"{os.getpid()} {version} {name}\n")
        if self.version() == os.environ.get(_HURT):
            raise TypeError("read() got an unexpected keyword argument 'columns'")
        if name == "refused-before" and version < 6:
            raise ValueError("this is not the failure that is meant")
        if name == "worded-anew":
            raise ValueError(
                f"page {version} of column x ends early" if version > 4 else "column x ends early, in a page"
            )
        if name == "another-reason":
            raise ValueError("column x ends early" if version > 4 else "codec is not supported by this build")
        if name == "crashes" and version == 4:
            os.abort()
        wrong = version in WRONG.get(name, ()) or (name == "crashes" and version > 4)
        return (WrongValue if wrong else Healthy).read(self, file, format, config)
