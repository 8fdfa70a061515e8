"""Idle engines: so many are held, of heavy ones fewer, the oldest are closed."""

from types import SimpleNamespace

import pytest

from harness.runs.pipeline import pool


class _Connection:
    """A connection that can be closed."""

    def __init__(self):
        self.is_open = True

    def close(self):
        """Close it."""
        self.is_open = False


@pytest.mark.parametrize(("heavy", "idle"), [(True, 2), (False, 4)])
def test_idle_connections_are_used_again(monkeypatch, heavy, idle):
    """Two heavy engines take turns without a new start of either; connections beyond the limit are closed."""
    started = []

    def connect(_context, _process):
        started.append(_Connection())
        return started[-1]

    monkeypatch.setattr(pool, "connect", connect)
    held = pool.Pool()
    context = SimpleNamespace(out="out", variables=(), limits=None)
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


def test_a_connection_is_closed_after_an_exception(monkeypatch):
    """What an engine whose task failed would do next is not known."""
    connection = _Connection()
    monkeypatch.setattr(pool, "connect", lambda *_: connection)
    context, engine = (
        SimpleNamespace(out="out", variables=(), limits=None),
        SimpleNamespace(launch=0, heavy=True),
    )
    with pytest.raises(ValueError, match="no"), pool.Pool().lent(context, engine):
        raise ValueError("no")
    assert not connection.is_open
