"""What the metadata of a release does not say: which Pythons and which packages it was made for.

Everything else comes from the release itself: its wheels say which Pythons it supports, its own requirements
what it needs, and its upload date which versions of them its users had then.
"""

from __future__ import annotations

from packaging.specifiers import SpecifierSet

from harness.engines.entry import Hint
from harness.engines.registry import ENGINES

_NO_HINT = Hint("", None, (), "")


def hint(package: str, version: str) -> Hint:
    """Return what is known of a release of a package; a hint without bounds if nothing is."""
    for entry in ENGINES.values():
        for candidate in entry.hints if entry.packages[:1] == (package,) else ():
            if SpecifierSet(candidate.versions, prereleases=True).contains(version):
                return candidate
    return _NO_HINT
