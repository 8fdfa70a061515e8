"""What the metadata of a release does not say: which Pythons and which packages it was made for.

Everything else comes from the release itself: its wheels say which Pythons it supports, its own requirements
what it needs, and its upload date which versions of them its users had then.
"""

from __future__ import annotations

from typing import NamedTuple

from packaging.specifiers import SpecifierSet


class Hint(NamedTuple):
    """Of releases in `versions`: the newest Python, and bounds of packages beside them; `url` says so."""

    versions: str
    newest_python: tuple[int, int] | None
    bounds: tuple[str, ...]
    url: str


_NO_HINT = Hint("", None, (), "")
# pyspark has no wheels, and takes any newer Python; its classifiers and its installation page tell which it
# was made for, its setup.py the oldest pandas and pyarrow. pandas 2 and numpy 2 took away what it calls.
_SPARK = (
    Hint(
        ">=3.2,<3.3",
        (3, 9),
        ("numpy<1.24", "pandas<2", "pyarrow<13"),
        "https://spark.apache.org/docs/3.2.4/api/python/getting_started/install.html",
    ),
    Hint(
        ">=3.3,<3.4",
        (3, 10),
        ("numpy<1.24", "pandas<2", "pyarrow<15"),
        "https://spark.apache.org/docs/3.3.4/api/python/getting_started/install.html",
    ),
    Hint(
        ">=3.4,<4",
        (3, 11),
        ("numpy<2", "pandas<3"),
        "https://spark.apache.org/docs/3.5.3/api/python/getting_started/install.html",
    ),
    Hint(
        ">=4.0.0.dev0,<4.1",
        (3, 13),
        ("pandas<3",),
        "https://spark.apache.org/docs/4.0.0/api/python/getting_started/install.html",
    ),
    Hint(
        ">=4.1.0.dev0",
        None,
        ("pandas<3",),
        "https://spark.apache.org/docs/latest/api/python/getting_started/install.html",
    ),
)
# What Spark itself needs of them for Arrow (sql/pandas/utils.py, `require_minimum_…_version`).
_HINTS = {"pyspark": _SPARK}


def hint(package: str, version: str) -> Hint:
    """Return what is known of a release of a package; a hint without bounds if nothing is."""
    for one in _HINTS.get(package, ()):
        if SpecifierSet(one.versions, prereleases=True).contains(version):
            return one
    return _NO_HINT
