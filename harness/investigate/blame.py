"""The commit of an engine that began or ceased to fail: the search over releases, over commits instead.

The states of commits are written into the folder of the search as they become known, so that the same search
continues where it was interrupted. A commit that does not build, or whose engine does not start, is skipped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpora.files import write_whole
from corpora.problem import UserError
from harness.children.connection import Limits
from harness.environments.availability import as_built
from harness.investigate.bisect import Bisection, State, search
from harness.investigate.builds import Built
from harness.investigate.checkout import BuildError, Checkout, Commit
from harness.investigate.suspects import Suspect, SuspectError, ask

FILE = "blame.json"


class BlameError(UserError):
    """A search cannot be done, or continued; the message is one line."""


@dataclass
class Memory:
    """The states of commits so far, in a file of the folder of the search.

    `request` is what decides the states; raises BlameError for the file of another request.
    """

    file: Path
    request: Mapping[str, Any]
    states: dict[str, tuple[State, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.file.exists():
            return
        try:
            stored = json.loads(self.file.read_bytes())
            request = stored["request"]
            self.states = {
                commit: (State(state["state"]), str(state["said"]))
                for commit, state in stored["commits"].items()
            }
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BlameError(f"{self.file}: not the file of a search; name another folder") from error
        if request != dict(self.request):
            differs = next((key for key in self.request if request.get(key) != self.request[key]), "request")
            raise BlameError(f"{self.file.parent}: holds a search with another {differs}; name another --out")

    def add(self, commit: Commit, state: State, message: str) -> None:
        """Record the state of a commit."""
        self.states[commit.id] = state, message
        commits = {key: {"state": known.value, "said": text} for key, (known, text) in self.states.items()}
        write_whole(self.file, json.dumps({"request": self.request, "commits": commits}, indent=2) + "\n")


@dataclass(frozen=True)
class Builder:
    """What makes an engine of a commit: the clone, the build command, and how the engine is started."""

    checkout: Checkout
    command: str
    seconds: float
    built: Built
    variables: Mapping[str, str]
    limits: Limits

    @contextmanager
    def engine(self, commit: Commit) -> Iterator[str]:
        """Yield the version of a commit's engine, whose name means this build; raises BuildError."""
        self.checkout.build(commit, self.command, self.variables, self.seconds)
        status = self.built.status(commit, self.limits)
        with as_built(status):
            yield status.version


def blame(
    commits: list[Commit],
    builder: Builder,
    suspect: Suspect,
    memory: Memory,
    say: Callable[[str], object],
    *,
    every: bool = False,
) -> Bisection:
    """Return where the failure begins or ends among commits from old to new."""
    by_id = {commit.id: commit for commit in commits}

    def state(commit_id: str) -> State:
        commit = by_id[commit_id]
        known = commit_id in memory.states
        if not known:
            memory.add(commit, *_state(commit, builder, suspect))
        result, message = memory.states[commit_id]
        say(f"{commit}: {result} ({message}{', from the earlier search' if known else ''})")
        return result

    known = [commit.id for commit in commits if commit.id in memory.states]
    return search([commit.id for commit in commits], state, every=every, cheap=known)


def _state(commit: Commit, builder: Builder, suspect: Suspect) -> tuple[State, str]:
    try:
        with builder.engine(commit) as version:
            state, description = ask(suspect, suspect.entry.engine, "", builder.limits)
            return state, f"version {version}: {description}"
    except BuildError as error:
        return State.SKIPPED, str(error)


def first_finding(
    commits: list[Commit], builder: Builder, look: Callable[[], Suspect], say: Callable[[str], object]
) -> Suspect:
    """Return the first finding of a case with the newest commit, or else the oldest; raises BlameError."""
    replies = []
    for commit in (commits[-1], commits[0]):
        try:
            with builder.engine(commit):
                return look()
        except (BuildError, SuspectError) as error:
            replies.append(f"{commit.short}: {error}")
            say(replies[-1])
    raise BlameError(f"no finding to look for: {'; '.join(replies)}")
