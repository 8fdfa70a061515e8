"""The pages for people: README, docs/, ARCHITECTURE and CONTRIBUTING, their commands, links and paths."""

from __future__ import annotations

import itertools
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("reference_impl", "corpora", "properties", "harness", "reports")
FOLDERS = (*PACKAGES, "docs", ".github")
DOCS = sorted((ROOT / "docs").glob("*.md"))
_NAMES = (
    *("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"),
    *("harness/runs/pipeline/README.md", "harness/investigate/anonymize/README.md"),
)
PAGES = [*(ROOT / name for name in _NAMES), *DOCS]
_BLOCK = re.compile(r"^```([a-z]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_PATH = re.compile(r"[\w.<>*{},-]+(?:/[\w.<>*{},-]+)*/?")
_GROUP = re.compile(r"\{([^{}]*)\}")


def name_of(page: Path) -> str:
    """Return a page's path from the root of the tree."""
    return page.relative_to(ROOT).as_posix()


def blocks(text: str) -> list[tuple[str, str]]:
    """Return language and text of each fenced block."""
    return _BLOCK.findall(text)


def prose(text: str) -> str:
    """Return a page without its fenced blocks."""
    return _BLOCK.sub("", text)


def broken_links(page: Path, text: str) -> list[str]:
    """Return the relative links of a page that lead nowhere."""
    targets = (link.partition("#")[0] for link in _LINK.findall(prose(text)) if "://" not in link)
    return [target for target in targets if target and not (page.parent / target).exists()]


@cache
def _tree() -> frozenset[str]:
    """Return every file and folder of the tree, and every end of their paths."""
    ends: set[str] = set()
    for folder in FOLDERS:
        for path in (ROOT / folder, *(ROOT / folder).rglob("*")):
            if "__pycache__" not in path.parts:
                parts = path.relative_to(ROOT).parts
                ends.update("/".join(parts[start:]) for start in range(len(parts)))
    return frozenset(ends | {path.name for path in ROOT.iterdir()})


def _expanded(text: str) -> list[str]:
    """Return the paths that `{a,b}` in a path stands for."""
    parts = _GROUP.split(text)
    choices = [part.split(",") if number % 2 else [part] for number, part in enumerate(parts)]
    return ["".join(part.strip() for part in path) for path in itertools.product(*choices)]


# Files of users and of other projects, which the pages name.
ELSEWHERE = {"colconf.toml", "pylock.toml"}


def _is_path(code: str) -> bool:
    """Return whether a piece of code is a path: a source file, or something below a package."""
    if not _PATH.fullmatch(code) or code in ELSEWHERE:
        return False
    return code.endswith((".py", ".toml")) or ("/" in code and code.partition("/")[0] in FOLDERS)


def is_there(path: str) -> bool:
    """Return whether a path, or the end of a path, is in the tree; `<name>` and `*` stand for anything."""
    pattern = re.sub(r"<[^>]*>", "*", path.rstrip("/"))
    if "*" not in pattern:
        return pattern in _tree()
    is_match = re.compile(re.escape(pattern).replace(r"\*", "[^/]*")).fullmatch
    return any(map(is_match, _tree()))


def missing_paths(text: str) -> list[str]:
    """Return the paths that a page names in code and that the tree has not."""
    named = (code.partition(":")[0] for code in _CODE.findall(prose(text)))
    paths = (path for code in named if _is_path(code) for path in _expanded(code))
    return sorted({path for path in paths if not is_there(path)})
