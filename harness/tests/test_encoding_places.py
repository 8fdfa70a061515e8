"""What CONTRIBUTING.md says of an encoding is so: the places that it lists are those that name one."""

from __future__ import annotations

import re

from harness.tests.pages import PACKAGES, ROOT

_EXAMPLE = re.compile(r"BYTE.STREAM.SPLIT|PQ-BSS", re.IGNORECASE)  # and its rules
# Where the example stands though an encoding need not be added there, and why.
_MENTIONED = {
    "corpora/build/areas/encodings.py": "cases of the widths of vectors, which matter for this encoding",
    "corpora/build/areas/pages.py": "a case of pages with several encodings",
    "harness/investigate/upgrade/causes.toml": "what releases say of it",
    "reports/claims.py": "an example of a claim",
}
# Cases and known failures: what is checked in about files, and not what handles them.
_DATA = ("corpora/known/", "corpora/importers/")


def places() -> set[str]:
    """Return the modules and tables that name the example, but tests, cases and known failures."""
    found = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*"):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix not in {".py", ".toml"} or "/tests/" in name or name.startswith(_DATA):
                continue
            if _EXAMPLE.search(path.read_text("utf-8")):
                found.add(name)
    return found


def listed() -> set[str]:
    """Return the paths in the row "an encoding" of CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    (row,) = [line for line in text.splitlines() if line.startswith("| an encoding |")]
    touched = row.split("|")[2].replace("<name>", "byte_stream_split")
    return {path for path in re.findall(r"`([^`]+)`", touched) if path.endswith((".py", ".toml"))}


def test_contributing_lists_the_places() -> None:
    """Each place that names BYTE_STREAM_SPLIT, or its rules, is in the row, or has a reason why not."""
    assert places() - set(_MENTIONED) == listed()
    assert set(_MENTIONED) <= places()
