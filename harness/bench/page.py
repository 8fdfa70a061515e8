"""`docs/performance.md`: the ratios of one sitting as a page of Markdown."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata

from harness.bench.ratio import Ratio
from harness.engines.registry import ENGINES

# The parts of the bench in their order, each with what its ratios compare.
TEXTS = {
    "decode": "Decoding by the reference reader, divided by decoding with the package that each row names.",
    "sheets": "Spark reading many files in one query, per file, divided by Spark reading each file alone.",
    "java": "parquet-java and ORC Java reading generated files, divided by Spark reading the same files.",
    "overhead": "`colconf run` over files of other projects, divided by a bare loop over the same reads.",
    "tables": "`colconf run` over folders read as tables, divided by a bare loop over the same reads.",
    "growth": "Memory and time per case of a run with many generated cases, divided by those of a small run.",
    "fuzz": "CPU time of an input in a fuzz target under atheris, divided by that of a plain call with it.",
}
_HEAD = """# Performance

`tox -e bench -- --page docs/performance.md` writes this page, do not edit it.

Each row is a ratio of two figures, measured on one machine in one sitting, so that it hardly depends on the
machine. Targets are upper bounds; a ratio above its target is marked as missed.
"""


def render(measured: Mapping[str, Sequence[Ratio]], seconds: float) -> str:
    """Return the page of the ratios of each part; `seconds`: how long measuring took."""
    lines = [_HEAD, f"Measured in {seconds:,.0f} s on {_machine()}.", ""]
    for part, ratios in measured.items():
        lines += [f"## {part}", "", TEXTS[part], "", *_table(ratios), ""]
    return "\n".join(lines).rstrip() + "\n"


def _table(ratios: Iterable[Ratio]) -> list[str]:
    rows = ["| what | measured | compared with | ratio | target |", "|---|---:|---:|---:|---:|"]
    for ratio in ratios:
        pair = (f"{value * ratio.factor:,.1f} {ratio.unit}" for value in (ratio.seconds, ratio.base))
        target = f"{ratio.target:g}" if ratio.value <= ratio.target else f"**{ratio.target:g}, missed**"
        rows.append(f"| {' | '.join((_cell(ratio.name), *pair, f'{ratio.value:.2f}', target))} |")
    return rows


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _machine() -> str:
    installed = {dist.name: dist.version for dist in metadata.distributions() if dist.name}
    names = dict.fromkeys(name for entry in ENGINES.values() for name in entry.packages)
    packages = ", ".join(f"{name} {installed[name]}" for name in names if name in installed)
    return f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}; {packages}"
