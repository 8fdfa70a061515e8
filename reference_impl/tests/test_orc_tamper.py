"""What a tamper changes is what changes in the file, and all that can be reached is reached."""

from __future__ import annotations

import inspect

import pytest

from reference_impl.errors import Malformed
from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import Bloom, Column
from reference_impl.orc.schema import CompressionKind, StreamKind, TypeKind
from reference_impl.orc.tamper import Place, Tamper
from reference_impl.orc.writer import write
from reference_impl.tests.orc_plans import expected_rows, plan, read_rows, with_columns

HOOKS = [name for name, _ in inspect.getmembers(Tamper, inspect.isfunction)]
NAMES = ("int", "string", "boolean", "double")


class Recorder(Tamper):
    """Notes what is called, in order, and changes nothing."""

    def __init__(self):
        self.calls = []

    def __getattribute__(self, name):
        found = super().__getattribute__(name)
        if name not in HOOKS:
            return found

        def noted(*arguments):
            self.calls.append((name, arguments[:-1]))
            return found(*arguments)

        return noted


def small(**choices):
    """Return a plan with Bloom filters in two stripes of two row groups."""
    bloom = Column(bloom=Bloom())
    found = plan(
        40, NAMES, stripes=(20, 20), row_index_stride=10, compression=CompressionKind.ZLIB, **choices
    )
    return with_columns(found, Column(), bloom, bloom, Column())


def test_all_are_called():
    """Every hook is called, with the places of all streams, and what it leaves alone stays."""
    tamper = Recorder()
    data = write(small(), tamper)
    assert {name for name, _ in tamper.calls} == set(HOOKS) - {"sealed"}  # that is of encrypted columns
    assert data == write(small())
    stored = [arguments[0] for name, arguments in tamper.calls if name == "stored"]
    streams = [(place.column, place.kind) for place in OrcFile(data).stripe(0).streams]
    assert sorted(stored[: len(stored) // 2]) == sorted(Place(0, column, kind) for column, kind in streams)
    groups = [
        (place.stripe, group) for name, (place, group) in _of(tamper, "statistics") if place.column == 1
    ]
    assert groups == [(0, 0), (0, 1), (1, 0), (1, 1), (0, None), (1, None), (None, None)]


def _of(tamper, wanted):
    return [call for call in tamper.calls if call[0] == wanted]


def changed(name, change, **choices):
    """Return a file that was changed by one hook; `change` takes what the hook does."""
    tamper = type("Changed", (Tamper,), {name: lambda _, *arguments: change(*arguments)})()
    return write(small(**choices), tamper)


@pytest.mark.parametrize("name", [name for name in HOOKS if name.endswith(("bytes", "message"))])
def test_messages_cut_short(name):
    """A message that loses its last byte is noticed."""
    data = changed(name, lambda *arguments: arguments[-1][:-1])
    assert data != write(small())
    with pytest.raises(Malformed):
        read_all(data)


def read_all(data):
    """Read tail, statistics, and rows."""
    file = OrcFile(data)
    return file.metadata, file.read()


def test_stream():
    """A stream that is changed before compression is compressed, and its length follows."""

    def cut(place, data):
        return data[:-1] if place == Place(1, 1, StreamKind.DATA) else data

    file = OrcFile(changed("stream", cut))
    assert file.read(stripes=[0]).num_rows == 20
    with pytest.raises(Malformed):
        file.read(stripes=[1])


def test_rows():
    """Rows that are changed are consistent in all there is, but not with the plan."""
    found = small()
    assert read_rows(changed("rows", lambda _, rows: rows[1:])) == [
        row for at, row in enumerate(expected_rows(found)) if at % 20
    ]


def test_numbers():
    """Numbers of a stream are changed before they are encoded."""

    def longer(place, values):
        return [value + 1 for value in values] if place.kind is StreamKind.LENGTH else values

    with pytest.raises(Malformed) as caught:
        OrcFile(changed("numbers", longer)).read(["string"])
    assert caught.value.rule == "ORC-STR-001"


def test_positions():
    """Positions and statistics of one row group are changed, and no others."""
    data = changed("positions", lambda place, group, old: () if group and place.column == 2 else old)
    file = OrcFile(data)
    assert [bool(entry.positions) for entry in file.row_index(1, 2).entry] == [True, False]
    assert [bool(entry.positions) for entry in file.row_index(1, 1).entry] == [True, True]


def test_left_out():
    """Indexes can be left out."""
    file = OrcFile(changed("row_index", lambda place, index: None if place.column == 1 else index))
    assert file.row_index(0, 1) is None
    assert file.row_index(0, 2) is not None
    assert not OrcFile(changed("bloom", lambda *_: None)).bloom_filters(0, 1)


def test_footer():
    """The footer can say something else."""

    def other(footer):
        footer.types[1].kind = TypeKind.LONG
        return footer

    assert OrcFile(changed("footer", other)).root.children[0].kind is TypeKind.LONG


def test_plan_stays():
    """What a tamper does to the message of the footer does not change the types of the plan."""
    found = small()

    class Other(Tamper):
        def footer(self, footer):
            footer.types[1].kind = TypeKind.LONG
            return footer

    write(found, Other())
    assert found.types[1].kind is TypeKind.INT
