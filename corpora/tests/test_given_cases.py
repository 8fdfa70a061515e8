"""A case that somebody sent opens no other file, and is about the file that it was recorded with."""

import json
import os
import shutil
from pathlib import Path

import pytest

from corpora.cases import CaseError
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
