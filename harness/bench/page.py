"""`docs/performance.md`: the ratios of one sitting as a page of Markdown."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata

from harness.bench.ratio import Ratio
from harness.engines.registry import ENGINES

# The parts of the bench in their order, each with what its ratios compare.
TEXTS = {
    "decode": "Decoding by the reference reader, divided by decoding with the package that each row names.",
    "sheets": "Spark reading many files in one query, per file, divided by Spark reading each file alone.",
    "java": "parquet-java and ORC Java reading generated files, divided by Spark reading the same files.",
    "overhead": "`colconf run` over files of other projects, without its control set, ÷ a bare loop.",
    "tables": "`colconf run` over folders read as tables, divided by a bare loop over the same reads.",
    "growth": "Memory and time per case of a run with many generated cases, divided by those of a small run.",
    "fuzz": "CPU time of an input in a fuzz target under atheris, divided by that of a plain call with it.",
}
_HEAD = """# Performance

`tox -e bench -- --page docs/performance.md` writes this page, do not edit it. If names of parts follow,
only these are measured, and the other sections do not change.

Each row is a ratio of two figures, measured on one machine in one sitting, so that it hardly depends on the
machine. Targets are upper bounds; a ratio above its target is marked as missed.
"""


def render(measured: Mapping[str, tuple[Sequence[Ratio], float]], before: str = "") -> str:
    """Return the page of the ratios of each part, and how many seconds measuring them took.

    `before`: the page as it is, whose other parts are kept.
    """
    sections = _sections(before)
    for part, (ratios, seconds) in measured.items():
        when = f"Measured on {datetime.now(UTC):%Y-%m-%d} in {seconds:,.0f} s on {machine()}."
        sections[part] = "\n".join([f"## {part}", "", TEXTS[part], "", when, "", *_table(ratios), ""])
    return "\n".join([_HEAD, *(sections[part] for part in TEXTS if part in sections)]).rstrip() + "\n"


def _sections(text: str) -> dict[str, str]:
    """Return the sections of a page by the parts that they are about."""
    listed = (f"## {section}".rstrip() + "\n" for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:])
    return {section.partition("\n")[0].removeprefix("## "): section for section in listed}


def _table(ratios: Iterable[Ratio]) -> list[str]:
    rows = ["| what | measured | compared with | ratio | target |", "|---|---:|---:|---:|---:|"]
    for ratio in ratios:
        pair = (f"{value * ratio.factor:,.1f} {ratio.unit}" for value in (ratio.seconds, ratio.base))
        target = f"{ratio.target:g}" if ratio.value <= ratio.target else f"**{ratio.target:g}, missed**"
        rows.append(f"| {' | '.join((_cell(ratio.name), *pair, f'{ratio.value:.2f}', target))} |")
    return rows


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def machine() -> str:
    """Return the cores, the system and the versions that figures are of."""
    installed = {dist.name: dist.version for dist in metadata.distributions() if dist.name}
    names = dict.fromkeys(name for entry in ENGINES.values() for name in entry.packages)
    packages = ", ".join(f"{name} {installed[name]}" for name in names if name in installed)
    return f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}; {packages}"
