"""The addresses of the site's pages, computed only from ids, so that links to a page remain valid.

An id whose segments are plain stands in the address as it is (`cases/parquet/page/rows/1.html`); any other,
which may be hostile, stands as a digest. Addresses are relative to the site's root. No two differ by case
alone: many file systems hold only one of such files. Small letters are plain; in ids of rules, capital ones.
"""

from __future__ import annotations

import hashlib
import re

_PLAIN = re.compile(r"(?!.*\.html(/|$))[a-z0-9_=+@][a-z0-9_.=+@-]*(/[a-z0-9_=+@][a-z0-9_.=+@-]*)*", re.ASCII)
_RULE = re.compile(r"[A-Z]+(-[A-Z0-9]+)+", re.ASCII)
_LONGEST = 160


def slug(identity: str) -> str:
    """Return the id if it is safe as a path of a site and of any file system, else a digest of it."""
    if len(identity) <= _LONGEST and _PLAIN.fullmatch(identity) and not identity.startswith("x-"):
        return identity
    return "x-" + digest(identity)


def digest(identity: str) -> str:
    """Return a short digest of any text, lone surrogates included."""
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def case(identity: str) -> str:
    """Return the address of a case's page."""
    return f"cases/{slug(identity)}.html"


def engine(name: str) -> str:
    """Return the address of an engine's page."""
    return f"engines/{slug(name)}.html"


def feature(identity: str) -> str:
    """Return the address of a feature's page."""
    return f"features/{slug(identity)}.html"


def rule(identity: str) -> str:
    """Return the address of a rule's page."""
    is_plain = len(identity) <= _LONGEST and _RULE.fullmatch(identity)
    return f"rules/{identity if is_plain else 'x-' + digest(identity)}.html"


def finding(identity: str) -> str:
    """Return the address of a finding's page: that of its id or, without one, of its signature."""
    return f"findings/{slug(identity)}.html"


def run(identity: str) -> str:
    """Return the address of a run's page."""
    return f"runs/{slug(identity)}.html"
