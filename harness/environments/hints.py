"""Requirements of releases that are missing in their metadata: supported Pythons and packages.

Everything else comes from the release itself: its wheels tell the supported Pythons, its requirements the
packages, and its upload date the versions of packages that its users had then.
"""

from __future__ import annotations

from packaging.specifiers import SpecifierSet

from harness.engines.entry import Hint
from harness.engines.registry import ENGINES

_NO_HINT = Hint("", None, (), "")


def hint(package: str, version: str) -> Hint:
    """Return the hint for a release of a package, an empty hint without one."""
    for entry in ENGINES.values():
        for candidate in entry.hints if entry.packages[:1] == (package,) else ():
            if SpecifierSet(candidate.versions, prereleases=True).contains(version):
                return candidate
    return _NO_HINT
