"""The coverage of fields, and the data about fields against the descriptions of the formats."""

import os
from enum import IntEnum
from pathlib import Path

import pytest

from corpora.build import fields, store
from corpora.build.formats import FORMATS, PARQUET
from corpora.tests.interfaces import declared
from reference_impl.wire.table import ListOf, Scalar, Struct, table_of

SCALARS = {
    "parquet": {one.value: one for one in Scalar},
    "orc": {**{one.value: one for one in Scalar}, "int32": Scalar.I32, "bytes": Scalar.BINARY},
}


@pytest.mark.parametrize("form", FORMATS)
def test_types(form):
    """Each field has, in our tables, the type that is declared; a struct without fields is `Empty` there."""
    told = fields.interface(form)
    for name, members in told.declared.items():
        cls = fields._cls(form, name)
        if cls is None:
            continue
        for row in table_of(cls).rows:
            wire = row.wire.element if isinstance(row.wire, ListOf) else row.wire
            kind = members[row.name]["type"].removeprefix("list<").removesuffix(">")
            if kind in SCALARS[form]:
                assert wire is SCALARS[form][kind], f"{name}.{row.name}"
            else:
                assert isinstance(wire, type), f"{name}.{row.name}"
                empty = not told.declared[kind]
                assert wire.__name__ == ("Empty" if empty else fields._NAMES.get(kind, kind))
                assert issubclass(wire, (Struct, IntEnum))


def _revision(told, found):
    """The revision that most of what a description declares is in."""

    def agree(revision):
        return sum(revision in raw.get("in", told.revisions) for _, _, raw in _common(told, found))

    return max(sorted(told.revisions), key=agree)


def _common(told, found):
    for name, members in found.items():
        for field in members:
            raw = told.declared.get(name, {}).get(field)
            if raw is not None:
                yield name, field, raw


def _descriptions():
    for folder in filter(None, os.environ.get("FORMAT_DESCRIPTIONS", "").split(os.pathsep)):
        for path in sorted(Path(folder).iterdir()):
            text = path.read_text("utf-8", "replace")
            forms = {"struct PageHeader": "parquet", "message StripeFooter": "orc"}
            for form in (form for sign, form in forms.items() if sign in text):
                yield pytest.param(form, text, id=path.name)


@pytest.mark.parametrize(("form", "text"), list(_descriptions()) or [pytest.param("", "", id="none")])
def test_descriptions(form, text):
    """What a revision's own text declares is what our data says of that revision: fields, ids and types."""
    if not form:
        pytest.skip("FORMAT_DESCRIPTIONS names no folder with interface descriptions")
    told, found = fields.interface(form), declared(text, form)
    revision = _revision(told, found)
    ours = {
        name: {
            field: (raw["id"], raw.get("type", ""))
            for field, raw in members.items()
            if revision in raw.get("in", told.revisions)
        }
        for name, members in told.declared.items()
    }
    last = list(found)[-1]
    for name, members in found.items():
        if name == last:  # where a text was cut
            assert members.items() <= ours[name].items()
        else:
            assert members == ours[name], name
    if last in ("FileCryptoMetaData", "FileMetaData", "FileTail"):
        assert {name for name, members in ours.items() if members} <= set(found)


def test_what_is_missing_is_said():
    """A field that no table has, and one that no file holds, are told as such."""
    told = fields.Interface(
        "parquet",
        {"1": "old", "2": "new"},
        {
            "KeyValue": {
                "key": {"id": 1, "type": "string"},
                "value": {"id": 2, "type": "string"},
                "third": {"id": 3, "type": "StringType", "in": ["2"]},
            },
            "StringType": {},
            "PageType": {"DATA_PAGE": {"id": 0}, "DATA_PAGE_V9": {"id": 9}},
            "PageHeader": {"type": {"id": 1, "type": "PageType"}},
        },
        {"StringType": "a note", "KeyValue.value": "another"},
    )
    found = {
        "field/KeyValue.key/present": ("parquet/a", "parquet/a"),
        "field/KeyValue.value/present": ("", "parquet/b"),
        "field/PageHeader.type/DATA_PAGE": ("parquet/c", "parquet/a"),
    }
    lines = fields.lines(told, found)
    key, value, third = lines["KeyValue"]
    assert (key.read, key.written, key.case) == (True, "parquet/a", "parquet/a")
    assert (value.read, value.written, value.case) == (True, "", "parquet/b")
    assert (third.read, third.written, third.case, third.revisions) == (False, "", "", ("2",))
    (nothing,) = lines["StringType"]
    assert (nothing.read, nothing.reason) == (False, "a note")
    assert [line.read for line in lines["PageType"]] == [True, False]
    page = fields.render([(told, lines)], "two cases")
    assert "| parquet.thrift | 1 | old | 6 | 4 | 2 | 3 |" in page
    assert "* parquet.thrift `KeyValue.value`: not written: another\n" in page
    assert "* parquet.thrift `KeyValue.third`: not read, not written, no case\n" in page
    assert "| 2 | `value` | `string` | all | yes | **no** | `parquet/b`; another |" in page
    assert "| 3 | `third` | `StringType` | 2 | **no** | **no** | **no** |" in page


def test_a_changed_file_is_not_the_writers(tmp_path):
    """Of a case whose file was changed on its way out, only the case counts."""
    folder = PARQUET.folder / "file"
    names = sorted(path.stem for path in folder.glob("*.json"))[:2]
    for name in names:
        for end in (".json", ".parquet"):
            (tmp_path / f"{name}{end}").write_bytes((folder / f"{name}{end}").read_bytes())

    corpus = list(store.stored(PARQUET, tmp_path))
    item = "field/FileMetaData.version/present"
    first = f"parquet/file/{names[0]}"
    assert fields.held(corpus, ())[item] == (first, first)
    assert fields.held(corpus, {first})[item] == (f"parquet/file/{names[1]}", first)
