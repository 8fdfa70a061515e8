"""The report of an upgrade as GitHub-flavoured Markdown: the verdict first, then what to decide on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reports.markdown import code, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reports.upgrade import Shown, Upgrade

GROUPS = 100  # a job's summary may have 1 MiB; the HTML report has the rest
SIGNS = {"regressed": "❌", "both wrong": "⚠️", "both allowed": "🔀", "unspecified": "❔", "improved": "✅"}


def render(model: Upgrade) -> str:
    """Return the report as Markdown text."""
    parts = [
        _heading(model),
        *_summary(model.open, "Not reviewed"),
        *_details(model.open),
        *_summary(model.reviewed, "Reviewed"),
        *_useless(model),
        "## What was compared",
        _inputs(model),
        _foot(model),
    ]
    return "\n\n".join(parts) + "\n"


def _foot(model: Upgrade) -> str:
    when = f"{code(model.started)} to {code(model.finished)}"
    return f"<sub>{code(model.arguments)}, {when}, colconf {code(model.colconf)}</sub>"


def _heading(model: Upgrade) -> str:
    sign, told = ("✅", "signed off") if model.passed else ("❌", "not signed off")
    lines = [f"# {sign} {code(model.old)} → {code(model.new)}: {told}", ""]
    if model.passed:
        lines.append(f"Nothing that is not reviewed; {len(model.reviewed):,} differences are.")
    else:
        counts = [f"{model.count(word)} {word}" for word in SIGNS if model.count(word)]
        lines.append(
            f"**{len(model.open):,} differences that nobody has reviewed** ({', '.join(counts)};"
            f" {model.unexplained:,} without a known cause), {len(model.reviewed):,} reviewed."
        )
    return "\n".join(lines)


def _summary(groups: Sequence[Shown], title: str) -> Iterator[str]:
    if not groups:
        return
    yield f"## {title}"
    rows = [
        [
            str(one.number),
            f"{SIGNS.get(one.right, '')} {_word(one.right)}",
            _word(one.cls),
            f"{one.cases:,}",
            code(_gist(one)),
            code(one.reviewed or (one.causes[0].says if one.causes else "")),
        ]
        for one in groups[:GROUPS]
    ]
    yield table(["", "who is right", "class", "files", "what", "why"], rows)
    if len(groups) > GROUPS:
        yield f"… and {len(groups) - GROUPS:,} more: see the HTML report."


def _gist(one: Shown) -> str:
    return one.signature.partition(" | ")[2] or one.signature


def _word(told: str) -> str:
    """Return a word of ours as it is, and anything else as text of unknown origin."""
    return told if told.replace(" ", "").isalpha() else code(told)


def _details(groups: Sequence[Shown]) -> Iterator[str]:
    for one in groups[:GROUPS]:
        lines = [f"<details><summary>{one.number}. {code(_gist(one))}</summary>", ""]
        lines += [f"* {name}: {text}" for name, text in _told(one)]
        yield "\n".join([*lines, "", "</details>"])


def _told(one: Shown) -> Iterator[tuple[str, str]]:
    yield "class", f"{_word(one.cls)}: {one.meaning}"
    yield "who is right", _word(one.right) + (f" ({code(one.rights)})" if one.rights else "")
    where = f", {code(one.path)}" if one.path else ""
    yield "smallest file", code(one.case) + where
    if one.probe:
        yield "query", code(one.probe)
    yield "old version", code(one.old)
    yield "new version", code(one.new)
    for cause in one.causes:
        told = [code(cause.says)]
        told += [f"migration guide: {code(cause.section)}"] if cause.section else []
        told += [code(cause.issue)] if cause.issue else []
        told += [f"to restore: {code(cause.option)}"] if cause.option else []
        yield "cause", "; ".join(told)
    if one.configs:
        yield "configurations", code(one.configs)
    yield "seen in", code(one.inputs)
    if one.unstable:
        yield "unstable", f"{one.unstable:,} of these answers were not the same when asked again"
    if one.folder:
        yield "to see it", code(f"{one.folder}/reproduce.py")
    yield "signature", code(one.signature)


def _useless(model: Upgrade) -> Iterator[str]:
    if model.useless:
        yield "## Entries of the baseline that are of no use"
        yield "\n".join(f"* {code(signature)}: {code(why)}" for signature, why in model.useless)


def _inputs(model: Upgrade) -> str:
    rows = [
        [
            code(one.name),
            f"{one.files:,}",
            f"{one.configs:,}",
            f"{one.answers:,}",
            f"{one.differing:,}",
            f"{one.seconds[0]:.1f} s, {one.seconds[1]:.1f} s",
        ]
        for one in model.inputs
    ]
    heads = ["input", "files", "configurations", "answers", "files that differ", "read in (old, new)"]
    return table(heads, rows)
