"""The formats by name, and writing a report atomically.

The `write_*` functions are the entry points of the group `colconf.reports`: each takes the results of a run
and its folder, writes its report and returns the file. `colconf run` calls them and need not import this
package.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from corpora.files import write_whole
from harness.judging.results import Results
from reports import html, junit, machine, markdown, sarif, short, terminal
from reports.build import build
from reports.model import Report


@dataclass(frozen=True)
class Format:
    """A format: its renderer, the name of its file in the folder of a run, and its purpose."""

    render: Callable[[Report], str]
    file: str
    purpose: str


FORMATS = {
    "terminal": Format(terminal.render, "report.txt", "a summary for people, in a terminal"),
    "markdown": Format(markdown.render, "report.md", "for a pull request or a CI job's summary"),
    "junit": Format(junit.render, "junit.xml", "for CI systems that show tests"),
    "html": Format(html.render, "report.html", "one file to open in a browser, down to each case"),
    "json": Format(machine.render, "report.json", "the matrix, totals and findings, for machines"),
    "sarif": Format(sarif.render, "report.sarif", "a result per finding, for code scanning"),
    "github": Format(short.github, "annotations.txt", "annotations of a commit, for GitHub Actions"),
    "badge": Format(short.badge, "badge.svg", "a badge, as SVG"),
    "shields": Format(short.shields, "badge.json", "a badge, as shields.io reads it from an address"),
    "chat": Format(short.chat, "chat.txt", "ten lines for a chat"),
    "chat-markdown": Format(short.chat_markdown, "chat.md", "ten lines for a chat, as Markdown"),
}


def write(content: str, file: Path) -> Path:
    """Write `content` as UTF-8, never leaving a partial `file`, and return the file; raises OSError."""
    write_whole(file, content)
    return file


def _write(name: str, results: Results, out: Path) -> Path:
    format_ = FORMATS[name]
    return write(format_.render(build(results)), out / format_.file)


write_html, write_markdown, write_junit, write_json, write_sarif = (
    partial(_write, name) for name in ("html", "markdown", "junit", "json", "sarif")
)
