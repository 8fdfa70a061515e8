"""What a configuration of Spark sets: its switches and ways as Spark's own options, for reports."""

from __future__ import annotations

from collections.abc import Iterator

from harness.engines.spark import switches, ways
from harness.engines.spark.formats import READING

NAME = "spark"


def options_of(engine: str, format: str, config: str) -> str:
    """Return `option=text` of each option that a configuration such as `vectorized=off` sets, "" for none.

    Switches of other engines are no options of Spark.
    """
    if engine != NAME:
        return ""
    return ", ".join(f"{option}={text}" for option, text in dict(_options(format, config)).items())


def _options(format_: str, config: str) -> Iterator[tuple[str, str]]:
    reading = READING.get(format_)
    for part in filter(None, config.split(",")):
        switch, _, value = part.partition("=")
        if option := switches.option_of(format_, switch, value):
            name, _, text = option.partition("=")
            yield name, text
        elif switch == "way":
            way = ways.WAYS.get(value) or ways.QUERIES.get(value)
            yield from way.settings.items() if way else ()
        elif reading:
            default, changed = reading.settings({}), reading.settings({switch: value})
            yield from ((name, text) for name, text in changed.items() if text not in {None, default[name]})
