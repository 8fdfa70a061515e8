"""The issues that `corpora/known` names, their state upstream, and issues that were filed.

States come from a file, or from the API of a GitHub, whose answers can be saved as such a file:

    {"https://github.com/apache/arrow/issues/43745": {"state": "closed", "fixed_in": "25.0.0", "title": "…"}}

`state` is `open`, `closed` or `merged`; `fixed_in` is the first release with the fix, "" if it is not known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from corpora.files import write_whole
from corpora.known_failures import Entry
from corpora.problem import UserError
from corpora.versions import version_in

_ISSUE = re.compile(r"https://github\.com/([\w.-]+)/([\w.-]+)/(?:issues|pull)/([0-9]+)")
_VERSION = re.compile(r"v?([0-9]+(?:\.[0-9]+)+)")
_STATES = ("open", "closed", "merged")
UNKNOWN = "unknown"


class UpstreamError(UserError):
    """A file of states or of filed issues is not of its form; the message is one line."""


class State(NamedTuple):
    """The state of an issue: `open`, `closed`, `merged` or UNKNOWN; `fixed_in` is a release, or ""."""

    state: str = UNKNOWN
    fixed_in: str = ""
    title: str = ""


class Issue(NamedTuple):
    """An issue, the engines whose entries name it, its state, and the entries that can end."""

    url: str
    engines: tuple[str, ...]
    entries: int
    state: State
    ends: tuple[str, ...]


def issues(entries: Iterable[Entry], states: Mapping[str, State]) -> list[Issue]:
    """Return the issues that entries name, by address.

    An entry can end at the release with the fix if it covers that release: its versions then lack a bound.
    """
    by_url: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.url:
            by_url.setdefault(entry.url, []).append(entry)
    listed = []
    for url, named in sorted(by_url.items()):
        state = states.get(url, State())
        ends = [
            f"{entry.engine}: {entry.case} ({entry.versions or 'all versions'}): add <{state.fixed_in}"
            for entry in named
            if state.fixed_in and state.state != "open" and version_in(state.fixed_in, entry.versions)
        ]
        engines = tuple(sorted({entry.engine for entry in named}))
        listed.append(Issue(url, engines, len(named), state, tuple(dict.fromkeys(ends))))
    return listed


def read(path: Path) -> dict[str, State]:
    """Return the states that a file holds; raises UpstreamError and OSError."""
    try:
        data = json.loads(path.read_text("utf-8"))
        states = {str(url): State(**fields) for url, fields in data.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise UpstreamError(f"{path}: is no file of the states of issues: {error}") from error
    for url, state in states.items():
        if state.state not in {*_STATES, UNKNOWN} or not all(isinstance(field, str) for field in state):
            raise UpstreamError(
                f"{path}: {url!r:.120} has state {state.state!r:.40}, not {', '.join(_STATES)}"
            )
    return states


def save(path: Path, states: Mapping[str, State]) -> None:
    """Write states as a file that `read` takes; raises OSError."""
    content = {url: state._asdict() for url, state in sorted(states.items())}
    write_whole(path, json.dumps(content, indent=1) + "\n")


def ask(urls: Iterable[str], api: str, get: Callable[[str], Any]) -> Iterator[tuple[str, State]]:
    """Yield the state of each issue of a GitHub, by its API; other addresses are passed over.

    `get` returns the JSON of an address. https://docs.github.com/rest/issues/issues#get-an-issue: a pull
    request is an issue, too, and `merged_at` says whether it was merged. A milestone that is a version is the
    release.
    """
    for url in urls:
        match = _ISSUE.fullmatch(url)
        if match is None:
            continue
        owner, name, number = match.groups()
        reply = get(f"{api.rstrip('/')}/repos/{owner}/{name}/issues/{number}")
        pull = reply.get("pull_request") or {}
        state = "merged" if pull.get("merged_at") else str(reply.get("state"))
        milestone = _VERSION.fullmatch(str((reply.get("milestone") or {}).get("title", "")))
        fixed = milestone[1] if milestone and state != "open" else ""
        yield url, State(state if state in _STATES else UNKNOWN, fixed, str(reply.get("title", "")))


class Ledger:
    """The issues that were filed, by the signature of the finding, in a file."""

    def __init__(self, path: Path) -> None:
        """Read the file, if it is there; raises UpstreamError and OSError."""
        self._path = path
        self._filed: dict[str, str] = {}
        if path.exists():
            try:
                data = json.loads(path.read_text("utf-8"))
                self._filed = {str(signature): str(url) for signature, url in data["filed"].items()}
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise UpstreamError(f"{path}: is no file of filed issues: {error}") from error

    def url_of(self, signature: str) -> str:
        """Return the address of the issue of a finding, "" if none was filed."""
        return self._filed.get(signature, "")

    def add(self, signature: str, url: str) -> None:
        """Note an issue, at once; raises OSError."""
        self._filed[signature] = url
        write_whole(self._path, json.dumps({"filed": self._filed}, indent=1) + "\n")
