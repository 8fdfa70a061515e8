"""The part of colconf for children in other environments: worker, adapters and tagged values, as a folder.

A folder and not an archive, because Python keeps compiled modules beside a folder's files: an archive would
be compiled at every start. Its name is a digest of what is in it, so that a newer colconf has its own, and it
is renamed into place when whole.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from corpora.files import open_raw, whole_path
from harness.children.launch import ROOT

# Also the list that `harness/tests/test_layers.py` holds to the standard library and Python 3.9.
MODULES = (
    *("harness.children.worker", "harness.children.protocol", "harness.children.links"),
    *("harness.children.large_answers", "harness.children.leash", "harness.children.foreign"),
    *("harness.children.sanitizer", "harness.children.garbage"),
    *("harness.version", "harness.engines"),
    *("corpora.tagged", "corpora.constants", "corpora.keys", "corpora.predicates", "corpora.queries"),
    *("corpora.problem", "corpora.table_reads", "corpora.tagged_text"),
    *(
        "corpora.aggregates",
        "corpora.answers",
        "corpora.blocks",
        "corpora.column_answers",
        "corpora.column_queries",
        "corpora.counts",
        "corpora.expressions",
        "corpora.query_base",
        "corpora.field_queries",
        "corpora.slices",
        "corpora.evaluation",
        "corpora.variant_answers",
        "corpora.variant_paths",
        "corpora.variant_types",
    ),
)
_SUFFIXES = (".py", ".java")
# The reference's adapter needs the reference implementation, and has no other versions; skeletons and foreign
# engines are programs of their own, which are not carried anywhere.
_STAY = frozenset({"reference", "skeletons", "foreign"})
_PACKAGES = ("harness/__init__.py", "harness/children/__init__.py", "corpora/__init__.py")
_MAIN = "import sys\n\nfrom harness.children.worker import main\n\nsys.exit(main())\n"


def files() -> dict[str, bytes]:
    """Return the files of the folder by their paths in it."""
    contents = {"__main__.py": _MAIN.encode(), **dict.fromkeys(_PACKAGES, b"")}
    for module in MODULES:
        path = ROOT.joinpath(*module.split("."))
        if path.is_dir():
            for file in sorted(file for suffix in _SUFFIXES for file in path.rglob(f"*{suffix}")):
                if file.relative_to(path).parts[0] not in _STAY:
                    contents[file.relative_to(ROOT).as_posix()] = file.read_bytes()
        else:
            contents[f"{module.replace('.', '/')}.py"] = path.with_suffix(".py").read_bytes()
    return contents


def carried(cache: Path) -> Path:
    """Return the folder, in `cache`, made if it is not there."""
    content = files()
    digest = hashlib.sha256()
    for name, data in sorted(content.items()):
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    target = cache / "workers" / digest.hexdigest()[:16]
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with whole_path(target) as unfinished:
            for name, data in content.items():
                file = unfinished / name
                file.parent.mkdir(parents=True, exist_ok=True)
                with open_raw(file) as out:
                    out.write(data)
    except OSError:
        if not target.is_dir():  # else another process was faster: no rename replaces a folder with files
            raise
    return target
