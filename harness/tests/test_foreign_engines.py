"""The engines in `harness/engines/foreign`: readers of others behind the protocol, each with its manifest."""

import shutil
import tempfile
from pathlib import Path

import pytest

from corpora.build.control import controls
from corpora.formats import PARQUET
from harness.children.connection import Connection
from harness.commands.new_engine import TEMPLATES
from harness.engines import manifest
from harness.environments.availability import status
from harness.judging.equivalences import EQUIVALENCES

FOLDER = TEMPLATES.parent / "foreign"
MANIFESTS = sorted(FOLDER.glob("*/*.toml"))


@pytest.mark.parametrize("file", MANIFESTS, ids=lambda file: file.stem)
def test_a_manifest_is_sound(file):
    """It is read, named after its folder, and claims documented mappings that the judge knows."""
    entry = manifest.read(file)
    assert entry.name == file.parent.name == file.stem
    assert entry.foreign.equivalences
    assert set(entry.foreign.equivalences) <= set(EQUIVALENCES)
    assert entry.install


def test_the_library_is_the_skeletons():
    """An engine in JavaScript carries the library of tagged values as the skeleton has it."""
    library = (TEMPLATES / "js" / "colconf.mjs").read_text("utf-8")
    assert (FOLDER / "hyparquet" / "colconf.mjs").read_text("utf-8") == library


def test_hyparquet_reads_the_control_files(tmp_path):
    """Where it is installed, it reads each control file in both of its ways."""
    folder = FOLDER / "hyparquet"
    if not shutil.which("node") or not (folder / "node_modules").exists():
        pytest.skip("node is not installed, or `npm install` was not run in hyparquet's folder")
    installed = status(manifest.read(folder / "hyparquet.toml"))
    assert installed.available, installed.reason
    cases = controls.cases(PARQUET, tmp_path)
    with Connection(installed.launch, scratch=Path(tempfile.gettempdir())) as connection:
        for config in ({"api": "rows"}, {"api": "chunks"}):
            kinds = {
                controls.name(case): str(connection.read(case.file, PARQUET, config).kind) for case in cases
            }
            assert set(kinds.values()) == {"table"}, kinds
