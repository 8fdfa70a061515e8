"""The pytest plugin: `pytest --colconf-engine ENGINE` has a reader read colconf's cases, a test for each.

pytest loads it in every session of an environment that has colconf: it imports nothing of ours before an
engine is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

_OPTIONS: tuple[tuple[str, str, str], ...] = (
    (
        "engine",
        "ENGINE",
        "Engine that reads each case as a test: name[@version][:switch=value,…]; may be repeated.",
    ),
    (
        "cases",
        "GLOB",
        "Only cases whose id matches, such as 'parquet/statistics/*'; may be repeated. Default: all.",
    ),
    (
        "corpus",
        "DIR",
        "Cases of this folder instead of those that come with colconf; may be repeated.",
    ),
)
OPTION_NAMES = (*(name for name, _, _ in _OPTIONS), "generate", "seed", "known")
_MARKERS = (
    "colconf: a case that an engine reads (pytest --colconf-engine)",
    "colconf_feature(id): a feature that the case's file uses, such as parquet/encoding/rle",
    "colconf_rule(id): the rule that the case's file breaks, such as PQ-PAGE-003",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("colconf", "conformance of readers of Parquet and ORC files (colconf)")
    for name, metavar, text in _OPTIONS:
        group.addoption(f"--colconf-{name}", action="append", default=[], metavar=metavar, help=text)
    group.addoption(
        "--colconf-generate",
        type=int,
        default=0,
        metavar="N",
        help="Also N generated files of each format that the engine reads.",
    )
    group.addoption(
        "--colconf-seed",
        type=int,
        default=0,
        metavar="S",
        help="The seed of the generated files: the same seed gives the same files. Default: 0.",
    )
    group.addoption(
        "--colconf-known",
        metavar="DIR",
        help="Known failures, expected to fail, from DIR/<engine>.toml instead of those that colconf lists.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers."""
    for marker in _MARKERS:
        config.addinivalue_line("markers", marker)


@pytest.hookimpl(tryfirst=True)  # before -k and -m choose among the items
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add the cases of each engine."""
    engines: Sequence[str] = config.getoption("colconf_engine")
    if engines:
        from harness.testing.cases import collected  # noqa: PLC0415 - costly, and of no use without engines

        items += collected(session, engines)
