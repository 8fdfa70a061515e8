"""A case that somebody sent opens no other file, and is about the file that it was recorded with."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from corpora.cases import CaseError, dump
from corpora.given_cases import load_given

OWN = next(Path(__file__).parents[1].joinpath("parquet/codec/snappy").rglob("*.json"))


@pytest.fixture
def case(tmp_path):
    """Return a function that writes a case whose file has this name, and returns the path of its JSON."""
    folder = tmp_path / "sent"
    folder.mkdir()
    shutil.copy(OWN.with_suffix(".parquet"), folder / "x.parquet")
    shutil.copy(OWN.with_suffix(".parquet"), tmp_path / "outside.parquet")

    def written(file, **changes):
        content = json.loads(OWN.read_bytes())
        path = folder / "case.json"
        path.write_text(json.dumps({**content, "file": file, **changes}))
        return path

    return written


def test_the_file_beside_it(case):
    """A file below the folder of the JSON is read."""
    assert load_given(case("x.parquet")).file.name == "x.parquet"


@pytest.mark.parametrize(
    "name", ["../outside.parquet", "{absolute}", "link.parquet", "linked/outside.parquet"]
)
def test_outside(case, tmp_path, name):
    """A file elsewhere is refused by its name, also by way of links, unless it is allowed."""
    (tmp_path / "sent/link.parquet").symlink_to(tmp_path / "outside.parquet")
    (tmp_path / "sent/linked").symlink_to(tmp_path)
    path = case(name.format(absolute=tmp_path / "outside.parquet"))
    with pytest.raises(CaseError, match="outside of the folder of the case; --allow-outside"):
        load_given(path)
    assert load_given(path, outside=True).file.exists()


def test_rows_in_another_file(case, tmp_path):
    """Expected rows are not read from another file; a case that is written down has them itself."""
    sound = load_given(case("x.parquet"))
    table = sound.expectation.table.spilled(tmp_path / "rows.jsonl")
    spilled = replace(sound, expectation=replace(sound.expectation, table=table))
    path = case("x.parquet", expectation=spilled.expectation.to_json())
    with pytest.raises(CaseError, match="its expected rows are in another file; --allow-outside"):
        load_given(path)
    dump(spilled, path)
    assert load_given(path).expectation == sound.expectation


def test_keys_in_a_fifo(case, tmp_path):
    """A file of keys that is a FIFO is refused, and not opened."""
    os.mkfifo(tmp_path / "sent/keys")
    with pytest.raises(CaseError, match="keys: not a regular file"):
        load_given(case("x.parquet", keys={"file": "keys"}))


def test_another_file(case, tmp_path):
    """A file that is not the recorded one is refused: it would show nothing of the case."""
    tmp_path.joinpath("sent/x.parquet").write_bytes(b"PAR1PAR1")
    with pytest.raises(CaseError, match="not the file that the case was recorded with"):
        load_given(case("x.parquet"))


def test_no_regular_file(case, tmp_path):
    """A FIFO is refused, and not opened: that would wait for ever; a missing file is named."""
    os.mkfifo(tmp_path / "sent/fifo")
    with pytest.raises(CaseError, match="neither a regular file nor a folder"):
        load_given(case("fifo"))
    with pytest.raises(CaseError, match=r"none\.parquet: No such file"):
        load_given(case("none.parquet"))
