"""A clone of an engine's repository, in which one commit after the other is checked out and built.

The repository itself is never changed: the clone shares its objects, and has its own working tree, in which
what a build leaves stays for the next one, as with `git bisect`. The build command is the user's, and runs
with the user's rights.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from corpora.problem import UserError
from harness.listings.text import line

COMMIT_VARIABLE = "COLCONF_COMMIT"
_GIT_SECONDS = 600.0
_LAST_LINES = 3  # of a build's output, in a message


class CheckoutError(UserError):
    """A repository cannot be used; the message is one line."""


@dataclass(frozen=True)
class Commit:
    """A commit: its full id, and the first line of its message."""

    id: str
    title: str

    @property
    def short(self) -> str:
        """Return the beginning of the id."""
        return self.id[:12]

    def __str__(self) -> str:
        return line(f"{self.short} {self.title}")


class BuildError(UserError):
    """A commit does not build; the message is one line."""


def commits(repo: Path, first: str, last: str) -> list[Commit]:
    """Return the commits from `first` to `last`, both included, from old to new; raises CheckoutError.

    They are those of the main line: a merge stands for the commits that it brought in (`--first-parent`).
    """
    if not repo.is_dir():
        raise CheckoutError(f"{repo}: no such folder")
    if _git(repo, "rev-parse", "--git-dir").returncode:
        raise CheckoutError(f"{repo}: no git repository")
    low, high = (_commit(repo, text) for text in (first, last))
    if low == high:
        raise CheckoutError(f"{first} and {last} are the same commit")
    if _git(repo, "merge-base", "--is-ancestor", low.id, high.id).returncode:
        raise CheckoutError(f"{first} is no ancestor of {last}; name the older commit first")
    listed = _output(repo, "log", "--first-parent", "--reverse", "--format=%H %s", f"{low.id}..{high.id}")
    return [low, *(Commit(*text.split(" ", 1)) for text in listed.splitlines())]


def _commit(repo: Path, text: str) -> Commit:
    done = _git(
        repo, "log", "--max-count=1", "--format=%H %s", "--end-of-options", f"{text}^{{commit}}", "--"
    )
    if done.returncode:
        raise CheckoutError(f"{repo} has no commit {text!r:.80}")
    return Commit(*done.stdout.strip().split(" ", 1))


class Checkout:
    """The clone in `folder`, made if it is not there; raises CheckoutError."""

    def __init__(self, repo: Path, folder: Path) -> None:
        self.folder = folder
        self._log = folder.with_name("build.log")
        if not (folder / ".git").is_dir():
            folder.parent.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(folder, ignore_errors=True)  # a clone that was not finished
            _output(repo, "clone", "--quiet", "--shared", "--no-checkout", ".", str(folder.absolute()))

    def build(self, commit: Commit, command: str, variables: Mapping[str, str], seconds: float) -> None:
        """Check a commit out, and run the build command there; raises BuildError and CheckoutError.

        `variables` are set beside ours, and COLCONF_COMMIT. Output goes to `build.log` beside the clone.
        """
        _output(self.folder, "checkout", "--quiet", "--force", "--detach", commit.id)
        env = {**os.environ, **variables, COMMIT_VARIABLE: commit.id}
        with self._log.open("wb") as log:
            process = subprocess.Popen(
                ["sh", "-c", command],
                cwd=self.folder,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                status = process.wait(seconds)
            except subprocess.TimeoutExpired as error:
                raise BuildError(f"the build took longer than {seconds:,.0f} s") from error
            finally:
                _end(process)
        if status:
            raise BuildError(f"the build ended with status {status}: {self._last_lines()}")

    def _last_lines(self) -> str:
        lines = self._log.read_text("utf-8", "replace").splitlines()
        last = [text for text in map(str.strip, lines) if text][-_LAST_LINES:]
        return line(" / ".join(last) or "it printed nothing")[:400]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what is left of a build: also of one that was interrupted, or left processes behind."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _output(folder: Path, *arguments: str) -> str:
    """Return what git prints; raises CheckoutError."""
    done = _git(folder, *arguments)
    if done.returncode:
        raise CheckoutError(f"git {arguments[0]}: {line(done.stderr.strip() or 'no message')}")
    return done.stdout


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # Variables that name another repository, as they are set inside of git's hooks, are not for this one.
    env = {name: value for name, value in os.environ.items() if name not in {"GIT_DIR", "GIT_WORK_TREE"}}
    try:
        return subprocess.run(
            ["git", "-C", str(folder), *arguments],
            env={**env, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_GIT_SECONDS,
            check=False,
        )
    except FileNotFoundError as error:
        raise CheckoutError("git is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise CheckoutError(f"git {arguments[0]} took longer than {_GIT_SECONDS:,.0f} s") from error
