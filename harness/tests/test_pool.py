"""Idle engines: so many are held, of heavy ones fewer, the oldest are closed."""

from types import SimpleNamespace

import pytest

from harness.runs.pipeline import pool


class _Connection:
    """A connection that can be closed."""

    def __init__(self):
        self.is_open = True
        self.folder = None

    def spill_into(self, folder):
        """Note the folder of large tables."""
        assert folder.is_dir()
        self.folder = folder

    def close(self):
        """Close it."""
        self.is_open = False


def _context(out):
    return SimpleNamespace(out=out, spill=out / "spill", variables=(), limits=None)


@pytest.mark.parametrize(("heavy", "idle"), [(True, 2), (False, 4)])
def test_idle_connections_are_used_again(tmp_path, monkeypatch, heavy, idle):
    """Two heavy engines take turns without a new start of either; connections beyond the limit are closed."""
    started = []

    def connect(*_):
        started.append(_Connection())
        return started[-1]

    monkeypatch.setattr(pool, "connect", connect)
    held = pool.Pool()
    context = _context(tmp_path)
    engines = [SimpleNamespace(launch=number, heavy=heavy) for number in range(idle + 1)]
    for _ in range(3):
        for engine in engines[:idle]:
            with held.lent(context, engine):
                pass
    assert len(started) == idle
    with held.lent(context, engines[idle]):
        pass
    assert [each.is_open for each in started] == [False, *[True] * idle]
    held.close()
    assert not any(each.is_open for each in started)


def test_a_connection_is_closed_after_an_exception(tmp_path, monkeypatch):
    """What an engine whose task failed would do next is not known."""
    connection = _Connection()
    monkeypatch.setattr(pool, "connect", lambda *_: connection)
    context, engine = _context(tmp_path), SimpleNamespace(launch=0, heavy=True)
    with pytest.raises(ValueError, match="no"), pool.Pool().lent(context, engine):
        raise ValueError("no")
    assert not connection.is_open


def test_connections_are_kept_for_the_next_run(tmp_path, monkeypatch):
    """A command of several runs starts an engine once; its tables are files of the run that reads them."""
    started, scratch = [], []

    def connect(_context, _process, folder=None):
        started.append(_Connection())
        scratch.append(folder)
        return started[-1]

    monkeypatch.setattr(pool, "connect", connect)
    shared, engine = pool.Pool(), SimpleNamespace(launch=0, heavy=True)
    with shared.across_runs():
        for name in ("first", "second"):
            (tmp_path / name).mkdir()
            with shared.lent(_context(tmp_path / name), engine) as connection:
                assert connection.folder == tmp_path / name / "spill"
            shared.end_run()
        assert len(started) == 1
        assert connection.is_open
        assert scratch[0].is_dir(), "of the command, not of the first run"
    assert not connection.is_open
    assert not scratch[0].exists()
    with shared.lent(_context(tmp_path / "first"), engine) as other:
        assert other is not connection
    with shared.lent(_context(tmp_path / "second"), engine) as third:
        assert third is not other, "whose temporary files go with the first run"
    shared.end_run()
    assert not other.is_open


def test_more_heavy_engines_are_kept_between_runs(tmp_path, monkeypatch):
    """Of six engines in turns, the last four stay for the next run: as many as worked at a time."""
    monkeypatch.setattr(pool, "connect", lambda *_: _Connection())
    shared, connections = pool.Pool(), []
    with shared.across_runs():
        for number in range(6):
            with shared.lent(_context(tmp_path), SimpleNamespace(launch=number, heavy=True)) as connection:
                connections.append(connection)
        assert [each.is_open for each in connections] == [False, False, True, True, True, True]
