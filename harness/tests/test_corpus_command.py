"""`colconf corpus lint` and `colconf corpus build`."""

import json

import pytest
from click.testing import CliRunner

from corpora.build import make
from corpora.build.recipe import Recipe, leaf, schema
from harness.commands import corpus
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import Type

RECIPE = Recipe("a/one", FilePlan(schema(leaf("x", Type.INT32)), ({"x": 1},)), "README.md")


def test_lint(monkeypatch):
    """`corpus lint` exits with 0 and no output, with 1 and a line each, and with 2 for wrong usage."""
    # The whole corpus is checked by test_lint.py, test_table_cases.py and properties/tests/test_corpus.py.
    monkeypatch.setattr(corpus, "built", lambda _: [])
    monkeypatch.setattr(corpus.store, "problems", lambda built, *_: built)
    monkeypatch.setattr(corpus.checked_in, "problems", lambda _: [])
    monkeypatch.setattr(corpus, "lint_problems", list)
    run = CliRunner().invoke(corpus.corpus, ["lint"])
    assert (run.exit_code, run.stdout) == (0, "")
    monkeypatch.setattr(corpus, "lint_problems", lambda: ["one", "two"])
    monkeypatch.setattr(corpus.checked_in, "problems", lambda format_: [f"three of {format_}"])
    run = CliRunner().invoke(corpus.corpus, ["lint"])
    assert (run.exit_code, run.stdout) == (1, "one\ntwo\nthree of parquet\nthree of orc\n")
    assert CliRunner().invoke(corpus.corpus, ["lint", "--nonsense"]).exit_code == 2


def test_cases_of_a_wheel_are_not_built_over(monkeypatch):
    """Where the cases came in a wheel, the folder of `build` must be named."""
    monkeypatch.setattr(corpus.own_cases, "is_packed", lambda: True)
    refused = CliRunner().invoke(corpus.corpus, ["build"])
    assert (refused.exit_code, refused.output.count("\n")) == (2, 1)
    assert "corpus build --out DIR" in refused.output


@pytest.mark.heavy
def test_build(tmp_path, monkeypatch):
    """`corpus build` writes the cases of the recipes into the named folder."""
    monkeypatch.setattr(corpus, "built", lambda form: [make.make(RECIPE)] if form == "parquet" else [])
    run = CliRunner().invoke(corpus.corpus, ["build", "--out", str(tmp_path / "out")])
    assert run.exit_code == 0
    assert "1 cases" in run.stderr
    written = tmp_path / "out" / "parquet" / "a" / "one.json"
    assert json.loads(written.read_text())["id"] == "parquet/a/one"
