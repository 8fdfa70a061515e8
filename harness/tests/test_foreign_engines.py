"""The engines in `harness/engines/foreign`: readers of others behind the protocol, each with its manifest."""

import shutil

import pytest

from corpora.formats import PARQUET
from harness.children.limits import Limits
from harness.commands.new_engine import TEMPLATES
from harness.engines import manifest
from harness.environments.availability import status
from harness.investigate.conformance.control import process_of
from harness.investigate.conformance.subject import Subject
from harness.judging.control import answers_to
from harness.judging.control_answers import FAILED
from harness.judging.equivalences import EQUIVALENCES

FOLDER = TEMPLATES.parent / "foreign"
WIDE_DECIMAL = "decimal-38-10-fixed-16"  # src/convert.js:parseDecimal rounds once a byte
MANIFESTS = sorted(FOLDER.glob("*/*.toml"))


@pytest.mark.parametrize("file", MANIFESTS, ids=lambda file: file.stem)
def test_a_manifest_is_sound(file):
    """It is read, named after its folder, and claims documented mappings that the judge knows."""
    entry = manifest.read(file)
    assert entry.name == file.parent.name == file.stem
    assert entry.foreign.equivalences
    assert set(entry.foreign.equivalences) <= set(EQUIVALENCES)
    assert entry.install


def test_hyparquet_reads_the_control_files(tmp_path):
    """Where it is installed, the values of each control file are right in both of its ways."""
    folder = FOLDER / "hyparquet"
    if not shutil.which("node") or not (folder / "node_modules").exists():
        pytest.skip("node is not installed, or `npm install` was not run in hyparquet's folder")
    entry = manifest.read(folder / "hyparquet.toml")
    installed = status(entry)
    assert installed.available, installed.reason
    for api in entry.switches["api"]:
        subject = Subject(installed.launch, Limits(), PARQUET, {"api": api}, tmp_path)
        subject.description = installed.description
        answers = next(iter(answers_to(process_of(entry, installed, subject), PARQUET, Limits())))
        assert len(answers) > 30
        assert {answer.control for answer in answers if answer.state == FAILED} == {WIDE_DECIMAL}
