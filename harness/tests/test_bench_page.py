"""The page of the bench: every ratio has a row that says whether its target is met."""

from click.testing import CliRunner

from harness.bench import __main__ as bench
from harness.bench import page
from harness.bench.ratio import Ratio


def test_rows():
    """A row has both figures in its unit, the ratio, and the target, which is marked where it is missed."""
    ratios = [Ratio("a|b", 0.3, 0.1, 2), Ratio("c", 1e6, 2e6, 1, "MiB", 1e-6)]
    text = page.render({"decode": (ratios, 90)})
    assert "| a\\|b | 300.0 ms | 100.0 ms | 3.00 | **2, missed** |" in text
    assert "| c | 1.0 MiB | 2.0 MiB | 0.50 | 1 |" in text
    assert " in 90 s on " in text


def test_parts_that_are_not_measured_stay():
    """A page is measured part by part: the others are kept, in the order of the parts."""
    first = page.render({"sheets": ([Ratio("a", 1.0, 2.0, 1)], 1), "fuzz": ([Ratio("b", 1.0, 2.0, 1)], 1)})
    text = page.render(
        {"java": ([Ratio("c", 1.0, 2.0, 1)], 1), "fuzz": ([Ratio("d", 1.0, 2.0, 1)], 1)}, first
    )
    assert [line for line in text.splitlines() if line.startswith("##")] == [
        "## sheets",
        "## java",
        "## fuzz",
    ]
    assert [name for name in "abcd" if f"| {name} |" in text] == ["a", "c", "d"]


def test_the_command_writes_it(tmp_path, monkeypatch):
    """`--page` writes the parts that were measured, and the figures are printed as well."""
    monkeypatch.setattr(bench.decode, "ratios", lambda _folder: [Ratio("footer", 1.0, 2.0, 1)])
    monkeypatch.setattr(bench.sheets, "ratios", lambda _folder: [Ratio("sheet", 3.0, 2.0, 1)])
    file = tmp_path / "performance.md"
    result = CliRunner().invoke(bench.main, ["sheets", "decode", "--page", str(file)])
    assert result.exit_code == 0
    assert "footer" in result.output
    heads = [line for line in file.read_text("utf-8").splitlines() if line.startswith("#")]
    assert heads == ["# Performance", "## decode", "## sheets"]
    assert CliRunner().invoke(bench.main, ["decode", "--page", str(file)]).exit_code == 0
    assert "## sheets" in file.read_text("utf-8")


def test_what_is_measured_stays(tmp_path, monkeypatch):
    """If a part ends the process, the page has the parts before it."""

    def fail(_folder):
        raise OSError

    monkeypatch.setattr(bench.decode, "ratios", lambda _folder: [Ratio("footer", 1.0, 2.0, 1)])
    monkeypatch.setattr(bench.sheets, "ratios", fail)
    file = tmp_path / "performance.md"
    assert CliRunner().invoke(bench.main, ["decode", "sheets", "--page", str(file)]).exit_code == 1
    assert "| footer |" in file.read_text("utf-8")
