"""The inventory of dodges (`corpora/dodges.toml`) has every place that the scan finds, and no other."""

from __future__ import annotations

from collections import Counter

import pytest

from corpora.dodges import load
from harness.tests.dodge_scan import Hit, hits

_AT = "properties/strategies/planted.py"
_MODULE = '''"""A strategy."""


def drawn(draw):
    """Return a value."""
    value = 1  # nothing
    return value
'''


def test_the_inventory_has_every_hit() -> None:
    """Each hit is in the inventory, as often as the code has it, and the inventory has no hit more."""
    listed = Counter(Hit(entry.place, rule) for entry in load() for rule in entry.hits)
    scanned = Counter(hits())
    assert scanned - listed == Counter(), "new: mend them, or list them in corpora/dodges.toml"
    assert listed - scanned == Counter(), "gone: remove their hits from corpora/dodges.toml"


@pytest.mark.parametrize(
    ("old", "new", "path", "rule"),
    [
        ("value = 1", "assume(draw)", _AT, "assume"),
        ("value = 1", "value = draw.filter(bool)", _AT, "filter"),
        ("nothing", "ORC C++ cannot read it", _AT, "mention"),
        ("Return a value.", "Return a value: few readers know others.", _AT, "mention"),
        ("Return a value.", "Return a value: as few\n    readers know others.", _AT, "mention"),
        ("value = 1", "value = draw == 'duckdb'", "harness/judging/planted.py", "engine-name"),
        ("value = 1", "value = draw in ('polars@1.2',)", "corpora/planted.py", "engine-name"),
        (
            "value = 1",
            "value = draw.startswith(('duckdb', 'x'))",
            "harness/judging/planted.py",
            "engine-name",
        ),
        ("value = 1", "value = fnmatch(draw, 'duckdb*')", "harness/runs/planted.py", "engine-name"),
        ("value = 1", "value = re.match('duckdb|polars', draw)", "harness/runs/planted.py", "engine-name"),
        ("value = 1", "value = draw == 'orc-cpp'", "harness/judging/planted.py", "engine-name"),
        ("value = 1", "value = draw == 'spark'", "harness/engines/polars/planted.py", "engine-name"),
        ("value = 1", "hypothesis.assume(draw)", _AT, "assume"),
        ("value = 1", "reject()", _AT, "assume"),
        ("nothing", "most readers refuse others", "reference_impl/orc/writer.py", "mention"),
        ("value = 1", "value = 'colconf does not ask'", "harness/engines/polars/planted.py", "not-put"),
        ("nothing", "DuckDB has none", "corpora/build/planted.py", "mention"),
    ],
)
def test_a_planted_dodge_is_found(tmp_path, old, new, path, rule) -> None:
    """A dodge of each kind is found at its function, and the module without it has none."""
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(_MODULE)
    assert hits(tmp_path) == []
    file.write_text(_MODULE.replace(old, new))
    assert hits(tmp_path) == [Hit(f"{path}:drawn", rule)]


def test_tests_and_the_reference_are_no_dodges(tmp_path) -> None:
    """Tests may name engines; the reference is colconf's own; an adapter names its engine."""
    for path in ("harness/tests/test_x.py", "harness/engines/spark/adapter.py"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text("NAME = 'spark'\n")
    (tmp_path / "harness" / "x.py").write_text("NAME = 'reference'\n")
    assert hits(tmp_path) == []
