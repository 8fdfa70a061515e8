import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from corpora.features import is_known
from corpora.importers import ImportProblem, import_path, variant_pairs
from reference_impl.parquet.file import ParquetFile
from reference_impl.variant import encoding
from reference_impl.variant.forms import write
from reference_impl.variant.values import Primitive, equal, float_

PROJECT = Path(__file__).resolve().parents[2]
ROOT = os.environ.get("PARQUET_TEST_DATA")
needs_data = pytest.mark.skipif(not ROOT, reason="PARQUET_TEST_DATA is not set")
MOMENT = 1_744_806_896  # 2025-04-16 12:34:56 UTC


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """Files that are made at import go into a cache of the test's own."""
    found = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("COLCONF_CACHE", str(found))
    return found


@pytest.fixture
def folder(tmp_path):
    """Make the folder of the pairs, in what is recognised as a checkout."""
    for name in ("bad_data", "variant"):
        (tmp_path / name).mkdir()
    (tmp_path / "bad_data" / "PARQUET-1481.parquet").write_bytes(b"PAR1 not the real one PAR1")
    return tmp_path / "variant"


def _pair(folder, name, value):
    for suffix, data in zip((".metadata", ".value"), write(value), strict=True):
        (folder / name).with_suffix(suffix).write_bytes(data)


def _meant(case):
    return encoding.read(*map(bytes.fromhex, case.expectation.table.column(0)[0]))


@pytest.mark.parametrize(
    ("name", "told", "value"),
    [
        ("primitive_null", None, Primitive("null")),
        ("primitive_int8", 42, Primitive("int8", 42)),
        ("primitive_decimal8", 12345678.9, Primitive("decimal8", 1234567890, 2)),
        ("primitive_decimal16", 1.2345678912345678e16, Primitive("decimal16", 1234567891234567890, 2)),
        ("primitive_float", 1234567940.0, float_(1234567890.1234)),
        ("primitive_date", "2025-04-16", Primitive("date", 20194)),
        ("primitive_time", "12:33:54:123456", Primitive("time", 45_234_123_456)),
        (
            "primitive_timestamp",
            "2025-04-16 12:34:56.78-04:00",
            Primitive("timestamp", (MOMENT + 14_400) * 10**6 + 780_000),
        ),
        ("primitive_timestampntz", "2025-04-16 12:34:56", Primitive("timestamp_ntz", MOMENT * 10**6)),
        (
            "primitive_timestampntz_nanos",
            "2025-04-16T12:34:56.000000001",
            Primitive("timestamp_ntz_nanos", MOMENT * 10**9 + 1),
        ),
        ("primitive_binary", "AxM3", Primitive("binary", b"\x03\x13\x37")),
        (
            "primitive_uuid",
            "f24f9b64-81fa-49d1-b74e-8c09a6e31c56",
            Primitive("uuid", b"\xf2O\x9bd\x81\xfaI\xd1\xb7N\x8c\t\xa6\xe3\x1cV"),
        ),
        ("short_string", "2025-04-16", Primitive("string", "2025-04-16")),
    ],
)
def test_a_pair_is_a_case(folder, name, told, value):
    """A pair becomes a Parquet file that holds its bytes, and means what the dictionary tells of it."""
    _pair(folder, name, value)
    (folder / "data_dictionary.json").write_text(f"{{{json.dumps(name)}: {json.dumps(told)},\n}}\n")
    imported = import_path(folder)
    (case,) = imported.cases
    assert [item.file.name for item in imported.skipped] == ["data_dictionary.json"]
    assert case.id == f"parquet-testing/variant/{name}"
    assert case.expectation.source == variant_pairs.SOURCE
    assert all(map(is_known, case.features))
    assert "parquet/variant/unshredded" in case.features
    assert equal(_meant(case), value)
    raw = case.file.read_bytes()
    assert all((folder / name).with_suffix(suffix).read_bytes() in raw for suffix in (".metadata", ".value"))
    assert ParquetFile(raw).metadata.num_rows == 1


def test_what_the_dictionary_tells_stands(folder):
    """Where the bytes hold something else than the dictionary tells, the dictionary is believed."""
    _pair(folder, "primitive_int8", Primitive("int8", 41))
    (folder / "data_dictionary.json").write_text('{"primitive_int8": 42}')
    (case,) = import_path(folder).cases
    assert _meant(case) == Primitive("int8", 42)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("primitive_int8", ""),
        ("primitive_int8", "[42]"),
        ("primitive_int8", '{"primitive_int16": 42}'),
        ("primitive_date", '{"primitive_date": "soon"}'),
        ("primitive_time", '{"primitive_time": "12:33"}'),
        ("primitive_timestamp", '{"primitive_timestamp": "2025-04-16 12:34:56"}'),
        ("primitive_timestamp", '{"primitive_timestamp": "2025-04-16 12:34:56.123456789+00:00"}'),
        ("primitive_decimal16", '{"primitive_decimal16": "12.5"}'),
        ("primitive_decimal16", '{"primitive_decimal16": NaN}'),
        ("primitive_uuid", '{"primitive_uuid": 3}'),
    ],
)
def test_without_a_description_the_engines_vote(folder, name, text):
    """A pair that the dictionary does not tell, or tells in another form, is judged by vote, and says so."""
    _pair(folder, name, Primitive("int8", 42))
    (folder / "data_dictionary.json").write_text(text)
    (case,) = import_path(folder).cases
    assert case.expectation.source == "vote"
    assert "data_dictionary.json" in case.notes


def test_broken_pairs_are_cases_too(folder):
    """Bytes that are no Variant are put into a file all the same: what engines do with them is to be seen."""
    (folder / "short_string.metadata").write_bytes(b"")
    (folder / "short_string.value").write_bytes(b"\xff\xff")
    (folder / "data_dictionary.json").write_text('{"short_string": "a"}')
    (case,) = import_path(folder).cases
    assert _meant(case) == Primitive("string", "a")


def test_half_a_pair(folder):
    """A value without its metadata is skipped; metadata that is asked for by name is no file of ours."""
    (folder / "short_string.value").write_bytes(b"\x05a")
    assert [item.reason.split(":")[0] for item in import_path(folder).skipped] == ["half of a variant"]
    _pair(folder, "short_string", Primitive("string", "a"))
    with pytest.raises(ImportProblem):
        import_path(folder / "short_string.metadata")


def test_importers_come_without_a_reader():
    """Who imports the importers has no module of the reference yet: planted bugs must come before it."""
    code = "import corpora.importers, sys; print([name for name in sys.modules if 'reference_impl' in name])"
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PROJECT
    )
    assert said.stdout.strip() == "[]"


def test_files_stay(folder, cache):
    """The file of a pair is made once; given itself, it is the same case; where it cannot be made, none."""
    _pair(folder, "short_string", Primitive("string", "a"))
    (folder / "data_dictionary.json").write_text('{"short_string": "a"}')
    (case,) = import_path(folder / "short_string.value").cases
    made = case.file.stat().st_mtime_ns
    assert import_path(folder).cases == (case,)
    assert case.file.stat().st_mtime_ns == made
    assert import_path(case.file).cases == (case,)
    assert len(list((cache / "wrapped").iterdir())) == 2
    for file in (cache / "wrapped").iterdir():
        file.unlink()
    (cache / "wrapped").rmdir()
    (cache / "wrapped").write_text("no folder")
    assert "cannot be put" in import_path(folder).skipped[-1].reason


@needs_data
@pytest.mark.corpus
def test_published_pairs():
    """All pairs are cases; those that the dictionary tells hold, byte by byte, what it tells."""
    cases = {case.id.rpartition("/")[2]: case for case in import_path(Path(ROOT, "variant")).cases}
    assert len(cases) == 29
    assert [name for name, case in cases.items() if case.expectation.source == "vote"] == ["long_string"]
    for name, case in cases.items():
        if case.expectation.table is not None:
            pair = [
                Path(ROOT, "variant", name + suffix).read_bytes().hex() for suffix in (".metadata", ".value")
            ]
            assert case.expectation.table.column(0) == [pair]
