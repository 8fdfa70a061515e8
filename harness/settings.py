"""Settings of a project: options of `colconf run`, in `colconf.toml` or `[tool.colconf]` of `pyproject.toml`.

    [tool.colconf]
    files = ["data/samples"]
    engine = ["reference", "spark:vectorized=off"]
    time-limit = 30

    [tool.colconf.engines]
    my_reader = "readers/my-reader.toml"

Keys are the names of the options without their dashes. The command line takes precedence over both files, and
`colconf.toml` over `pyproject.toml`. The table `engines` of `pyproject.toml` names manifests of engines, for
all commands (`harness/engines/registry.py`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.problem import Problem

if TYPE_CHECKING:
    import click


ENGINES = "engines"


def load(folder: Path, options: Mapping[str, click.Option]) -> dict[str, Any]:
    """Return the settings in `folder`, by parameter name; `options` by key. Raises Problem."""
    for name, path in (("colconf.toml", ()), ("pyproject.toml", ("tool", "colconf"))):
        table = _table(folder / name, path)
        if path:
            table.pop(ENGINES, None)
        if table:
            return {
                options[key].name or key: _checked(name, key, value, options)
                for key, value in table.items()
                if _known(name, key, options)
            }
    return {}


def _table(file: Path, path: tuple[str, ...]) -> dict[str, Any]:
    try:
        data: Any = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise Problem(f"{file.name}: {error.strerror}") from error
    except ValueError as error:
        raise Problem(f"{file.name}: is no TOML: {error}") from error
    for key in path:
        data = data.get(key, {}) if isinstance(data, dict) else {}
    if not isinstance(data, dict):
        raise Problem(f"{file.name}: {'.'.join(path)} is not a table")
    return data


def _known(name: str, key: str, options: Mapping[str, click.Option]) -> bool:
    if key not in options:
        raise Problem(f"{name}: unknown setting {key!r}; known: {', '.join(sorted(options))}")
    return True


def _checked(name: str, key: str, value: Any, options: Mapping[str, click.Option]) -> Any:
    """Return the value as text for click to parse; raises Problem if it does not fit the option."""
    option = options[key]
    if option.is_flag:
        if not isinstance(value, bool):
            raise Problem(f"{name}: {key} is {value!r:.40}, not true or false")
        return value
    values = value if isinstance(value, list) and option.multiple else [value]
    if not all(isinstance(entry, (str, int, float)) and not isinstance(entry, bool) for entry in values):
        raise Problem(f"{name}: {key} is {value!r:.40}, not text{' or a list of texts' * option.multiple}")
    texts = [str(entry) for entry in values]
    return texts if option.multiple else texts[0]
