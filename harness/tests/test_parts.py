"""A part that is not as it was written is seen by each way to read it."""

import os

import pytest

from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging.places import Place
from harness.runs.pipeline import parts, spilled
from harness.runs.pipeline.parts import DamagedPart

LINES = [{"head": 1}, {"line": 2}, {"line": 3}]


@pytest.fixture
def part(tmp_path):
    """Return a part of three lines."""
    path = tmp_path / "part.ndjson"
    parts.commit(path, parts.encoded(LINES))
    assert list(parts.read(path)) == LINES
    assert parts.head(path) == LINES[0]
    return path


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (lambda _: b"", "it is empty"),
        (lambda data: data[:10], "it has no end"),
        (lambda data: data[: data.index(b'{"part_end"')], "it has no end"),
        (lambda data: data[:-1], "it has no end"),
        (lambda data: data + b"{}\n", "more stands behind its end"),
        (lambda data: data.replace(b'"line":2', b'"line":4'), "3 lines that are not the 3"),
        (lambda data: data.replace(b'{"line":2}\n', b""), "2 lines that are not the 3"),
    ],
)
def test_what_is_read(part, harm, why):
    """Reading it to its end raises, whatever was done to it."""
    part.write_bytes(harm(part.read_bytes()))
    with pytest.raises(DamagedPart, match=why):
        list(parts.read(part))


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (lambda _: b"", "it is empty"),
        (lambda data: data.replace(b'"head":1', b'"head":2'), "its first line is not the one"),
        (lambda data: data[:-9], "it has no end"),
        (lambda data: data + b"\0" * 9, "it has no end"),
    ],
)
def test_the_first_line_alone(part, harm, why):
    """The first line is held against the end line, without the lines between them."""
    part.write_bytes(harm(part.read_bytes()))
    with pytest.raises(DamagedPart, match=why):
        parts.head(part)


def test_a_line_without_an_end_is_damage(part, monkeypatch):
    """A line longer than any part has is read in pieces, and the part is damaged: it is made again."""
    monkeypatch.setattr(parts.files, "MOST_OF_LINE", 8)
    pieces = parts.raw_lines(part)
    assert len(next(pieces)) == 8
    with pytest.raises(DamagedPart):
        list(pieces)


def test_a_part_that_is_no_regular_file_is_damaged(tmp_path):
    """A FIFO in its place is not opened."""
    path = tmp_path / "part"
    os.mkfifo(path)
    for read in (parts.head, parts.end_of, lambda part: list(parts.raw_lines(part))):
        with pytest.raises(parts.DamagedPart, match="not a regular file"):
            read(path)


@pytest.mark.parametrize("held", [0, 1 << 20])
def test_outcomes_are_the_same_from_memory_and_from_the_file(tmp_path, monkeypatch, held):
    """Each place has its own outcome and earlier requests, held in memory or not."""
    monkeypatch.setattr(parts, "_HELD", held)
    path, before = tmp_path / "part.ndjson", [{"op": "read"}]
    places = [Place(0, case, probe) for case in range(3) for probe in (-1, 0)]
    outcomes = [Outcome(OutcomeKind.HUNG, seconds=number) for number in range(len(places))]
    lines = (parts.answer(*line, before=before) for line in zip(places, outcomes, strict=True))
    parts.commit(path, parts.encoded(lines))
    stored = parts.Answers(path)
    assert [stored.get(place) for place in places] == outcomes
    assert stored.before(places[-1]) == before
    assert stored.get(Place(0, 3)) is None


def test_equal_tables_are_on_the_disk_once(tmp_path):
    """A table's file of the same bytes as an earlier one becomes a link to it; another stays its own."""
    files = [tmp_path / name for name in ("0-0.jsonl", "1-0.jsonl", "2-0.jsonl")]
    for file, text in zip(files, ("[[1]]", "[[1]]", "[[2]]"), strict=True):
        file.write_text(text)
        spilled.store_once(file, tmp_path)
    assert [file.read_text() for file in files] == ["[[1]]", "[[1]]", "[[2]]"]
    assert files[0].samefile(files[1])
    assert not files[0].samefile(files[2])
    assert not list(tmp_path.glob("*.link"))


def test_a_stored_table_that_changed_replaces_no_other(tmp_path, monkeypatch):
    """After a power cut or a change, a table that is made again does not become a link to what is left."""
    monkeypatch.setattr(spilled, "_DIGESTS", {})
    files = [tmp_path / name for name in ("0-0.jsonl", "1-0.jsonl", "2-0.jsonl")]
    for number, file in enumerate(files):
        file.write_text("[[1]]\n[[2]]\n")
        spilled.store_once(file, tmp_path)
        if number == 0:
            file.write_text("[[1]]\n")
            spilled._DIGESTS.clear()  # the run goes on in another process
    assert [file.read_text() for file in files[1:]] == ["[[1]]\n[[2]]\n"] * 2
    assert files[1].samefile(files[2])


def test_a_table_that_is_stored_again_has_no_other_name(tmp_path):
    """A file that is a link already stays as it is."""
    file = tmp_path / "0-0.jsonl"
    file.write_text("[[1]]")
    for _ in range(2):
        spilled.store_once(file, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0-0.jsonl", "same"]


def test_a_digest_is_not_that_of_a_file_that_is_gone(tmp_path):
    """A table may get the place on the disk of one that became a link: it is digested anew."""
    files = [tmp_path / name for name in ("0-0.jsonl", "1-0.jsonl")]
    for file in files:
        file.write_text("[[1]]")
    gone = spilled._key(files[1])
    for file in files:
        spilled.store_once(file, tmp_path)
    assert gone not in spilled._DIGESTS


def test_without_hard_links_each_table_has_its_file(tmp_path, monkeypatch):
    """A file system without hard links stops no run."""

    def refuse(*_):
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    file = tmp_path / "0-0.jsonl"
    file.write_text("[[1]]")
    spilled.store_once(file, tmp_path)
    assert file.read_text() == "[[1]]"


def test_a_table_is_digested_once_for_all_its_links(tmp_path, monkeypatch):
    """What was digested when it was stored is not read again for the end of its part, under whatever name."""
    read = []
    digest = spilled.file_digest
    monkeypatch.setattr(spilled, "file_digest", lambda path: read.append(path.name) or digest(path))
    for name in ("0-0.jsonl", "1-0.jsonl"):
        (tmp_path / name).write_text("[[1]]")
        spilled.store_once(tmp_path / name, tmp_path)
    described = [spilled.described(tmp_path / name) for name in ("0-0.jsonl", "1-0.jsonl")]
    assert read == ["0-0.jsonl", "1-0.jsonl"]
    assert {each[1:] for each in described} == {(5, digest(tmp_path / "0-0.jsonl"))}
