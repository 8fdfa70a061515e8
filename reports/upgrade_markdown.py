"""The report of an upgrade as GitHub-flavoured Markdown: the verdict, then the differences to review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.judging.signature import Signature
from reports.markdown import code, table
from reports.upgrade_model import Group, Upgrade

GROUPS = 100  # a job's summary is limited to 1 MiB; the HTML report lists all groups
SIGNS = {
    "regressed": "❌",
    "no longer reads": "🚫",
    "both wrong": "⚠️",
    "both allowed": "🔀",
    "unspecified": "❔",
    "improved": "✅",
}


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
        *_not_asked(model),
        _foot(model),
    ]
    return "\n\n".join(parts) + "\n"


def _foot(model: Upgrade) -> str:
    when = f"{code(model.started)} to {code(model.finished)}"
    return f"<sub>{code(model.arguments)}, {when}, colconf {code(model.colconf)}</sub>"


def _heading(model: Upgrade) -> str:
    sign, decision = ("✅", "signed off") if model.passed else ("❌", "not signed off")
    lines = [f"# {sign} {code(model.old)} → {code(model.new)}: {decision}", ""]
    lines += [f"**{code(text)}**\n" for text in model.uncompared]
    if not model.open:
        lines.append(f"All {len(model.reviewed):,} differences are reviewed.")
    else:
        counts = [f"{model.count(word)} {word}" for word in SIGNS if model.count(word)]
        lines.append(
            f"**{len(model.open):,} differences without a review** ({', '.join(counts)};"
            f" {model.unexplained:,} without a known cause), {len(model.reviewed):,} reviewed."
        )
    return "\n".join(lines)


def _summary(groups: Sequence[Group], title: str) -> Iterator[str]:
    if not groups:
        return
    yield f"## {title}"
    rows = [
        [
            str(group.number),
            f"{SIGNS.get(group.word, '')} {_word(group.word)}",
            _word(group.cls),
            f"{group.cases:,}",
            code(group.sentence or _gist(group)),
            code(group.reviewed or (group.causes[0].says if group.causes else "")),
        ]
        for group in groups[:GROUPS]
    ]
    yield table(["", "who is right", "class", "files or table cases", "difference", "cause or review"], rows)
    if len(groups) > GROUPS:
        yield f"… and {len(groups) - GROUPS:,} more: see the HTML report."


def _gist(group: Group) -> str:
    """Return a group's signature without the engine, which the title names."""
    try:
        signature = Signature.of_text(group.signature)
    except ValueError:  # a file of unknown origin
        return group.signature
    return f"{signature.verdict} | {signature.cause}"


def _word(word: str) -> str:
    """Return a word of colconf's own unchanged, and escape anything else as untrusted text."""
    return word if word.replace(" ", "").isalpha() else code(word)


def _details(groups: Sequence[Group]) -> Iterator[str]:
    for group in groups[:GROUPS]:
        lines = [f"<details><summary>{group.number}. {code(group.sentence or _gist(group))}</summary>", ""]
        lines += [f"* {name}: {text}" for name, text in _facts(group)]
        yield "\n".join([*lines, "", "</details>"])


def _facts(group: Group) -> Iterator[tuple[str, str]]:
    yield "class", f"{_word(group.cls)}: {group.meaning}"
    yield "who is right", _word(group.word) + (f" ({code(group.rights)})" if group.rights else "")
    where = f", {code(group.path)}" if group.path else ""
    yield f"smallest {group.unit}", code(group.case) + where
    yield from ((code(name), meaning) for name, meaning in group.notes)
    if group.probe:
        yield "query", code(group.probe)
    yield "old version", code(group.old)
    yield "new version", code(group.new)
    for cause in group.causes:
        parts = [code(cause.says)]
        parts += [f"migration guide: {code(cause.section)}"] if cause.section else []
        parts += [code(cause.issue)] if cause.issue else []
        yield "cause", "; ".join(parts)
    if group.restoring:
        yield "old behaviour by", code(group.restoring)
    if group.configs:
        yield "configurations", code(group.configs)
    yield "inputs", code(group.inputs)
    if group.unstable:
        of = f", those of {code(group.changed)}" if group.changed else ""
        yield "unstable", f"{group.unstable:,} of these answers changed when the read was repeated{of}"
    if group.folder:
        yield "reproducer", code(f"{group.folder}/reproduce.py")
    yield "signature", code(group.signature)


def _useless(model: Upgrade) -> Iterator[str]:
    if model.useless:
        yield "## Baseline entries without effect"
        yield "\n".join(f"* {code(signature)}: {code(why)}" for signature, why in model.useless)


def _not_asked(model: Upgrade) -> Iterator[str]:
    if model.not_asked:
        yield "## What was not asked"
        rows = [[code(cell) for cell in row] for row in model.not_asked]
        yield table(["engine", "question", "reason"], rows)


def _inputs(model: Upgrade) -> str:
    rows = [
        [
            code(input_.name),
            f"{input_.files:,}",
            f"{input_.configs:,}",
            f"{input_.answers:,}",
            f"{input_.differing:,}",
            f"{input_.seconds[0]:.1f} s, {input_.seconds[1]:.1f} s",
        ]
        for input_ in model.inputs
    ]
    heads = [
        "input",
        "files or table cases",
        "configurations",
        "answers",
        "that differ",
        "read in (old, new)",
    ]
    return table(heads, rows)
