"""The corpora as one archive for projects in any language: written, and fetched again.

    colconf-corpus-VERSION/
        manifest.json      format, version, number of cases, and path, bytes and SHA-256 of every other file
        cases.json         of each case: id, format, its JSON and file, its recipe, the version that made it
        cases/…            the cases as in `corpora/`: `parquet/`, `orc/` and tables in `evolved/`
        rules.json, features.json, case.schema.json, release.schema.json
        readers/           readers of all this in JavaScript and Java
        README.md, CHANGES.md, LICENSE

The archive is the same to the byte whoever makes it of the same files with the same zlib: members are sorted,
and have no times, owners or modes of this machine. `docs/cases.md` describes the form.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from corpora import features, own_cases, rules
from corpora.archives import ArchiveError, opened, write
from corpora.case_fields import text_of
from corpora.cases import CaseError
from corpora.files import whole_path
from corpora.packed import contents_of

FORMAT = 1
MANIFEST = "manifest.json"
ROOT = Path(__file__).parent


def name_of(version: str) -> str:
    """Return the name of an archive without its suffix."""
    return f"colconf-corpus-{version}"


def release(
    out: Path, version: str, pages: Mapping[str, str], *, since: Path | None = None, root: Path = ROOT
) -> Path:
    """Write the archive of the corpora below `root` into the folder `out`, and return it.

    `pages` are further files by name, README.md and LICENSE among them; `since` is the archive of an earlier
    version, whose differences CHANGES.md lists. Raises ArchiveError and OSError.
    """
    contents: dict[str, bytes] = {name: text.encode("utf-8") for name, text in pages.items()}
    contents |= {f"cases/{path}": data for path, data in contents_of(root)}
    index = [_entry(path, root, version) for path in own_cases.records(["*"], root)]
    contents["cases.json"] = _json(index)
    contents["rules.json"] = _json([rule._asdict() for rule in rules.load(root / "rules.d").values()])
    contents["features.json"] = _json(
        [feature._asdict() for feature in features.registry(root / "features.toml").values()]
    )
    for schema in ("case", "release"):
        contents[f"{schema}.schema.json"] = (ROOT / "schemas" / f"{schema}-1.json").read_bytes()
    for reader in sorted((ROOT / "readers").glob("[!_.]*.*")):
        contents[f"readers/{reader.name}"] = reader.read_bytes()
    before = _cases_of(since) if since else {}
    contents["CHANGES.md"] = _changes(version, _cases_in(index, contents), before, since).encode("utf-8")
    manifest = {
        "format": FORMAT,
        "version": version,
        "cases": len(index),
        "files": [
            {"path": path, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for path, data in sorted(contents.items())
        ],
    }
    archive = out / f"{name_of(version)}.tar.gz"
    out.mkdir(parents=True, exist_ok=True)
    write(archive, name_of(version), {**contents, MANIFEST: _json(manifest)})
    return archive


def _entry(record: Path, root: Path, version: str) -> dict[str, Any]:
    case = json.loads(record.read_text("utf-8"))
    path = PurePosixPath("cases", record.relative_to(root).as_posix())
    return {
        "id": case["id"],
        "format": case["format"],
        "json": str(path),
        "file": str(path.parent / case["file"]),
        "table": "read" in case,
        "recipe": case["id"].partition("/")[2],
        "made_by": f"colconf {version}",
    }


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=True) + "\n").encode("ascii")


def _cases_in(
    index: Iterable[Mapping[str, Any]], contents: Mapping[str, bytes]
) -> dict[str, tuple[str, str]]:
    """Return by id the digests of a case's file and of its meaning."""
    cases = {}
    for entry in index:
        record = json.loads(contents[entry["json"]])
        sha256 = record.pop("sha256")
        meaning = json.dumps(record, sort_keys=True).encode("ascii")
        cases[entry["id"]] = (sha256, hashlib.sha256(meaning).hexdigest())
    return cases


def _cases_of(archive: Path) -> dict[str, tuple[str, str]]:
    with opened(archive) as members:
        contents = dict(members)
    try:
        return _cases_in(json.loads(contents["cases.json"]), contents)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ArchiveError(f"{archive}: is no archive of colconf's corpora: {error}") from error


def _changes(
    version: str,
    now: Mapping[str, tuple[str, str]],
    before: Mapping[str, tuple[str, str]],
    since: Path | None,
) -> str:
    """Return the changelog by case."""
    if since is None:
        return f"# Changes of {version}\n\nThe first version: {len(now):,} cases.\n"
    both = now.keys() & before.keys()
    sections = {
        "New": sorted(now.keys() - before.keys()),
        "Removed": sorted(before.keys() - now.keys()),
        "With another file": sorted(name for name in both if now[name][0] != before[name][0]),
        "With another meaning, of the same file": sorted(
            name for name in both if now[name][0] == before[name][0] and now[name][1] != before[name][1]
        ),
    }
    old = since.name.removesuffix(".tar.gz").rpartition("-")[2]
    lines = [f"# Changes of {version} since {old}", ""]
    for title, names in sections.items():
        lines += [f"## {title}: {len(names):,}", "", *(f"* `{name}`" for name in names), *[""] * bool(names)]
    return "\n".join(lines).rstrip("\n") + "\n"


def fetch(archive: Path, out: Path) -> int:
    """Unpack an archive into the folder `out`, which must not exist; return the number of its cases.

    Nothing is there unless every file is as the manifest has it. Raises ArchiveError and OSError.
    """
    if out.exists():
        raise ArchiveError(f"{out}: exists; name another folder")
    with whole_path(out, durable=False) as unfinished, opened(archive) as members:
        unfinished.mkdir(parents=True)
        digests = {}
        for path, data in members:
            digests[path] = hashlib.sha256(data).hexdigest()
            file = unfinished / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        try:
            manifest = json.loads((unfinished / MANIFEST).read_bytes())
            expected = {text_of("path", each["path"]): each["sha256"] for each in manifest["files"]}
            count, form = manifest["cases"], manifest["format"]
        except (OSError, ValueError, KeyError, TypeError, CaseError, RecursionError) as error:
            raise ArchiveError(f"{archive}: is no archive of colconf's corpora: {error}") from error
        if form != FORMAT:
            raise ArchiveError(f"{archive}: of format {form!r:.20}; this colconf knows {FORMAT}")
        if type(count) is not int or count < 0:
            raise ArchiveError(f"{archive}: {count!r:.20} is no number of cases")
        digests.pop(MANIFEST)
        if wrong := sorted(path for path in {*expected, *digests} if expected.get(path) != digests.get(path)):
            raise ArchiveError(f"{archive}: {wrong[0]} is not as the manifest has it")
    return count
