"""`colconf corpus power`: the page of what is detected, from measurements alone."""

import json

import pytest
from click.testing import CliRunner

from harness.commands import selftest
from harness.commands.corpus import corpus
from harness.investigate.selftest.hunt import Hunt
from harness.investigate.selftest.plants import PLANTS
from harness.version import __version__


def measured(*plants, fuzz=False):
    """Return the JSON of a self-test with plants of name, format, clause and seconds, None for a miss."""
    return {
        "colconf": "0.1.0",
        "formats": {"parquet": {"seconds": 12.5}},
        "plants": [
            {
                "name": name,
                "format": format_,
                "clause": clause,
                **({} if fuzz else {"shows": "query"}),
                "found": seconds is not None,
                "seconds": seconds or 9.0,
                **({"files": 3} if fuzz else {"cases": 3}),
            }
            for name, format_, clause, seconds in plants
        ],
    }


def page(tmp_path, *results):
    """Return what the command prints of these results."""
    files = [tmp_path / f"{number}.json" for number, _ in enumerate(results)]
    for file, result in zip(files, results, strict=True):
        file.write_text(result if isinstance(result, str) else json.dumps(result))
    return CliRunner().invoke(corpus, ["power", *map(str, files)])


def test_numbers_are_those_of_the_measurements(tmp_path):
    """Rates are by format and by the text that a bug breaks; missed bugs are named."""
    legal = measured(
        ("a", "parquet", "Encodings.md#RLE", 1.0),
        ("b", "parquet", "Encodings.md#PLAIN", None),
        ("c", "orc", "ORCv1.md, Stripes", 3.0),
    )
    broken = measured(("d", "parquet", "PageIndex.md", 0.5), fuzz=True)
    result = page(tmp_path, legal, broken)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert "| 0.1.0 | legal files | parquet | 2 | 1 | 50.0% | 1.0 s | 1.0 s |  |" in lines
    assert "| 0.1.0 | legal files | both | 3 | 2 | 66.7% | 2.0 s | 3.0 s | 12 s |" in lines
    assert "| 0.1.0 | mutated files | parquet | 1 | 1 | 100.0% | 0.5 s | 0.5 s | 12 s |" in lines
    assert "| queries of legal files | 3 | 2 | 2.0 s | 3.0 s | `b` |" in lines
    assert "| Encodings.md | 2 | 1 | 1.0 s | 1.0 s | `b` |" in lines
    assert "| ORCv1.md | 1 | 1 | 3.0 s | 3.0 s | · |" in lines


def test_versions_of_colconf_are_told_apart(tmp_path):
    """Each measurement has the version of colconf that was measured."""
    older = {**measured(("a", "parquet", "Encodings.md", None)), "colconf": "0.0.9"}
    result = page(tmp_path, older, measured(("a", "parquet", "Encodings.md", 1.0)))
    assert "| 0.0.9 | legal files | parquet | 1 | 0 | 0.0% | · | · | 12 s |" in result.stdout
    assert "| 0.1.0 | legal files | parquet | 1 | 1 | 100.0% | 1.0 s | 1.0 s | 12 s |" in result.stdout
    bad = page(tmp_path, {**older, "colconf": "a | b"})
    assert (bad.exit_code, bad.output.count("\n")) == (2, 1)


def test_what_the_self_test_prints_is_read(tmp_path):
    """The JSON of the self-test is a measurement, also of a bug that it did not look for in time."""
    hunts = [Hunt(plant) for plant in PLANTS.values() if plant.name == "delta-minimum-unsigned"]
    printed = selftest._to_json([selftest._Search("parquet", hunts, 1.0)], 1)
    result = page(tmp_path, printed)
    assert result.exit_code == 0, result.output
    assert "| Encodings.md | 1 | 0 | · | · | `delta-minimum-unsigned` |" in result.stdout.splitlines()
    assert f"| {__version__} | legal files |" in result.stdout


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"plants": [], "formats": {}}', '{"plants": [{}], "formats": {}}']
)
def test_other_files_are_refused(tmp_path, text):
    """What is no measurement is one line, status 2."""
    result = page(tmp_path, text)
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
